#include "core/error.hpp"

#include <utility>

namespace escapement {

std::string SourcePlace::text() const {
  return file.empty() ? ""
         : line == 0  ? file
                      : file + ":" + std::to_string(line) + ":" + std::to_string(column);
}

ModelError::ModelError(std::string code, std::string where, std::string cause, std::string hint,
                       SourcePlace place)
    : std::runtime_error(code + (place.file.empty() ? "" : " " + place.text()) + "  " +
                         (where.empty() ? "" : where + ": ") + cause +
                         (hint.empty() ? "" : "\n    Try: " + hint)),
      code(std::move(code)),
      where(std::move(where)),
      cause(std::move(cause)),
      hint(std::move(hint)),
      place(std::move(place)) {}

}  // namespace escapement
