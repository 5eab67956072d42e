// The reference, from the registry: as text for a terminal, as Markdown for docs/reference, as JSON Schema for editors.
#pragma once
#include <string>

#include "model/schema.hpp"
#include "record/json.hpp"

namespace escapement {

/// One line per type.
std::string component_list(const Registry& registry);
std::string component_page(const ComponentType& type);
/// The keys of `simulate:`.
std::string simulate_page();
std::string component_markdown(const ComponentType& type);
/// All types on one page, with a table of contents.
std::string reference_markdown(const Registry& registry);
/// JSON Schema (draft 2020-12) of model files.
Json model_schema(const Registry& registry);
/// One type as data.
Json component_json(const ComponentType& type);
/// The example as a complete model file.
std::string example_model(const ComponentType& type);

}  // namespace escapement
