// What the system says about a file, and what helps.
#include "record/file_error.hpp"

#include <cerrno>
#include <system_error>

namespace escapement {
namespace {

std::string hint_for(int error_number) {
  switch (error_number) {
    case ENOSPC:
      return "free space on this disk, or write to another one with --out";
    case EDQUOT:
      return "free space within your quota, or write elsewhere with --out";
    case EFBIG:
      return "record fewer channels or less often: the file exceeds the allowed size";
    case EACCES:
    case EPERM:
    case EROFS:
      return "another folder with --out, or other permissions";
    case ENOENT:
    case ENOTDIR:
      return "check the spelling of the path";
    case EISDIR:
      return "a file is needed here, this is a folder";
    case EIO:
      return "check the disk: it reports a fault of its own";
    case EMFILE:
    case ENFILE:
      return "close other files, or raise the limit with `ulimit -n`";
    default:
      return "";
  }
}

}  // namespace

FileError system_error(const std::filesystem::path& path, const std::string& deed, int error_number) {
  return {path.string(), deed + ": " + std::generic_category().message(error_number), hint_for(error_number)};
}

}  // namespace escapement
