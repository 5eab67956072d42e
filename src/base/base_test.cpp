#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "base/archive.hpp"
#include "base/file.hpp"
#include "base/nearest_name.hpp"
#include "base/utf8.hpp"

using namespace escapement;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path = fs::temp_directory_path() / ("escapement-base-" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
};

}  // namespace

TEST_CASE("nearest names") {
  CHECK(edit_distance("stifness", "stiffness") == 1);
  CHECK(edit_distance("stfifness", "stiffness") == 1);  // adjacent letters swapped
  CHECK(nearest_name("positon", std::vector<std::string>{"position", "velocity"}) == "position");
  CHECK(nearest_name("xyz", std::vector<std::string>{"position", "velocity"}).empty());
}

TEST_CASE("characters of UTF-8") {
  const auto length = [](std::string_view text) { return character_at(text, 0).length; };
  CHECK(length("a") == 1);
  CHECK(character_at("xä", 1).code == 0xE4);
  CHECK(character_at("→", 0).code == 0x2192);
  CHECK(character_at("\xF0\x9F\x95\xB0", 0).code == 0x1F570);
  CHECK(length("\xFF") == 0);
  CHECK(length("\xC3") == 0);              // cut off
  CHECK(length("\xC0\x80") == 0);          // overlong
  CHECK(length("\xE0\x80\x80") == 0);      // likewise
  CHECK(length("\xED\xA0\x80") == 0);      // a surrogate
  CHECK(length("\xF4\x90\x80\x80") == 0);  // beyond the last
  CHECK(length("\x80") == 0);
  CHECK(cut_before("aä", 2) == 1);
  CHECK(cut_before("aä", 3) == 3);
}

TEST_CASE("files are replaced whole") {
  const Folder folder;
  const fs::path file = folder.path / "text";
  std::string text;
  CHECK(read_file(file, text) == std::errc::no_such_file_or_directory);
  for (const std::string& content : std::vector<std::string>{std::string(10000, 'x'), "short", ""}) {
    CHECK(!write_file(file, content, {.durable = true}));
    CHECK(!read_file(file, text));
    CHECK(text == content);
  }
  CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 1);
  CHECK(!write_file(file, "12345", {.owner_only = true}));
  CHECK((fs::status(file).permissions() & fs::perms::group_all) == fs::perms::none);
  CHECK(!read_file(file, text, 5));
  CHECK(read_file(file, text, 4) == std::errc::file_too_large);
  CHECK(read_file(folder.path, text) == std::errc::is_a_directory);
  CHECK(write_file(folder.path, "x") == std::errc::is_a_directory);
  CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 1);
  const fs::path pipe = folder.path / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(read_file(pipe, text) == not_a_regular_file);
}

TEST_CASE("an archive reads what it wrote") {
  std::vector<std::string> words = {"a", "", "bcd"};
  double number = 1.5;
  Archive out;
  out(words, number);
  std::vector<std::string> read;
  double same = 0;
  Archive in(out.bytes());
  in(read, same);
  CHECK(read == words);
  CHECK(same == number);
  CHECK(in.at_end());
  Archive cut(std::string_view(out.bytes()).substr(0, 12));
  CHECK_THROWS_AS(cut(read), ArchiveError);
}
