#include "model/yaml.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>

using namespace escapement;

namespace {

const std::string model = "m.yaml";

Node read(std::string_view text, const YamlLimits& limits = {}) { return read_yaml(text, &model, limits); }

ModelError fault(std::string_view text, const YamlLimits& limits = {}) {
  try {
    read(text, limits);
  } catch (const ModelError& e) {
    return e;
  }
  return {"none", "", "", ""};
}
/// "E-SYNTAX 1:12 what is wrong"
std::string said(std::string_view text, const YamlLimits& limits = {}) {
  const ModelError e = fault(text, limits);
  return e.code + " " + std::to_string(e.place.line) + ":" + std::to_string(e.place.column) + " " + e.cause;
}
std::string hint(std::string_view text) { return fault(text).hint; }

std::string place(const Mark& mark) { return std::to_string(mark.line) + ":" + std::to_string(mark.column); }

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

bool survives(const Node& node) { return same_tree(node, read(write_yaml(node))); }

}  // namespace

TEST_CASE("a tree with marks") {
  const Node root = read(
      "escapement: 1\n"
      "title: Größe µ, \"x\"\n"
      "components:\n"
      "  mass: {type: translational.mass, µ: 'a b', list: [1 m, [2]]}\n"
      "  none:\n"
      "plots:\n"
      "- y: 1\n"
      "- |\n"
      "  text\n");
  CHECK(root.is_mapping());
  CHECK(place(root.mark) == "1:1");
  CHECK(root.mark.place().text() == "m.yaml:1:1");
  CHECK(root.entries.size() == 4);
  CHECK(root.find("title")->text == "Größe µ, \"x\"");
  CHECK(place(root.find("title")->mark) == "2:8");
  const Node& mass = *root.find("components")->find("mass");
  CHECK(place(mass.mark) == "4:9");
  CHECK(place(mass.entries[1].mark) == "4:36");
  CHECK(place(mass.entries[1].value.mark) == "4:39");  // columns count characters
  CHECK(mass.entries[1].value.quoted);
  CHECK_FALSE(mass.entries[0].value.quoted);
  CHECK(place(mass.find("list")->mark) == "4:52");
  CHECK(place(mass.find("list")->items[1].items[0].mark) == "4:59");
  CHECK(root.find("components")->find("none")->kind == Node::Kind::null);
  CHECK(place(root.find("components")->entries[1].mark) == "5:3");
  CHECK(place(root.find("plots")->mark) == "7:1");
  CHECK(root.find("plots")->items[1].text == "text\n");
  CHECK(root.find("plots")->items[1].quoted);
}

TEST_CASE("texts are kept as they are; only nothing is nothing") {
  const Node n = read("[on, yes, 010, 1e3, true, ~, null, 'null', \"\", 5 N*s/m, -x, \"~\"]");
  CHECK(n.items[0].text == "on");
  CHECK(n.items[2].text == "010");
  CHECK(n.items[4].text == "true");
  CHECK(n.items[5].kind == Node::Kind::null);
  CHECK(n.items[6].kind == Node::Kind::null);
  CHECK(n.items[7].is_scalar());
  CHECK(n.items[8].is_scalar());
  CHECK(n.items[8].quoted);
  CHECK(n.items[9].text == "5 N*s/m");
  CHECK(n.items[11].is_scalar());
  CHECK(read("a:\nb: 1").find("a")->kind == Node::Kind::null);
  CHECK(read("{a: , b: 1}").find("a")->kind == Node::Kind::null);
  CHECK(read("plain text").text == "plain text");
}

TEST_CASE("line endings, marks of the document, byte order mark") {
  const Node n = read("\xEF\xBB\xBF---\r\na: 1\r\nb:\r\n  c: 2\r\n...\r\n");
  CHECK(n.find("a")->text == "1");
  CHECK(place(n.find("b")->find("c")->mark) == "4:6");
  CHECK(place(read("\xEF\xBB\xBF"
                   "a: 1")
                  .mark) == "1:1");
}

TEST_CASE("one document, not an empty one") {
  CHECK(said("") == "E-SYNTAX 1:1 the file is empty");
  CHECK(said("# only this\n\n") == "E-SYNTAX 1:1 the file is empty");
  CHECK(said("---\n") == "E-SYNTAX 1:1 the file holds nothing");
  CHECK(hint("") == "start a model with the line `escapement: 1`");
  CHECK(said("a: 1\n---\nb: 2\n") == "E-SYNTAX 2:1 a second document begins here: one document per file");
}

TEST_CASE("repeated keys name the first place") {
  CHECK(said("a: 1\nb: 2\na: 3\n") == "E-DUPLICATE 3:1 `a` was given at line 1 already");
  CHECK(said("m:\n  x: {mass: 1, 'mass': 2}\n") == "E-DUPLICATE 2:16 `mass` was given at line 2 already");
  std::string many;
  for (int i = 0; i < 100; ++i) many += "k" + std::to_string(i) + ": 1\n";
  CHECK(said(many) == "none 0:0 ");
  CHECK(fault("\"a\\eb\": 1\n\"a\\eb\": 1\n").cause ==
        "`a…` was given at line 1 already");  // nothing for the terminal
  CHECK(said(many + "k7: 1\n") == "E-DUPLICATE 101:1 `k7` was given at line 8 already");
  CHECK(said(many + "k99: 1\n") == "E-DUPLICATE 101:1 `k99` was given at line 100 already");
}

TEST_CASE("anchors and aliases") {
  const Node n = read("a: &x {p: [1, 2]}\nb: *x\nc: [*x, &y 5, *y, &x 'new', *x]\n");
  CHECK(same_tree(*n.find("a"), *n.find("b")));
  CHECK(same_tree(*n.find("a"), n.find("c")->items[0]));
  CHECK(n.find("c")->items[2].text == "5");
  CHECK(n.find("c")->items[4].text == "new");
  CHECK(place(n.find("b")->find("p")->mark) == "1:11");  // where it was written
  const Node inner = read("a: [{b: &x [1]}, {c: [*x, &z {d: *x}]}, *z]\n");
  CHECK(inner.find("a")->items[2].find("d")->items[0].text == "1");

  CHECK(said("a: *x\n") == "E-SYNTAX 1:4 `*x` names no anchor above it");
  CHECK(said("a: &x [1, *x]\n") == "E-SYNTAX 1:11 `*x` stands within what it names");
  CHECK(said("&x a: 1\n") == "E-SYNTAX 1:1 an anchor (`&`) on a key");
  CHECK(said("a: &x 1\n*x : 2\n") == "E-SYNTAX 2:1 the alias `*x` cannot be a key");
}

TEST_CASE("what YAML has and a model has not") {
  CHECK(said("<<: {a: 1}\n") == "E-SYNTAX 1:1 merge keys (`<<`) are not supported");
  CHECK(hint("<<: {a: 1}\n") == "use parameters or a subsystem for what is shared");
  CHECK(said("'<<': 1\n") == "none 0:0 ");
  CHECK(said("a: !!int 5\n") == "E-SYNTAX 1:4 the tag `!!int` is not used here");
  CHECK(said("a: {b: !foo [1]}\n") == "E-SYNTAX 1:8 the tag `!foo` is not used here");
  CHECK(said("a: !foo!bar 1\n") == "E-SYNTAX 1:4 tags (`!…`) are not used here");
  CHECK(hint("a: !foo {}\n") == "remove it; a value is read by what its field needs");
  CHECK(said("? [a]\n: b\n") == "E-SYNTAX 1:3 a list cannot be a key");
  CHECK(said("{{a: 1}: b}\n") == "E-SYNTAX 1:2 a mapping cannot be a key");
  CHECK(said("~: 1\n") == "E-SYNTAX 1:1 `~` (nothing) cannot be a key");
  CHECK(hint("null: 1\n") == "quote it: \"null\"");
  CHECK(said(": 1\n") == "E-SYNTAX 1:1 a key is missing before the colon");
  CHECK(said("{: 1}\n") == "E-SYNTAX 1:2 a key is missing before the colon");
  CHECK(said("'': 1\n\"a b\": 2\n") == "none 0:0 ");
  CHECK(said("%TAG ! x\n---\na: 1\n").starts_with("E-SYNTAX 1:1 "));
}

TEST_CASE("expressions cut at a comma") {
  CHECK(said("m: {force: max(a, b)}") ==
        "E-SYNTAX 1:12 `max(a` ends at a comma: within brackets YAML splits there");
  CHECK(hint("m: {force: max(a, b)*2, c: 1}") == "quote this expression: \"max(a, b)*2\"");
  CHECK(hint("- [max(a, min(b, c)), 2]") == "quote this expression: \"max(a, min(b, c))\"");
  CHECK(said("[a, b)]") == "E-SYNTAX 1:5 `b)` has an unbalanced parenthesis");
  CHECK(said("m:\n  force: max(a, b)\n") == "none 0:0 ");
  CHECK(said("m: {force: \"max(a, b)\", c: (1 + 2)*k}") == "none 0:0 ");
}

TEST_CASE("colons") {
  const std::string glued = "no space after the colon of `mass`";
  CHECK(said("a: 1\nmass:1 kg\nb: 2\n") == "E-SYNTAX 2:1 " + glued);
  CHECK(said("m:\n  mass:1 kg\n  b: 2\n") == "E-SYNTAX 2:3 " + glued);
  CHECK(said("m:\n  mass:1 kg\n") == "E-SYNTAX 2:3 " + glued);
  CHECK(said("mass:1 kg\n") == "E-SYNTAX 1:1 " + glued);
  CHECK(said("m: {type: a, mass:1 kg}\n") == "E-SYNTAX 1:14 " + glued);
  CHECK(said("m: {mass:[a, b]}\n") == "E-SYNTAX 1:5 " + glued);
  CHECK(hint("mass:1 kg\n") == "put a space after the colon");
  CHECK(said("use: http://a.b/c\n{}").starts_with("E-SYNTAX 2:1"));
  CHECK(said("use: C:\\models\\a.yaml\nlist: [a:b, 12:30]\n") == "none 0:0 ");
  CHECK(said("{\"a\":1}") == "none 0:0 ");

  CHECK(said("title: a: b\n") == "E-SYNTAX 1:9 a second colon in the value of `title`");
  CHECK(hint("title: a: b\n") == "quote it: `title: \"a: b\"`");
  CHECK(hint("p:\n  - title: a: b\n") == "quote it: `title: \"a: b\"`");
  CHECK(said("m: {title: x: y}") == "E-SYNTAX 1:13 a second colon in one value");

  CHECK(said("a: 1\nfoo\nb: 2\n") == "E-SYNTAX 2:1 no colon after `foo`");
  CHECK(said("m:\n  mass\n  b: 2\n") == "E-SYNTAX 2:3 no colon after `mass`");
  CHECK(said("m: {mass 1 kg}") == "E-SYNTAX 1:5 no colon after `mass 1 kg`");
  CHECK(said("m: {a: 1, b}") == "E-SYNTAX 1:11 no colon after `b`");
  CHECK(hint("a: 1\nfoo\n") == "write `key: value`");
  CHECK(said(std::string(2000, 'k') + ": 1\n") == "E-SYNTAX 1:1 a key of more than 1000 characters");
  CHECK(said("a: 1\n" + std::string(2000, 'k') + ": 1\n") ==
        "E-SYNTAX 2:1 a key of more than 1000 characters");
}

TEST_CASE("indentation") {
  CHECK(said("a: 1\n  b: 2\n") == "E-SYNTAX 2:3 `b` is indented under `a`, which has a value already");
  CHECK(hint("a: 1\n  b: 2\n") == "start it in column 1");
  CHECK(said("a: [1]\n  b: 2\n") == "E-SYNTAX 2:3 `b` is indented under `a`, which has a value already");
  CHECK(said("a:\n    b: 1\n  c: 2\n") == "E-SYNTAX 3:3 the indentation of `c: 2` fits no line above it");
  CHECK(hint("a:\n    b: 1\n  c: 2\n") == "start it in column 1 or 5");
  CHECK(said("  a: 1\nb: 2\n") == "E-SYNTAX 2:1 `b: 2` is indented less than the first line");
  CHECK(said("a: 1\n- b\n") == "E-SYNTAX 2:1 a list entry `-` among the keys of a mapping");
  CHECK(said("- a\nb: 1\n") == "E-SYNTAX 2:1 `b: 1` stands among list entries");
  CHECK(said("a: - b\n") == "E-SYNTAX 1:4 a list entry `-` cannot begin here");
  CHECK(said("a:\n\tb: 1\n") == "E-SYNTAX 2:1 a tab in the indentation");
  CHECK(said("a:\n  b: 1\n  \tc: 2\n") == "E-SYNTAX 3:3 a tab in the indentation");
  CHECK(said("a: 1\n\tb: 2\n") == "E-SYNTAX 2:1 a tab in the indentation");
  CHECK(hint("a:\n\tb: 1\n") == "indent with spaces");
  CHECK(said("a:\t1\n\nb: {\n\tc: 1\n}\t# tabs elsewhere do no harm\n") == "none 0:0 ");
  CHECK(said("a:\n\u00A0 b: 1\n  c: 1\n") == "E-SYNTAX 2:1 a non-breaking space");
  CHECK(said("a: 1\n\u00A0b: 1\n") == "E-SYNTAX 2:1 a non-breaking space");
  CHECK(said("a: 1\n\u00A0b\n") == "E-SYNTAX 2:1 a non-breaking space in the indentation");
}

TEST_CASE("quotes and brackets") {
  CHECK(said("a: 1\nb: \"foo\nc: 1\n") == "E-SYNTAX 2:4 the quote that begins here is not closed");
  CHECK(hint("b: 'foo\n") == "close it with '");
  CHECK(said("b: \"foo\nc: \"bar\"\n") == "E-SYNTAX 1:4 the quote that begins here goes on to line 2");
  CHECK(said("a: \"b\" c\n") == "E-SYNTAX 1:8 `c` follows a value that ended already");
  CHECK(hint("a: \"b\" c\n") == "put the whole text in one pair of quotes");
  CHECK(said("a: [1] + 2\n") == "E-SYNTAX 1:8 `+ 2` follows a value that ended already");
  CHECK(said("a: \"\\p\"\n") == "E-SYNTAX 1:5 `\\p` is no escape of double quotes");
  CHECK(said("a: \"\\uD800\"\n").starts_with("E-SYNTAX 1:"));

  CHECK(said("a: {b: 1\n") == "E-SYNTAX 1:4 the `{` that begins here is not closed");
  CHECK(hint("a: [b, 1\n") == "close it with `]`");
  CHECK(said("a: {b: 1, c: 2\nd: 3\n") == "E-SYNTAX 1:4 the `{` that begins here is not closed");
  CHECK(said("a: {b: 1\n    c: 2}\n") == "E-SYNTAX 2:5 no `,` before this line, within the `{` of line 1");
  CHECK(said("a: {b: [1, 2}\n") == "E-SYNTAX 1:13 the `[` of line 1 is closed with `}`");
  CHECK(said("a: {b: 1}}\n") == "E-SYNTAX 1:10 `}` closes nothing");
  CHECK(said("a: {b: link[1]}\n") == "E-SYNTAX 1:12 expected `,` or `}` before `[1]}`");
  CHECK(said("a: [1, , 2]\n") == "E-SYNTAX 1:8 a value is missing before `, 2]`");
}

TEST_CASE("characters that mean something to YAML") {
  CHECK(said("a: %x\n") == "E-SYNTAX 1:4 a value cannot start with `%`");
  CHECK(said("a: @x\n") == "E-SYNTAX 1:4 a value cannot start with `@`");
  CHECK(said("a: `x`\n") == "E-SYNTAX 1:4 a value cannot start with a backtick");
  CHECK(hint("a: @x\n") == "quote it");
  CHECK(said("%x\n") == "E-SYNTAX 1:1 a line that starts with `%` is a directive of YAML");
  CHECK(said("a: *\n") == "E-SYNTAX 1:4 `*` begins an alias of YAML");
  CHECK(said("a: & b\n") == "E-SYNTAX 1:4 `&` begins an anchor of YAML");
  CHECK(said("a: >5\n") == "E-SYNTAX 1:4 a text over several lines is announced, but none follows");
  CHECK(said("a: > b\n") == "E-SYNTAX 1:4 `>` begins a text over several lines");
  CHECK(said("[a, -]\n") == "E-SYNTAX 1:5 a `-` alone is no value");
  CHECK(said("a: ? b\n") == "E-SYNTAX 1:4 a `?` cannot begin a value");
  CHECK(said("a: 5\u00A0m\n") == "E-SYNTAX 1:5 a non-breaking space");
  CHECK(hint("a: 5\u00A0m\n") == "type a plain ` `, or quote the text");
  CHECK(said("a: {b: x\u2009y}\n") == "E-SYNTAX 1:9 a space that is not ASCII");
  CHECK(said("a: \u22125 m\n") == "E-SYNTAX 1:4 a minus sign that is not ASCII");
  CHECK(hint("a: \u22125 m\n") == "type a plain `-`, or quote the text");
  CHECK(said("a: \u201Cx\u201D\n") == "E-SYNTAX 1:4 a typographic quote");
  CHECK(said("a: \"5\u00A0m \u2212 \u201C\"\nb: Brüls\u2019 method – \u201Cgood\u201D\n") == "none 0:0 ");
}

TEST_CASE("encoding") {
  using namespace std::string_literals;
  CHECK(said("a: 1\nbä: \xFF\n") == "E-ENCODING 2:5 the byte 0xFF is not UTF-8");
  CHECK(said("a: \xC3") == "E-ENCODING 1:4 the byte 0xC3 is not UTF-8");
  CHECK(said("a: \xC0\x80") == "E-ENCODING 1:4 the byte 0xC0 is not UTF-8");      // overlong
  CHECK(said("a: \xED\xA0\x80") == "E-ENCODING 1:4 the byte 0xED is not UTF-8");  // surrogate
  CHECK(said("\xFF\xFE"
             "a\0:\0"s) == "E-ENCODING 1:1 the text is UTF-16");
  CHECK(said("\xFE\xFF\0a\0:"s) == "E-ENCODING 1:1 the text is UTF-16");
  CHECK(said("a\0:\0"s) == "E-ENCODING 1:2 a NUL byte (U+0000)");
  CHECK(said("a: 1\r\nb: \x07\n") == "E-ENCODING 2:4 a control character (U+0007)");
  CHECK(said("a: \u0085\n") == "E-ENCODING 1:4 a control character (U+0085)");
  CHECK(said("a: \u2028\n") == "E-ENCODING 1:4 a Unicode line separator (U+2028)");
  CHECK(said("a: \uFEFF\n") == "E-ENCODING 1:4 a byte order mark inside the text (U+FEFF)");
  CHECK(hint("a: \xFF") == "save the file as UTF-8");
  CHECK(read("a: \"\\0\\x07\\u2028\"").find("a")->text == "\0\x07\u2028"s);
}

TEST_CASE("limits") {
  const auto begin = std::chrono::steady_clock::now();
  YamlLimits small;
  small.bytes = 10;
  CHECK(said("a: 1234567\n", small) == "E-LIMIT 1:1 the text is larger than 10 bytes");
  const std::string deep = "nested more than 100 deep";
  CHECK(said(repeated("[", 100) + repeated("]", 100)) == "none 0:0 ");
  CHECK(said(repeated("[", 10000)) == "E-LIMIT 1:101 " + deep);
  CHECK(said(repeated("{a: ", 10000)) == "E-LIMIT 1:401 " + deep);
  CHECK(said(repeated("- ", 10000) + "a") == "E-LIMIT 1:201 " + deep);
  std::string block;
  for (int i = 0; i < 1000; ++i) block += std::string(i, ' ') + "a:\n";
  CHECK(said(block) == "E-LIMIT 101:101 " + deep);

  std::string laughs = "a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha, ha]\n";
  for (int i = 1; i < 20; ++i) {
    const std::string alias = "*a" + std::to_string(i - 1);
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + repeated(alias + ", ", 9) +
              alias + "]\n";
  }
  CHECK(said(laughs).starts_with("E-LIMIT 6:"));
  CHECK(fault(laughs).cause == "aliases make more than 200000 values");
  const std::string chapter =
      "a: &a " + std::string(1'000'000, 'x') + "\nb: [" + repeated("*a, ", 100) + "]\n";
  CHECK(fault(chapter).cause == "aliases make more than 67108864 bytes");
  std::string tower = "a0: &a0 [1]\n";
  for (int i = 1; i < 200; ++i)
    tower += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  CHECK(said(tower) == "E-LIMIT 100:12 " + deep);

  small = {};
  small.nodes = 10;
  CHECK(said("[1, 2, 3, 4, 5, 6, 7, 8, 9]", small) == "none 0:0 ");
  CHECK(said("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]", small) == "E-LIMIT 1:29 more than 10 values");
  small.anchors = 1;
  CHECK(said("[&a 1, &a 2]", small) == "none 0:0 ");
  CHECK(said("[&a 1, &b 2]", small) == "E-LIMIT 1:8 more than 1 anchors");
  CHECK(std::chrono::steady_clock::now() - begin <
        std::chrono::seconds(5));  // all of them, sanitizers included
}

TEST_CASE("files") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("yaml_test_" + std::to_string(std::random_device{}()));
  fs::create_directories(folder);
  Sources sources;
  const auto said_of = [&](const fs::path& path) {
    try {
      read_yaml_file(path, "shown.yaml", sources);
    } catch (const ModelError& e) {
      return e.code + " " + e.place.text() + " " + e.cause + " | " + e.hint;
    }
    return std::string("none");
  };
  std::ofstream(folder / "model.yaml") << "a: 1\nb: [2\n";
  std::ofstream(folder / "good.yaml") << "a: 1\n";
  std::ofstream(folder / "large.yaml") << "a: 1\n";
  fs::resize_file(folder / "large.yaml", std::uintmax_t{1} << 30);  // a hole: nothing is written
  CHECK(::mkfifo((folder / "pipe").c_str(), 0600) == 0);

  CHECK(said_of(folder / "model.yaml") ==
        "E-SYNTAX shown.yaml:2:4 the `[` that begins here is not closed | close it with `]`");
  CHECK(said_of(folder / "modle.yaml") ==
        "E-FILE shown.yaml cannot be read: No such file or directory | did you mean model.yaml?");
  CHECK(said_of(folder / "other" / "x.yaml") ==
        "E-FILE shown.yaml cannot be read: No such file or directory | check the name and the folder");
  CHECK(said_of(folder).starts_with("E-FILE shown.yaml cannot be read: it is a directory"));
  CHECK(said_of(folder / "pipe").starts_with("E-FILE shown.yaml cannot be read: it is not a regular file"));
  CHECK(said_of("/dev/zero").starts_with("E-FILE shown.yaml cannot be read: it is not a regular file"));
  CHECK(said_of(folder / "large.yaml")
            .starts_with("E-LIMIT shown.yaml the file is larger than 67108864 bytes"));
  CHECK(read_yaml_file(folder / "good.yaml", "good.yaml", sources).mark.place().text() == "good.yaml:1:1");
  fs::remove_all(folder);
}

TEST_CASE("written models look like models") {
  const Node n = Fields{
      {"escapement", 1},
      {"title", "a: b"},
      {"parameters", Fields{{"m", "1 kg"}}},
      {"components",
       Fields{{"mass", Fields{{"type", "translational.mass"}, {"initial", Fields{{"position", "5 m"}}}}},
              {"spring", Fields{{"between", List{"ground", "mass"}}, {"force", "max(a, b)"}}}}},
      {"plots", List{Fields{{"title", "Position"}, {"y", "mass.position"}}, Fields{{"y", List{"a", "b"}}}}},
      {"empty", Fields{}},
      {"nodes", List{"a", "b"}},
      {"nothing", Node{}}};
  CHECK(write_yaml(n) ==
        "escapement: 1\n"
        "title: \"a: b\"\n"
        "parameters:\n"
        "  m: 1 kg\n"
        "components:\n"
        "  mass: {type: translational.mass, initial: {position: 5 m}}\n"
        "  spring:\n"
        "    between: [ground, mass]\n"
        "    force: max(a, b)\n"
        "plots:\n"
        "  - {title: Position, y: mass.position}\n"
        "  - {y: [a, b]}\n"
        "empty: {}\n"
        "nodes: [a, b]\n"
        "nothing: ~\n");
  Node row = List{};
  for (int i = 0; i < 60; ++i) row.items.push_back(i);
  const std::string text = write_yaml(Fields{{"a", Fields{{"b", Fields{{"c", row}, {"d", List{1, 2}}}}}}});
  CHECK(text.starts_with("a:\n  b:\n    c:\n      - 0\n      - 1\n"));
  CHECK(text.ends_with("      - 59\n    d: [1, 2]\n"));
  CHECK_THROWS_AS(write_yaml(Node("\xFF")), ModelError);
  CHECK(survives(Fields{{std::string(2000, 'k'), "a:b"}, {"l", Fields{{"a:b", List{"a:b"}}}}}));
  CHECK(survives(read("a: one\n\n  two\nb:\n- three\n\n\n  four - five\n")));
}

TEST_CASE("every tree survives writing and reading") {
  std::mt19937 random(7);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const std::vector<std::string> pieces = {
      "a",   "mass", " ", "  ", ":",  ": ",   " #",     "#",          "-",      "- ",     "?",  "? ",   ",",
      "[",   "]",    "{", "}",  "&",  "*",    "!",      "|",          ">",      "'",      "\"", "%",    "@",
      "`",   "(",    ")", "~",  "\n", "\t",   "\r\n",   "\\",         "\u00A0", "\u2212", "µ",  "null", "---",
      "...", "<<",   "=", "1",  ".5", "\x01", "\u201C", "\U0001F600", "\u2028", "\uFFFE"};
  const auto text = [&] {
    std::string result;
    for (int i = below(6); i > 0; --i)
      result += pieces[static_cast<std::size_t>(below(static_cast<int>(pieces.size())))];
    return below(200) == 0 ? result + std::string(1500, 'x') : result;
  };
  const auto tree = [&](const auto& self, int depth) -> Node {
    const int kind = below(depth > 5 ? 4 : 8);
    Node node;
    if (kind == 0) return node;
    if (kind < 4) {
      node = Node(text());
      node.quoted = below(2) == 0;
    } else {
      node.kind = kind < 6 ? Node::Kind::sequence : Node::Kind::mapping;
      for (int i = below(5); i > 0; --i) {
        if (node.is_sequence()) {
          node.items.push_back(self(self, depth + 1));
        } else if (const std::string key = text(); !node.find(key)) {
          node.entries.push_back({key, {}, self(self, depth + 1)});
        }
      }
    }
    return node;
  };
  for (int i = 0; i < 20000; ++i) {
    const Node once = tree(tree, 0);
    const std::string written = write_yaml(once);
    CAPTURE(written);
    Node twice;
    REQUIRE_NOTHROW(twice = read(written));
    // Text that cannot stand without quotes has got them; otherwise nothing has changed.
    const auto alike = [](const auto& self, const Node& a, const Node& b) -> bool {
      bool same = a.kind == b.kind && a.text == b.text && (b.quoted || !a.quoted) &&
                  a.items.size() == b.items.size() && a.entries.size() == b.entries.size();
      for (std::size_t k = 0; same && k < a.items.size(); ++k) same = self(self, a.items[k], b.items[k]);
      for (std::size_t k = 0; same && k < a.entries.size(); ++k)
        same = a.entries[k].key == b.entries[k].key && self(self, a.entries[k].value, b.entries[k].value);
      return same;
    };
    REQUIRE(alike(alike, once, twice));
    REQUIRE(survives(twice));  // and what was read keeps its quotes exactly
  }
}
