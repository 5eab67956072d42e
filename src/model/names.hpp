// Names that a model uses: mappings of them, and those that nothing has.
#pragma once
#include <optional>
#include <string>

#include "model/model.hpp"

namespace escapement {

/// The value under a port of names that the user chose, `{x: cart.position}`: checked to be such a mapping.
const Node& named_entries(const Node& value, const std::string& where);

/// The fault of an unknown name, with the nearest one that would fit: a node of the domain, or (none) a signal.
ModelError unknown_name(const Model& model, const std::string& text, const Mark& mark,
                        const std::string& where, const Namespace& space, std::optional<Domain> domain);

}  // namespace escapement
