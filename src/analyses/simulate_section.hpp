// Reading the `simulate:` section of a model.
#pragma once
#include <string>

#include "model/model.hpp"

namespace escapement::simulate_section {

/// A fault of a key of `simulate:`, or of the section ("").
inline ModelError error(const char* code, const Model& model, const std::string& key, std::string cause,
                        std::string hint = {}) {
  return ModelError(code, key.empty() ? "simulate" : "simulate." + key, std::move(cause), std::move(hint),
                    model.simulate_mark(key).place());
}

inline double number(const FieldValues& values, std::string_view key) {
  return std::get<double>(*values.find(key));
}

}  // namespace escapement::simulate_section
