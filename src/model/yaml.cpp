#include "model/yaml.hpp"

#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <new>
#include <optional>
#include <unordered_set>

#include "model/text_file.hpp"
#include "model/yaml_complaint.hpp"

namespace escapement {
namespace {

using namespace yaml;

// ---------------------------------------------------------------- events to a tree

/// One event of libyaml, deleted with it.
struct Event : yaml_event_t {
  Event() : yaml_event_t{} {}
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { yaml_event_delete(this); }
};

std::string_view view(const yaml_char_t* text) {
  return text ? reinterpret_cast<const char*>(text) : std::string_view();
}

class TreeBuilder {
 public:
  TreeBuilder(Source& source, const YamlLimits& limits) : source_(source), limits_(limits) {
    if (!yaml_parser_initialize(&parser_)) throw std::bad_alloc();
    const std::string_view text = source.text();
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  TreeBuilder(const TreeBuilder&) = delete;
  TreeBuilder& operator=(const TreeBuilder&) = delete;
  ~TreeBuilder() { yaml_parser_delete(&parser_); }

  Node run() {
    for (bool ended = false; !ended;) {
      Event event;
      if (!yaml_parser_parse(&parser_, &event)) {
        if (parser_.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
        complain(source_, parser_, !open_.empty() && open_.back().flow, quote_);
      }
      switch (event.type) {
        case YAML_DOCUMENT_START_EVENT:
          if (complete_)
            refuse(source_.mark(event.start_mark), "a second document begins here: one document per file",
                   "remove the line `---`, or move what follows into a file of its own");
          if (event.data.document_start.tag_directives.start != event.data.document_start.tag_directives.end)
            refuse(source_.mark(event.start_mark), "tags (`%TAG`) are not used here", "remove the directive");
          break;
        case YAML_ALIAS_EVENT:
          alias(event);
          break;
        case YAML_SCALAR_EVENT:
          scalar(event);
          break;
        case YAML_SEQUENCE_START_EVENT:
          begin(event, Node::Kind::sequence, event.data.sequence_start.anchor, event.data.sequence_start.tag,
                event.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE);
          break;
        case YAML_MAPPING_START_EVENT:
          begin(event, Node::Kind::mapping, event.data.mapping_start.anchor, event.data.mapping_start.tag,
                event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE);
          break;
        case YAML_SEQUENCE_END_EVENT:
        case YAML_MAPPING_END_EVENT:
          end();
          break;
        case YAML_STREAM_END_EVENT:
          ended = true;
          break;
        default:
          break;
      }
    }
    if (!complete_)
      refuse(source_.mark(std::size_t{0}), "the file is empty",
             "start a model with the line `escapement: 1`");
    return std::move(root_);
  }

 private:
  /// A list or mapping whose end has not come yet; it is a child of the one before.
  struct Open {
    Node node;
    bool flow;
    bool has_key = false, plain_key = false;
    std::string key;
    Mark key_mark;
    yaml_mark_t key_end{};
    std::unordered_set<std::size_t> hashes;  // of the keys, once they are many

    std::size_t children() const { return node.items.size() + node.entries.size(); }
  };
  using Path = std::vector<std::uint32_t>;  // which child, from the top

  bool expects_key() const {
    return !open_.empty() && open_.back().node.is_mapping() && !open_.back().has_key;
  }
  bool in_flow() const { return !open_.empty() && open_.back().flow; }

  void refuse_tag(const Event& event, const yaml_char_t* tag) {
    if (!tag) return;
    constexpr std::string_view standard = "tag:yaml.org,2002:";
    std::string name(view(tag));
    if (name.starts_with(standard)) name.replace(0, standard.size(), "!!");
    refuse(source_.mark(event.start_mark), fmt::format("the tag {} is not used here", excerpt(name)),
           "remove it; a value is read by what its field needs");
  }

  void remember(const Event& event, const yaml_char_t* anchor) {
    if (!anchor) return;
    const Mark mark = source_.mark(event.start_mark);
    if (expects_key()) refuse(mark, "an anchor (`&`) on a key", "put it before the value");
    Path path;
    for (const Open& o : open_) path.push_back(static_cast<std::uint32_t>(o.children()));
    anchors_.insert_or_assign(std::string(view(anchor)), std::move(path));
    if (anchors_.size() > limits_.anchors)
      refuse("E-LIMIT", mark, fmt::format("more than {} anchors", limits_.anchors), "use parameters instead");
  }

  /// The node of an anchor, null while it is still open.
  const Node* resolve(const Path& path) const {
    std::size_t level = 0;
    while (level < path.size() && level < open_.size() && path[level] == open_[level].children()) ++level;
    if (level == path.size()) return nullptr;
    const Node* node = &open_[level].node;
    for (; level < path.size(); ++level)
      node = node->is_mapping() ? &node->entries[path[level]].value : &node->items[path[level]];
    return node;
  }

  void alias(const Event& event) {
    const Mark mark = source_.mark(event.start_mark);
    const auto name = view(event.data.alias.anchor);
    const auto found = anchors_.find(name);
    if (found == anchors_.end())
      refuse(mark, fmt::format("{} names no anchor above it", excerpt("*" + std::string(name))),
             fmt::format("quote a text that starts with `*`, or write `&{}` before a value", name));
    if (expects_key())
      refuse(mark, fmt::format("the alias `*{}` cannot be a key", name), "write the key out");
    const Node* const target = resolve(found->second);
    if (!target) refuse(mark, fmt::format("`*{}` stands within what it names", name), "write the value out");
    count_expansion(*target, open_.size(), mark);
    accept(Node(*target));
  }

  /// Counts before anything is copied, and no further than the limits.
  void count_expansion(const Node& node, std::size_t depth, const Mark& mark) {
    const auto limit = [&](const char* what, std::size_t most) {
      refuse("E-LIMIT", mark, fmt::format("aliases make more than {} {}", most, what),
             "use a subsystem or parameters instead");
    };
    if (++expanded_nodes_ > limits_.alias_nodes) limit("values", limits_.alias_nodes);
    count_node(mark);
    if ((expanded_bytes_ += node.text.size()) > limits_.bytes) limit("bytes", limits_.bytes);
    if (node.is_sequence() || node.is_mapping()) check_depth(++depth, mark);
    for (const Node& item : node.items) count_expansion(item, depth, mark);
    for (const Node::Entry& entry : node.entries) {
      if ((expanded_bytes_ += entry.key.size()) > limits_.bytes) limit("bytes", limits_.bytes);
      count_expansion(entry.value, depth, mark);
    }
  }
  void count_node(const Mark& mark) {
    if (++nodes_ > limits_.nodes)
      refuse("E-LIMIT", mark, fmt::format("more than {} values", limits_.nodes), "keep tables in data files");
  }
  void check_depth(std::size_t depth, const Mark& mark) {
    if (depth > static_cast<std::size_t>(limits_.depth))
      refuse("E-LIMIT", mark, fmt::format("nested more than {} deep", limits_.depth), "check the brackets");
  }

  void begin(const Event& event, Node::Kind kind, const yaml_char_t* anchor, const yaml_char_t* tag,
             bool flow) {
    const Mark mark = source_.mark(event.start_mark);
    refuse_tag(event, tag);
    if (expects_key())
      refuse(mark, fmt::format("a {} cannot be a key", kind == Node::Kind::mapping ? "mapping" : "list"),
             "quote a text that starts with a bracket or `?`");
    check_depth(open_.size() + 1, mark);
    count_node(mark);
    remember(event, anchor);
    open_.push_back({{}, flow, false, false, {}, {}, {}, {}});
    open_.back().node.kind = kind;
    open_.back().node.mark = mark;
  }

  void end() {
    Node node = std::move(open_.back().node);
    open_.pop_back();
    accept(std::move(node));
  }

  void scalar(const Event& event) {
    const auto& data = event.data.scalar;
    const std::string_view text(reinterpret_cast<const char*>(data.value), data.length);
    const bool plain = data.style == YAML_PLAIN_SCALAR_STYLE;
    const Mark mark = source_.mark(event.start_mark);
    refuse_tag(event, data.tag);
    quote_.reset();
    if (!plain && event.end_mark.line > event.start_mark.line) quote_ = {event.start_mark, event.end_mark};
    if (plain) check_plain(event, text);
    if (text.empty() && (data.style == YAML_LITERAL_SCALAR_STYLE || data.style == YAML_FOLDED_SCALAR_STYLE))
      refuse(mark, "a text over several lines is announced, but none follows",
             "quote a text that starts with `>` or `|`");
    if (expects_key()) {
      remember(event, data.anchor);
      key(event, text, plain);
      return;
    }
    if (plain && text.empty() && !data.anchor) check_nothing();
    count_node(mark);
    remember(event, data.anchor);
    Node node;
    node.mark = mark;
    if (!plain || !null_word(text)) {
      node.kind = Node::Kind::scalar;
      node.quoted = !plain;
      node.text = text;
    }
    accept(std::move(node));
  }

  void key(const Event& event, std::string_view text, bool plain) {
    Open& o = open_.back();
    const Mark mark = source_.mark(event.start_mark);
    if (plain && null_word(text))
      refuse(mark,
             text.empty() ? "a key is missing before the colon"
                          : fmt::format("{} (nothing) cannot be a key", excerpt(text)),
             text.empty() ? "write `key: value`" : fmt::format("quote it: \"{}\"", text));
    if (plain && text == "<<")
      refuse(mark, "merge keys (`<<`) are not supported", "use parameters or a subsystem for what is shared");
    check_duplicate(o, text, mark);
    o.has_key = true;
    o.plain_key = plain;
    o.key = text;
    o.key_mark = mark;
    o.key_end = event.end_mark;
  }
  void check_duplicate(Open& o, std::string_view text, const Mark& mark) {
    constexpr std::size_t many = 16;
    auto& entries = o.node.entries;
    const std::hash<std::string_view> hash;
    if (entries.size() >= many) {
      if (o.hashes.empty())
        for (const auto& entry : entries) o.hashes.insert(hash(entry.key));
      if (o.hashes.insert(hash(text)).second) return;
    }
    for (const auto& entry : entries)
      if (entry.key == text)
        refuse("E-DUPLICATE", mark,
               fmt::format("{} was given at line {} already", excerpt(text), entry.mark.line),
               "remove one of the two");
  }

  /// What YAML accepts as text but nobody can have meant.
  void check_plain(const Event& event, std::string_view text) {
    const Mark mark = source_.mark(event.start_mark);
    for (std::size_t i = 0; i < text.size();) {
      const auto [code, length] = character_at(text, i);
      if (const char* const what = look_alike(code))
        refuse(source_.mark(source_.text().find(text.substr(i, length), source_.offset(event.start_mark))),
               what, fmt::format("type a plain `{}`, or quote the text", code == 0x2212 ? '-' : ' '));
      if (i == 0 && typographic_quote(code)) refuse(mark, "a typographic quote", "type a plain `\"`");
      i += length;
    }
    if (text == "-") refuse(mark, "a `-` alone is no value", "quote it, or give a value");
    if (in_flow() && !balanced_parentheses(text)) cut_expression(event, text);
    const bool may_be_entry = open_.empty() || (open_.back().has_key && !open_.back().flow);
    if (may_be_entry && glued_colon(text) != nowhere && starts_line(event)) refuse_glued(mark, text);
  }
  bool starts_line(const Event& event) {
    const std::size_t at = source_.offset(event.start_mark), begin = source_.line_begin(at);
    return all_blank(source_.text().substr(begin, at - begin));
  }
  [[noreturn]] void cut_expression(const Event& event, std::string_view text) {
    const std::string_view rest = source_.line_from(source_.offset(event.start_mark));
    int level = 0;
    std::size_t end = 0;
    for (; end < rest.size() && (level > 0 || !std::strchr(",]}", rest[end])); ++end)
      level += rest[end] == '(' ? 1 : rest[end] == ')' ? -1 : 0;
    const Mark mark = source_.mark(event.start_mark);
    const std::string_view whole = trimmed(rest.substr(0, end));
    if (level != 0 || whole.size() <= text.size() || whole.find_first_of("\"\\") != nowhere)
      refuse(mark, fmt::format("{} has an unbalanced parenthesis", excerpt(text)), "quote this expression");
    refuse(mark, fmt::format("{} ends at a comma: within brackets YAML splits there", excerpt(text)),
           whole.size() < 80 ? fmt::format("quote this expression: \"{}\"", whole) : "quote this expression");
  }
  /// An absent value in a flow mapping: was there a colon at all?
  void check_nothing() {
    if (open_.empty())
      refuse(source_.mark(std::size_t{0}), "the file holds nothing",
             "start a model with the line `escapement: 1`");
    const Open& o = open_.back();
    if (!o.flow || !o.node.is_mapping()) return;
    const std::string_view text = source_.text();
    std::size_t at = source_.offset(o.key_end);
    while (at < text.size() && (blank(text[at]) || breaks(text[at]) || text[at] == '#'))
      at += text[at] == '#' ? source_.line_from(at).size() : 1;
    if (at < text.size() && text[at] == ':') return;
    if (o.plain_key && glued_colon(o.key) != nowhere) refuse_glued(o.key_mark, o.key);
    refuse(o.key_mark, fmt::format("no colon after {}", excerpt(o.key)),
           "write `key: value`, or use a list: [a, b]");
  }

  void accept(Node node) {
    if (open_.empty()) {
      root_ = std::move(node);
      complete_ = true;
      return;
    }
    Open& o = open_.back();
    if (o.node.is_sequence()) {
      o.node.items.push_back(std::move(node));
    } else {
      o.node.entries.push_back({std::move(o.key), o.key_mark, std::move(node)});
      o.has_key = false;
      o.key.clear();
    }
  }

  Source& source_;
  const YamlLimits& limits_;
  yaml_parser_t parser_;
  std::vector<Open> open_;
  std::map<std::string, Path, std::less<>> anchors_;
  std::size_t nodes_ = 0, expanded_nodes_ = 0, expanded_bytes_ = 0;
  std::optional<QuotedLines> quote_;  // the last scalar, if it is quoted and goes over several lines
  Node root_;
  bool complete_ = false;
};

}  // namespace

Node read_yaml(std::string_view text, const std::string* file, const YamlLimits& limits) {
  if (text.size() > limits.bytes)
    refuse("E-LIMIT", {file, 1, 1}, fmt::format("the text is larger than {} bytes", limits.bytes),
           "keep tables in data files");
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  Source source(text, file);
  check_encoding(source);
  return TreeBuilder(source, limits).run();
}

Node read_yaml_file(const std::filesystem::path& path, const std::string& name, Sources& sources,
                    const YamlLimits& limits) {
  const std::string text = read_regular_file(path, name, limits.bytes);
  return read_yaml(text, sources.add(name), limits);
}

bool same_tree(const Node& a, const Node& b) {
  const auto same_entry = [](const Node::Entry& x, const Node::Entry& y) {
    return x.key == y.key && same_tree(x.value, y.value);
  };
  return a.kind == b.kind && a.quoted == b.quoted && a.text == b.text &&
         std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), same_tree) &&
         std::equal(a.entries.begin(), a.entries.end(), b.entries.begin(), b.entries.end(), same_entry);
}

}  // namespace escapement
