// Inductors of netlists, and those that K cards couple, as transformers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/nearest_name.hpp"
#include "netlist/elaborator.hpp"

namespace escapement::netlist {
namespace {

constexpr const char* inductor_form = "L1 A B VALUE IC=AMPERES";
constexpr const char* winding_names[] = {"primary", "secondary", "tertiary"};

/// Which inductors belong together; the groups that a card joins become one.
class CouplingGroups {
 public:
  Coupling& join(const Device& card, const std::vector<const Device*>& coils) {
    std::optional<std::size_t> group;
    for (const Device* coil : coils) {
      const auto found = group_of_.find(coil->name.text);
      if (found == group_of_.end() || (group && found->second == *group)) continue;
      if (!group) group = found->second;
      else merge(found->second, *group);
    }
    if (!group) {
      group = groups_.size();
      groups_.push_back({&card, {}, {}});
    }
    Coupling& g = groups_[*group];
    for (const Device* coil : coils)
      if (group_of_.emplace(coil->name.text, *group).second) g.coils.push_back(coil);
    return g;
  }
  const std::vector<Coupling>& all() const { return groups_; }

 private:
  void merge(std::size_t emptied, std::size_t into) {
    Coupling& from = groups_[emptied];
    Coupling& to = groups_[into];
    to.coils.insert(to.coils.end(), from.coils.begin(), from.coils.end());
    to.k.insert(from.k.begin(), from.k.end());
    for (const Device* moved : from.coils) group_of_[moved->name.text] = into;
    from = {};
  }

  std::vector<Coupling> groups_;
  std::map<std::string, std::size_t> group_of_;  // inductor -> group
};

Node list_of(std::vector<Node> items) {
  const Mark mark = items[0].mark;
  Node n = Node::sequence(std::move(items));
  n.mark = mark;
  return n;
}

}  // namespace

void Elaborator::inductor(const Device& d, Instance& in) {
  if (in.windings.contains(d.name.text)) return;  // part of a transformer
  const Arguments a = arguments(d, 2, 4, inductor_form, {"l", "ic", "tc", "tc1", "tc2", "temp", "m"});
  Word place;
  const double henries = passive_value(a, in, "l", "", "", place);
  const Arguments::Named* ic = a.find("ic");
  const double amperes = named(a, "ic", 0, in);
  Node wires = between(a.words[0], a.words[1], in);
  Node& fields = add(d, in, "electric.inductor");
  put(fields, "inductance", quantity(henries, "H", place.mark()));
  put(fields, "between", std::move(wires));
  if (!ic && !deck_.uic) return;
  Node initial = Node::mapping({});
  initial.mark = ic ? ic->values[0].mark() : d.name.mark();
  put(initial, "current", quantity(amperes, "A", initial.mark));
  put(fields, "initial", std::move(initial));
}

/// Inductors that K cards couple become one transformer, named after the first of the cards.
void Elaborator::couplings(Instance& in) {
  CouplingGroups groups;
  for (const Device& d : in.definition->devices) {
    if (d.letter != 'k') continue;
    diagnostics_.collect([&] {
      where_ = at(in, d.id);
      const Arguments a = arguments(d, 3, 1000, "K1 L1 L2 COUPLING", {});
      if (a.words.size() > 4) refuse_many_windings(d);
      const std::vector<const Device*> coils = coupled_coils(a, *in.definition);
      const double k = value(a.words.back(), in);
      if (!(std::abs(k) <= 1))
        throw fault("E-RANGE", a.words.back().mark(), where_, fmt::format("got {}, must be from -1 to 1", k),
                    "the coupling is M/sqrt(L1*L2)");
      Coupling& g = groups.join(d, coils);
      if (g.coils.size() > 3) refuse_many_windings(d);
      for (std::size_t i = 0; i < coils.size(); ++i)
        for (std::size_t j = i + 1; j < coils.size(); ++j)
          if (!g.k.emplace(std::minmax(coils[i], coils[j]), std::pair(k, a.words.back().mark())).second)
            throw fault(
                "E-DUPLICATE", d.name.mark(), where_,
                fmt::format("`{}` and `{}` are coupled already", coils[i]->name.text, coils[j]->name.text),
                "remove one of the two cards");
    });
  }
  for (const Coupling& g : groups.all())
    if (!g.coils.empty()) diagnostics_.collect([&] { transformer(g, in); });
}

void Elaborator::refuse_many_windings(const Device& card) const {
  throw fault("E-UNSUPPORTED", card.name.mark(), where_,
              fmt::format("more than three coupled inductors are not supported: {}", card.name.card->shown()),
              "two or three windings");
}

/// The inductors that a K card names.
std::vector<const Device*> Elaborator::coupled_coils(const Arguments& a, const Definition& def) const {
  std::vector<const Device*> coils;
  for (std::size_t i = 0; i + 1 < a.words.size(); ++i) {
    const auto found = def.device_names.find(a.words[i].text);
    if (found == def.device_names.end() || def.devices[found->second].letter != 'l') {
      std::vector<std::string> names;
      for (const Device& other : def.devices)
        if (other.letter == 'l' && names.size() < 2000) names.push_back(other.name.text);
      throw fault("E-REFERENCE", a.words[i].mark(), where_,
                  fmt::format("there is no inductor `{}`", a.words[i].text),
                  did_you_mean(a.words[i].text, names, "K1 L1 L2 COUPLING"));
    }
    const Device* coil = &def.devices[found->second];
    if (std::find(coils.begin(), coils.end(), coil) != coils.end())
      throw fault("E-REFERENCE", a.words[i].mark(), where_,
                  fmt::format("the inductor `{}` is coupled with itself", a.words[i].text));
    coils.push_back(coil);
  }
  return coils;
}

void Elaborator::transformer(const Coupling& g, Instance& in) {
  for (std::size_t i = 0; i < g.coils.size() && i < 3; ++i)
    in.windings[g.coils[i]->name.text] = in.prefix + g.card->id + "." + winding_names[i];
  if (g.coils.size() > 3) return;  // told already
  std::vector<Node> ends, inductances, currents;
  std::size_t given = 0;
  for (const Device* coil : g.coils) {
    where_ = at(in, coil->id);
    const Arguments a = arguments(*coil, 2, 4, inductor_form, {"l", "ic", "tc", "tc1", "tc2", "temp", "m"});
    Word place;
    const double henries = passive_value(a, in, "l", "", "", place);
    inductances.push_back(quantity(henries, "H", place.mark()));
    ends.push_back(between(a.words[0], a.words[1], in));
    const Arguments::Named* ic = a.find("ic");
    given += ic != nullptr;
    currents.push_back(quantity(named(a, "ic", 0, in), "A", ic ? ic->values[0].mark() : coil->name.mark()));
  }
  where_ = at(in, g.card->id);
  if (given > 0 && given < g.coils.size() && !deck_.uic)
    throw fault("E-MISSING", g.card->name.mark(), where_,
                "some of the coupled inductors have an IC=, others not", "give it to all or to none");
  std::vector<Node> k;
  for (std::size_t i = 0; i < g.coils.size(); ++i)
    for (std::size_t j = i + 1; j < g.coils.size(); ++j) {
      const auto found = g.k.find(std::minmax(g.coils[i], g.coils[j]));
      k.push_back(found == g.k.end() ? quantity(0, "", g.card->name.mark())
                                     : quantity(found->second.first, "", found->second.second));
    }
  Node& fields = add(*g.card, in, "electric.transformer");
  for (std::size_t i = 0; i < ends.size(); ++i) put(fields, winding_names[i], std::move(ends[i]));
  put(fields, "inductance", list_of(std::move(inductances)));
  put(fields, "coupling", k.size() == 1 ? std::move(k[0]) : list_of(std::move(k)));
  if (given == 0 && !deck_.uic) return;
  Node initial = Node::mapping({});
  initial.mark = g.card->name.mark();
  put(initial, "current", list_of(std::move(currents)));
  put(fields, "initial", std::move(initial));
}

}  // namespace escapement::netlist
