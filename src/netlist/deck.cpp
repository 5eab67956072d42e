#include "netlist/deck.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/diagnostics.hpp"
#include "model/units.hpp"

namespace escapement::netlist {
namespace {

constexpr std::size_t most_lines = 2'000'000, most_cards = 1'000'000, most_files = 1000;
constexpr std::size_t deepest_include = 20, deepest_nesting = 50;

constexpr std::string_view skipped[] = {".tran", ".op",      ".print",   ".plot",   ".probe", ".save",
                                        ".meas", ".measure", ".options", ".option", ".opt",   ".nodeset"};

/// What the letters of elements stand for that are not read.
const char* foreign_element(char letter) {
  switch (letter) {
    case 'a':
      return "code models (A)";
    case 'j':
      return "junction field-effect transistors (J)";
    case 'n':
      return "Verilog-A devices (N)";
    case 'o':
    case 't':
    case 'u':
    case 'y':
    case 'p':
      return "transmission lines (O, P, T, U, Y)";
    case 'z':
      return "MESFETs (Z)";
    default:
      return nullptr;
  }
}

class DeckReader {
 public:
  DeckReader(const SubsystemOptions& options, Deck& deck) : options_(options), deck_(deck) {}

  void run(const SubsystemText& file) {
    deck_.limits = options_.limits;
    check_size(file, {file.name, 1, 1});
    Lines lines = split(file, true, options_.where, most_lines);
    deck_.title = lines.title;
    deck_.title_mark = lines.title_mark;
    open_ = {&deck_.top};
    deck_.top.name.card = nullptr;
    take(std::move(lines.cards), file, "");
    if (open_.size() > 1)
      throw fault("E-SYNTAX", open_.back()->name.mark(), where(),
                  fmt::format("the subcircuit `{}` has no end", open_.back()->name.text), "add .ends");
    diagnostics_.stop();
  }

 private:
  const std::string& where() const { return options_.where; }
  Definition& current() { return *open_.back(); }

  void check_size(const SubsystemText& file, const Mark& mark) {
    bytes_ += file.text.size();
    if (bytes_ > options_.limits.bytes)
      throw fault("E-LIMIT", mark, where(),
                  fmt::format("the netlist is larger than {} bytes", options_.limits.bytes),
                  "split it into subsystems");
  }

  /// The cards of one file; of a library only a section, if one is named.
  void take(std::vector<Card> cards, const SubsystemText& file, const std::string& section) {
    if (std::find(chain_.begin(), chain_.end(), file.path) != chain_.end() && !chain_.empty())
      throw fault("E-CYCLE", include_mark_, where(), "files include each other in a circle");
    if (chain_.size() >= deepest_include)
      throw fault("E-LIMIT", include_mark_, where(), "files are included too deeply");
    chain_.push_back(file.path);
    const std::size_t depth = open_.size();
    bool in_section = section.empty(), found = in_section;
    for (Card& raw : cards) {
      if (deck_.cards.size() >= most_cards)
        throw fault("E-LIMIT", raw.mark(), where(),
                    fmt::format("the netlist has more than {} cards", most_cards));
      deck_.cards.push_back(std::move(raw));
      const Card& card = deck_.cards.back();
      diagnostics_.collect([&] {
        const std::vector<Word> list = words(card, where(), options_.limits.nodes - deck_.word_count);
        deck_.word_count = std::min(deck_.word_count + list.size(), options_.limits.nodes);
        if (list.empty()) return;
        if (!section.empty() && list[0].is(".lib") && list.size() == 2) {
          in_section = list[1].text == section;
          found = found || in_section;
        } else if (!section.empty() && list[0].is(".endl")) {
          in_section = false;
        } else if (in_section) {
          sort(card, list, file);
        }
      });
    }
    chain_.pop_back();
    if (!found)
      throw fault("E-REFERENCE", include_mark_, where(),
                  fmt::format("the library has no section `{}`", section));
    if (open_.size() != depth && chain_.size() > 0)
      throw fault("E-SYNTAX", include_mark_, where(),
                  "a subcircuit begins in the included file and does not end there", "add .ends");
  }

  void sort(const Card& card, const std::vector<Word>& list, const SubsystemText& file) {
    const std::string& first = list[0].text;
    if (list[0].kind != Word::Kind::word)
      throw fault("E-SYNTAX", list[0].mark(), where(),
                  fmt::format("a card begins with a name, not with {}", card.shown()));
    if (first[0] != '.') device(card, list);
    else if (first == ".subckt" || first == ".macro") begin(list);
    else if (first == ".ends" || first == ".eom") end(list);
    else if (first == ".model") model(list);
    else if (first == ".param" || first == ".params" || first == ".parameter") parameters(card, list);
    else if (first == ".include" || first == ".inc" || first == ".incl" || first == ".lib")
      include(card, list, file);
    else if (first == ".global") globals(list);
    else if (first == ".ic") initial(card, list);
    else if (first == ".temp") temperature(list);
    else if (first == ".title") deck_.title = card.text.substr(std::min<std::size_t>(card.text.size(), 7));
    else if (std::find(std::begin(skipped), std::end(skipped), first) != std::end(skipped)) analysis(list);
    else
      throw fault("E-UNSUPPORTED", card.mark(), where(),
                  fmt::format("the card {} is not supported", card.shown()),
                  first == ".ac" || first == ".dc" || first == ".noise" || first == ".tf" || first == ".step"
                      ? "remove it: what is done with the circuit stands in the model"
                      : "docs/netlists.md says which cards are read");
  }

  // ---- devices, models, parameters

  void device(const Card& card, const std::vector<Word>& list) {
    const char letter = list[0].text[0];
    if (std::string_view("rclkviegfhbdqmswx").find(letter) == std::string_view::npos) {
      const char* const foreign = foreign_element(letter);
      throw fault(foreign ? "E-UNSUPPORTED" : "E-SYNTAX", card.mark(), where(),
                  foreign ? fmt::format("{} are not supported: {}", foreign, card.shown())
                          : fmt::format("there is no element with this first letter: {}", card.shown()),
                  foreign ? "docs/netlists.md says which elements are read"
                          : "a comment begins with `*`, a line that goes on with `+`");
    }
    Definition& in = current();
    Device d{letter, identifier(list[0].text), list[0], {list.begin() + 1, list.end()}};
    if (d.name.text.size() < 2)
      throw fault("E-NAME", card.mark(), where(), fmt::format("the element `{}` has no name", d.name.text),
                  "the letter and a name, as in R1");
    if (d.id == "pi" || d.id == "ground") d.id += "_";
    if (const auto known = in.device_names.find(d.name.text); known != in.device_names.end())
      throw fault("E-DUPLICATE", card.mark(), where(),
                  fmt::format("`{}` was given at line {} already", d.name.text,
                              in.devices[known->second].name.mark().line),
                  "remove or rename one of the two");
    if (const auto other = in.device_ids.find(d.id); other != in.device_ids.end())
      throw fault(
          "E-NAME", card.mark(), where(),
          fmt::format("`{}` and `{}` (line {}) would both be called `{}`", d.name.text,
                      in.devices[other->second].name.text, in.devices[other->second].name.mark().line, d.id),
          "rename one of the two");
    in.device_names.emplace(d.name.text, in.devices.size());
    in.device_ids.emplace(d.id, in.devices.size());
    in.devices.push_back(std::move(d));
  }

  void model(const std::vector<Word>& list) {
    if (list.size() < 3 || !list[1].is_word() || !list[2].is_word())
      throw fault("E-MISSING", list.back().mark(), where(), "a model needs a name and a type",
                  ".model NAME TYPE(PARAMETER=VALUE …)");
    DeviceModel m{list[1], list[2], assignments(list, 3, where())};
    std::set<std::string> seen;
    for (const Assignment& a : m.parameters)
      if (!seen.insert(a.name.text).second)
        throw fault("E-DUPLICATE", a.name.mark(), where(),
                    fmt::format("`{}` is given twice in this model", a.name.text), "remove one of the two");
    const auto [known, added] = current().models.emplace(m.name.text, m);
    if (!added)
      throw fault("E-DUPLICATE", m.name.mark(), where(),
                  fmt::format("the model `{}` was given at line {} already", m.name.text,
                              known->second.name.mark().line),
                  "remove or rename one of the two");
  }

  void define(const Assignment& a, bool argument) {
    const std::string& name = a.name.text;
    if (name == "time" || name == "temper" || name == "hertz" || name == "pi" || name == "e")
      throw fault("E-NAME", a.name.mark(), where(), fmt::format("`{}` is reserved", name), "another name");
    const auto [known, added] = current().parameters.emplace(name, a);
    if (!added)
      throw fault("E-DUPLICATE", a.name.mark(), where(),
                  fmt::format("the parameter `{}` was given at line {} already", name,
                              known->second.name.mark().line),
                  "remove one of the two");
    current().parameter_order.push_back(name);
    if (argument) current().arguments.insert(name);
  }

  /// `.param a=1 b = {2*a} c=a+b`: a value goes on to the next `name =`.
  void parameters(const Card& card, const std::vector<Word>& list) {
    if (list.size() < 2)
      throw fault("E-MISSING", list[0].mark(), where(), "a parameter is missing", ".param NAME=VALUE");
    std::vector<std::size_t> names;  // the words before an equals sign, outside of parentheses
    int level = 0;
    for (std::size_t i = 1; i < list.size(); ++i) {
      level += list[i].kind == Word::Kind::open ? 1 : list[i].kind == Word::Kind::close ? -1 : 0;
      const bool doubled = i + 2 < list.size() && list[i + 2].kind == Word::Kind::equals &&
                           list[i + 2].at == list[i + 1].at + 1;
      const bool compares =
          i + 1 < list.size() && list[i + 1].at > 0 &&
          std::string_view("<>!=").find(card.text[list[i + 1].at - 1]) != std::string_view::npos;
      if (level <= 0 && list[i].is_word() && i + 1 < list.size() && list[i + 1].kind == Word::Kind::equals &&
          !doubled && !compares)
        names.push_back(i);
    }
    if (names.empty() || names[0] != 1)
      throw fault("E-SYNTAX", list[1].mark(), where(), fmt::format("expected name=value in {}", card.shown()),
                  "functions of your own are not supported; .param NAME=VALUE");
    for (std::size_t k = 0; k < names.size(); ++k) {
      const std::size_t first = names[k] + 2, last = k + 1 < names.size() ? names[k + 1] : list.size();
      const Word& name = list[names[k]];
      if (first == last)
        throw fault("E-MISSING", name.mark(), where(),
                    fmt::format("the parameter `{}` has no value", name.text));
      Word value = list[first];
      if (last - first > 1 || value.kind != Word::Kind::expression) {
        const std::size_t begin = value.at - (value.kind == Word::Kind::expression ? 1 : 0);
        const std::size_t end = last < list.size() ? list[last].at : card.text.size();
        value = {Word::Kind::expression, lower(std::string_view(card.text).substr(begin, end - begin)), begin,
                 &card};
        while (!value.text.empty() &&
               (value.text.back() == ' ' || value.text.back() == '\t' || value.text.back() == ','))
          value.text.pop_back();
        for (char& c : value.text)  // {…} within a longer expression
          if (c == '{' || c == '}') c = c == '{' ? '(' : ')';
      }
      check_parameter_name(name);
      define({name, value}, false);
    }
  }

  void check_parameter_name(const Word& name) {
    const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
    if (!std::all_of(name.text.begin(), name.text.end(), fits) ||
        (name.text[0] >= '0' && name.text[0] <= '9'))
      throw fault("E-NAME", name.mark(), where(), fmt::format("`{}` is not a name", name.text),
                  "letters, digits and _, a letter first");
  }

  // ---- subcircuits and files

  void begin(const std::vector<Word>& list) {
    if (list.size() < 2 || !list[1].is_word())
      throw fault("E-MISSING", list[0].mark(), where(), "the subcircuit has no name", ".subckt NAME NODES …");
    if (open_.size() > deepest_nesting)
      throw fault("E-LIMIT", list[0].mark(), where(), "subcircuits are nested too deeply");
    auto made = std::make_unique<Definition>();
    made->name = list[1];
    made->parent = &current();
    std::size_t i = 2;
    const auto ends = [&] {
      return list[i].is("params:") || list[i].is("params") || list[i].is("param:") ||
             (i + 1 < list.size() && list[i + 1].kind == Word::Kind::equals);
    };
    std::optional<ModelError> wrong;
    for (; i < list.size() && !ends(); ++i) {
      if (list[i].kind == Word::Kind::open || list[i].kind == Word::Kind::close) continue;
      if (!list[i].is_word())
        wrong = fault("E-SYNTAX", list[i].mark(), where(), "a node is a word",
                      ".subckt NAME NODES … PARAMS: A=1");
      else if (is_ground(list[i].text))
        wrong =
            fault("E-NAME", list[i].mark(), where(),
                  fmt::format("`{}` is ground everywhere and cannot be a node of a subcircuit", list[i].text),
                  "another name, such as com");
      else if (std::any_of(made->ports.begin(), made->ports.end(),
                           [&](const Word& w) { return w.text == list[i].text; }))
        wrong =
            fault("E-DUPLICATE", list[i].mark(), where(),
                  fmt::format("the node `{}` stands twice in this subcircuit", list[i].text), "rename one");
      made->ports.push_back(list[i]);
      if (made->ports.size() > 1000)
        throw fault("E-LIMIT", list[i].mark(), where(), "more than 1000 nodes of a subcircuit");
    }
    Definition* const inner = made.get();
    const auto [known, added] = current().subcircuits.emplace(list[1].text, std::move(made));
    if (!added) {
      wrong = fault("E-DUPLICATE", list[1].mark(), where(),
                    fmt::format("the subcircuit `{}` was given at line {} already", list[1].text,
                                known->second->name.mark().line),
                    "remove or rename one of the two");
      spare_.push_back(std::make_unique<Definition>());  // its cards go nowhere
      spare_.back()->name = list[1];
      spare_.back()->parent = &current();
      open_.push_back(spare_.back().get());
    } else {
      open_.push_back(inner);
    }
    if (wrong) throw *wrong;
    for (const Assignment& a : assignments(list, i, where())) {
      check_parameter_name(a.name);
      define(a, true);
    }
  }

  void end(const std::vector<Word>& list) {
    if (open_.size() == 1)
      throw fault("E-SYNTAX", list[0].mark(), where(), ".ends without its .subckt", "remove one of the two");
    const std::string name = current().name.text;
    const Mark begun = current().name.mark();
    open_.pop_back();
    if (list.size() > 1 && list[1].text != name)
      throw fault("E-SYNTAX", list[1].mark(), where(),
                  fmt::format("the subcircuit that ends here is `{}` of line {}, not `{}`", name, begun.line,
                              list[1].text),
                  ".ends " + name);
  }

  void include(const Card& card, const std::vector<Word>& list, const SubsystemText& from) {
    if (list.size() < 2)
      throw fault("E-MISSING", list[0].mark(), where(), "the name of a file is missing", ".include \"FILE\"");
    // The name as it is written: in quotes, or up to the next blank.
    std::size_t begin = list[0].text.size();
    while (begin < card.text.size() && (card.text[begin] == ' ' || card.text[begin] == '\t')) ++begin;
    const bool quoted = card.text[begin] == '"' || card.text[begin] == '\'';
    const std::size_t end =
        std::min(quoted ? card.text.find(card.text[begin], begin + 1) : card.text.find_first_of(" \t", begin),
                 card.text.size());
    Node name(card.text.substr(begin + quoted, end - begin - quoted));
    name.mark = card.mark(begin);
    const std::string rest = lower(card.text.substr(std::min(end + quoted, card.text.size())));
    std::string section;
    for (const char c : rest)
      if (c != ' ' && c != '\t') section += c;
    if (!section.empty() && list[0].text != ".lib")
      throw fault("E-SYNTAX", card.mark(end), where(),
                  fmt::format("unexpected `{}` after the name of the file", section),
                  "quote a name with blanks");
    if (!options_.include)
      throw fault("E-UNSUPPORTED", name.mark, where(),
                  fmt::format("`{}`: files are not included here", name.text));
    if (++files_ > most_files)
      throw fault("E-LIMIT", name.mark, where(), fmt::format("more than {} files are included", most_files));
    const SubsystemText file = options_.include(name, from.path);
    check_size(file, name.mark);
    include_mark_ = name.mark;
    Lines lines = split(file, false, where(), most_lines);
    take(std::move(lines.cards), file, section);
  }

  // ---- the rest

  void globals(const std::vector<Word>& list) {
    if (list.size() < 2)
      throw fault("E-MISSING", list[0].mark(), where(), "a node is missing", ".global NODES");
    for (std::size_t i = 1; i < list.size(); ++i) deck_.global_nodes.insert(list[i].text);
  }

  void initial(const Card& card, const std::vector<Word>& list) {
    if (list.size() < 2)
      throw fault("E-MISSING", list[0].mark(), where(), "a voltage is missing", ".ic v(NODE)=VALUE");
    current().initial.push_back(&card);
  }

  void temperature(const std::vector<Word>& list) {
    if (list.size() < 2)
      throw fault("E-MISSING", list[0].mark(), where(), "the temperature is missing", ".temp 27");
    if (list.size() > 2)
      throw fault("E-UNSUPPORTED", list[2].mark(), where(), "several temperatures mean several runs",
                  "give one, or a parameter: .temp {temperature}");
    deck_.temperature = list[1];
  }

  void analysis(const std::vector<Word>& list) {
    if (list[0].is(".tran"))
      deck_.uic =
          deck_.uic || std::any_of(list.begin(), list.end(), [](const Word& w) { return w.is("uic"); });
    if (!list[0].text.starts_with(".opt")) return;
    for (std::size_t i = 1; i + 2 < list.size(); ++i) {
      if (list[i + 1].kind != Word::Kind::equals) continue;
      if (list[i].is("temp")) deck_.temperature = list[i + 2];
      for (const char* name : {"scale", "defl", "defw", "defad", "defas"})
        if (list[i].is(name))
          throw fault("E-UNSUPPORTED", list[i].mark(), where(),
                      fmt::format("the option `{}` of netlists is not supported", name),
                      "give L, W, AD and AS to the devices");
      double number = 0;
      if (list[i].is("tnom") && (read_number(list[i + 2].text, number) != NumberFault::none || number != 27))
        throw fault("E-UNSUPPORTED", list[i + 2].mark(), where(),
                    "models measured at another temperature than 27 °C are not supported");
    }
  }

  const SubsystemOptions& options_;
  Deck& deck_;
  Diagnostics diagnostics_;
  std::vector<Definition*> open_;  // subcircuits being read, the netlist itself first
  std::vector<std::unique_ptr<Definition>> spare_;
  std::vector<std::string> chain_;  // of files
  Mark include_mark_;
  std::size_t files_ = 0, bytes_ = 0;
};

}  // namespace

std::vector<Assignment> assignments(const std::vector<Word>& words, std::size_t first,
                                    const std::string& where) {
  std::vector<Assignment> list;
  for (std::size_t i = first; i < words.size();) {
    const Word& w = words[i];
    if (w.kind == Word::Kind::open || w.kind == Word::Kind::close || w.is("params:") || w.is("param:") ||
        (w.is("params") && i == first)) {
      ++i;
      continue;
    }
    if (!w.is_word() || i + 1 >= words.size() || words[i + 1].kind != Word::Kind::equals)
      throw fault("E-SYNTAX", w.mark(), where, fmt::format("expected name=value, found `{}`", w.text),
                  "NAME=VALUE, or NAME={EXPRESSION}");
    if (i + 2 >= words.size() || !words[i + 2].is_value())
      throw fault("E-MISSING", w.mark(), where, fmt::format("`{}` has no value", w.text),
                  "NAME=VALUE, or NAME={EXPRESSION}");
    list.push_back({w, words[i + 2]});
    i += 3;
  }
  return list;
}

void read_deck(const SubsystemText& file, const SubsystemOptions& options, Deck& deck) {
  DeckReader(options, deck).run(file);
}

}  // namespace escapement::netlist
