#include "model/simulate_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "model/schemes.hpp"

namespace escapement {
namespace {

/// "`a`, `b` and `c`"
std::string listed(const std::vector<std::string>& keys) {
  std::string text;
  for (std::size_t i = 0; i < keys.size(); ++i)
    text += (i == 0 ? "`" : i + 1 == keys.size() ? " and `" : ", `") + keys[i] + "`";
  return text;
}

using Names = std::vector<std::string_view>;

bool is_among(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Two ways to say the same: of each pair one is given.
struct Rivals {
  Names one, other;
};

const std::vector<Rivals>& rivals() {
  static const std::vector<Rivals> all = {{{"step"}, {"steps"}},
                                          {{"output_every"}, {"output_at"}},
                                          {{"regularization"}, {"penalty"}},
                                          {{"rho"}, mechanics_keys()},
                                          {{"rho_states", "scheme_states"}, state_keys()}};
  return all;
}

class Precedence {
 public:
  Precedence(Node& file, const std::map<std::string, std::string>& set) : file_(file), set_(set) {}

  std::vector<std::string> run() {
    const std::string before = in_file("scheme", default_scheme), scheme = says("scheme", default_scheme);
    const bool adapted = in_file("adaptive", "false") == "true";
    const Node* h_max = file_.find("h_max");
    const std::optional<Node> longest = h_max ? std::optional(*h_max) : std::nullopt;
    if (const Scheme* now = find_scheme(scheme); now && scheme != before)
      drop("scheme", [&](const Node::Entry& e) {
        return !now->has(e.key) || is_among(mechanics_keys(), e.key) ||
               (now->is_variational() && foreign_to_variational(e));
      });
    if (says("adaptive", "") == "false" && set_.contains("adaptive"))
      drop("adaptive", [&](const Node::Entry& e) { return is_among(adaptive_keys(), e.key); });
    if (adapted && longest && says("adaptive", "false") != "true") step_by(*longest);
    for (const Rivals& r : rivals()) {
      yield(r.one, r.other);
      yield(r.other, r.one);
    }
    return std::move(notes_);
  }

 private:
  std::string in_file(std::string_view key, std::string_view otherwise) const {
    const Node* value = file_.find(key);
    return value && value->is_scalar() ? value->text : std::string(otherwise);
  }
  std::string says(std::string_view key, std::string_view otherwise) const {
    const auto at = set_.find(std::string(key));
    return at != set_.end() ? at->second : in_file(key, otherwise);
  }
  /// Values that mean nothing there, of keys that exist: variational schemes damp states or do not, and take given steps.
  static bool foreign_to_variational(const Node::Entry& e) {
    return e.key == "adaptive" || (e.key == "rho_states" && e.value.text != "0" && e.value.text != "1");
  }
  template <class Belongs>
  void drop(const std::string& by, const Belongs& belongs) {
    std::vector<std::string> keys;
    std::erase_if(file_.entries, [&](const Node::Entry& e) {
      if (set_.contains(e.key) || !belongs(e)) return false;
      keys.push_back(e.key);
      return true;
    });
    if (!keys.empty())
      notes_.push_back(fmt::format("--set simulate.{}={}: the file's {} {} ignored", by, set_.at(by),
                                   listed(keys), keys.size() == 1 ? "is" : "are"));
  }
  /// What --set says in one way the file does not say in the other.
  void yield(const Names& mine, const Names& theirs) {
    for (const std::string_view key : mine)
      if (set_.contains(std::string(key)))
        drop(std::string(key), [&](const Node::Entry& e) { return is_among(theirs, e.key); });
  }
  /// Steps of the largest size that the file lets the program choose.
  void step_by(const Node& longest) {
    if (set_.contains("step") || set_.contains("steps")) return;
    std::erase_if(file_.entries, [](const Node::Entry& e) { return e.key == "step"; });
    file_.entries.push_back({"step", longest.mark, longest});
    notes_.push_back(fmt::format(
        "steps are constant, {}: the largest that the file lets the program choose (h_max)", longest.text));
  }

  Node& file_;
  const std::map<std::string, std::string>& set_;
  std::vector<std::string> notes_;
};

}  // namespace

std::vector<std::string> give_way(Node& file, const std::map<std::string, std::string>& set) {
  return Precedence(file, set).run();
}

}  // namespace escapement
