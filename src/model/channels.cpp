// Channels of an assembled model: reading them, and what patterns and names mean among them.
#include <fmt/format.h>

#include <algorithm>

#include "base/nearest_name.hpp"
#include "model/assembly.hpp"

namespace escapement {

double Assembly::read(const Channel& channel, const State& state) const {
  const BoundOutput& b = channel.from;
  if (b.source == BoundOutput::Source::element)
    return b.element.group->output(state, b.element.index, b.index);
  const Variable& v = system.variables()[b.variable];
  if (b.source == BoundOutput::Source::rate) return state.rate[v.row + b.part];
  if (b.source == BoundOutput::Source::acceleration) return state.acceleration[v.row + b.part];
  return b.factor * state.value[v.value + b.part] + 0.0;  // no negative zero
}

bool matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = std::string_view::npos, mark = 0;
  while (n < name.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n]) && pattern[p] != '*') {
      ++p, ++n;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::vector<const Channel*> Assembly::defaults() const {
  std::vector<const Channel*> list;
  for (const Channel& c : channels)
    if (c.by_default) list.push_back(&c);
  return list;
}

std::vector<int> matching(std::string_view pattern, const std::vector<std::string>& names) {
  const std::string text(pattern);
  std::vector<std::vector<std::string>> tries = {
      {text}, {text + ".output", text + ".output.*"}, {text + ".*"}};
  if (const std::size_t dot = text.rfind('.');  // a part of a block's wide output
      dot != std::string::npos && dot + 1 < text.size() &&
      text.find_first_not_of("0123456789", dot + 1) == std::string::npos)
    tries.insert(tries.begin() + 1, {text.substr(0, dot) + ".output" + text.substr(dot)});
  for (const auto& patterns : tries) {
    std::vector<int> found;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (std::any_of(patterns.begin(), patterns.end(),
                      [&](const std::string& p) { return matches(p, names[i]); }))
        found.push_back(static_cast<int>(i));
    if (!found.empty()) return found;
  }
  return {};
}

std::vector<const Channel*> Assembly::select(const std::vector<ChannelPattern>& patterns) const {
  std::vector<std::string> names;
  for (const Channel& c : channels) names.push_back(c.name);
  std::vector<char> wanted(channels.size(), 0);
  for (const ChannelPattern& pattern : patterns) {
    const auto found = matching(pattern.text, names);
    for (const int i : found) wanted[i] = 1;
    if (!found.empty()) continue;
    names.resize(std::min<std::size_t>(names.size(), 5000));
    throw fault("E-CHANNEL", pattern.mark, pattern.where,
                fmt::format("no channel matches `{}`", pattern.text),
                pattern.text == "all" && std::string_view(pattern.where).starts_with("record")
                    ? std::string("all channels: `record: all`, without brackets")
                    : did_you_mean(pattern.text, names, "escapement show MODEL --channels lists them"));
  }
  std::vector<const Channel*> list;
  for (std::size_t i = 0; i < channels.size(); ++i)
    if (wanted[i]) list.push_back(&channels[i]);
  return list;
}

std::vector<const Channel*> Assembly::recorded(const Model& model) const {
  std::vector<const Channel*> list;
  if (model.record_all) {
    for (const Channel& c : channels) list.push_back(&c);
  } else {
    list = model.record.empty() ? defaults() : select(model.record);
  }
  for (const PlotRequestText& p : model.plots) {  // what the model wants to plot must be there
    auto wanted = p.y;
    if (!p.x.text.empty() && p.x.text != "time") wanted.push_back(p.x);
    for (const Channel* c : select(wanted))
      if (std::find(list.begin(), list.end(), c) == list.end()) list.push_back(c);
  }
  return list;
}

}  // namespace escapement
