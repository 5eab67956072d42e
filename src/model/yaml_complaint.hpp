// libyaml's errors in plain words: what is wrong, where it began, and what to type instead.
#pragma once
#include <optional>

#include "model/yaml_text.hpp"

namespace escapement::yaml {

/// A stretch of the text.
struct QuotedLines {
  yaml_mark_t begin, end;
};

/// Throws E-SYNTAX for what stopped the parser. `quote`: the last scalar, if it is quoted and goes over several lines.
[[noreturn]] void complain(Source& source, const yaml_parser_t& parser, bool flow,
                           const std::optional<QuotedLines>& quote);

}  // namespace escapement::yaml
