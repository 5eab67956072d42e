#include "components/math/user_equations.hpp"

#include <algorithm>
#include <array>

#include "model/gradient.hpp"

namespace escapement::math {
namespace {

/// A quantity with its rates, carried along time: nested duals hold the derivatives (T-start-2).
template <class S>
S along_time(double x, double v, double a) {
  if constexpr (std::is_same_v<S, double>) {
    return x;
  } else {
    using B = decltype(S{}.v);
    S r;
    r.v = along_time<B>(x, v, a);
    r.d[0] = along_time<B>(v, a, 0.0);
    return r;
  }
}

double innermost(double x) { return x; }
template <class B>
double innermost(const Dual<1, B>& x) {
  return innermost(x.d[0]);
}

template <class S>
std::vector<S>& workspace(int which) {
  thread_local std::vector<S> work[5];
  return work[which];
}

}  // namespace

UserEquations::Reads UserEquations::reads(std::span<const Expression* const> expressions) const {
  const auto join = [](std::vector<int>& all, std::span<const int> more) {
    for (const int i : more)
      if (std::find(all.begin(), all.end(), i) == all.end()) all.push_back(i);
  };
  Reads r;
  for (const Expression* x : expressions)
    for (const int i : x->inputs()) {
      if (i < first_definition()) {
        join(r.inputs, std::array{i});
        continue;
      }
      const int k = i - first_definition();
      join(r.inputs, definitions_[k].reads.inputs);
      join(r.definitions, definitions_[k].reads.definitions);
      join(r.definitions, std::array{k});
    }
  return r;
}

void UserEquations::define(Expression x, bool watched) {
  const Expression* const own = &x;
  Reads r = reads({&own, 1});
  if (watched) sides_ = x.place_sides(sides_);
  definitions_.push_back({std::move(x), std::move(r), watched});
}

void UserEquations::add(Equation e) {
  std::vector<const Expression*> all;
  for (const Term& t : e.terms) all.push_back(&t.expression);
  if (e.store) all.push_back(&*e.store);
  e.reads = reads(all);
  couple(e);
  if (!is_constraint(e)) {
    for (Term& t : e.terms) sides_ = t.expression.place_sides(sides_);
    if (e.store) sides_ = e.store->place_sides(sides_);
  }
  equations_.push_back(std::move(e));
}

void UserEquations::couple(const Equation& e) {
  const int n = size();
  coupled_.resize(n * n, 0);
  coupled_[e.row * n + e.row] = 1;
  for (const int i : e.reads.inputs)
    if (i != time) coupled_[e.row * n + unknown_of(i)] = 1;
  if (e.sort != Sort::holonomic && e.sort != Sort::slip) return;
  for (const int i : e.reads.inputs) {
    if (i == time) continue;
    coupled_[unknown_of(i) * n + e.row] = 1;
    for (const int j : e.reads.inputs)
      if (j != time) coupled_[unknown_of(i) * n + unknown_of(j)] = 1;
  }
}

template <class S>
void UserEquations::fill(std::span<const int> definitions, std::span<S> inputs, const double* sides) const {
  for (const int k : definitions) {
    const Definition& d = definitions_[k];
    inputs[first_definition() + k] = d.expression.template evaluate<S>(inputs, d.watched ? sides : nullptr);
  }
}

template <class S>
void UserEquations::clear(const Reads& reads, std::span<S> slope) const {
  for (const int i : reads.inputs) slope[i] = S(0.0);
  for (const int k : reads.definitions) slope[first_definition() + k] = S(0.0);
}

/// An expression and its slopes along the inputs of unknowns and time: those along definitions are passed on, the last first.
template <class S>
S UserEquations::through(const Expression& x, const Reads& reads, std::span<const S> inputs,
                         const double* sides, std::vector<S>& slope) const {
  slope.resize(inputs.size());
  clear<S>(reads, slope);
  const S value = x.gradient<S>(inputs, slope, workspace<S>(3), sides);
  std::vector<S>& own = workspace<S>(4);
  own.resize(inputs.size());
  for (auto k = reads.definitions.rbegin(); k != reads.definitions.rend(); ++k) {
    const Definition& d = definitions_[*k];
    const S along = slope[first_definition() + *k];
    if (vanishes(along)) continue;
    clear<S>(d.reads, own);
    d.expression.gradient<S>(inputs, own, workspace<S>(3), d.watched ? sides : nullptr);
    for (const int i : d.reads.inputs) slope[i] += along * own[i];
    for (const int j : d.reads.definitions)
      slope[first_definition() + j] += along * own[first_definition() + j];
  }
  return value;
}

template <class S>
void UserEquations::slopes(const Equation& e, std::span<const S> inputs, const double* sides, S& value,
                           std::vector<S>& slope) const {
  slope.resize(inputs.size());
  for (const int i : e.reads.inputs) slope[i] = S(0.0);
  value = S(0.0);
  std::vector<S>& one = workspace<S>(2);
  for (const Term& t : e.terms) {
    value += t.factor * through<S>(t.expression, e.reads, inputs, sides, one);
    for (const int i : e.reads.inputs) slope[i] += t.factor * one[i];
  }
}

/// Where the slope of a row along an input stands; null: a rate that no unknown has.
double* UserEquations::slope(Parts::Part& part, int row, int input) const {
  const int at = row * size() + unknown_of(input), order = (input - 1) % 3;
  if (order == 0) return part.K + at;
  if (unknowns[unknown_of(input)].kind != Kind::position) return nullptr;
  return (order == 1 ? part.C : part.M) + at;
}

double UserEquations::own_slope(std::span<const double> inputs) const {
  const Equation& e = equations_.back();
  std::vector<double> in(inputs.begin(), inputs.end());
  in.resize(input_count());
  fill<double>(e.reads.definitions, in, nullptr);
  double value = 0;
  std::vector<double>& slope = workspace<double>(1);
  slopes<double>(e, in, nullptr, value, slope);
  const auto& used = e.reads.inputs;
  for (const int own : {acceleration_of(e.row), rate_of(e.row), value_of(e.row)})
    if (std::find(used.begin(), used.end(), own) != used.end() && slope[own] != 0) return slope[own];
  return 0;
}

void UserEquations::negate_last() {
  for (Term& t : equations_.back().terms) t.factor = -t.factor;
}

/// Time, then value, rate and acceleration of every unknown, then the definitions.
std::span<double> UserEquations::inputs(const Point& p) const {
  const int n = size();
  std::vector<double>& in = workspace<double>(0);
  in.resize(input_count());
  in[time] = p.t;
  for (int i = 0; i < n; ++i) {
    in[value_of(i)] = p.value[i];
    in[rate_of(i)] = p.rate.empty() ? 0.0 : p.rate[i];
    in[acceleration_of(i)] = p.acceleration.empty() ? 0.0 : p.acceleration[i];
  }
  for (int k = 0; k < static_cast<int>(definitions_.size()); ++k) fill<double>(std::array{k}, in, p.sides);
  return in;
}

void UserEquations::phases(const Point& p, std::vector<double>& angles) const {
  const auto in = inputs(p);
  for (const Definition& d : definitions_) d.expression.phases(in, d.watched ? p.sides : nullptr, angles);
  for (const Equation& e : equations_) {
    const double* const sides = is_constraint(e) ? nullptr : p.sides;
    for (const Term& t : e.terms) t.expression.phases(in, sides, angles);
    if (e.store) e.store->phases(in, p.sides, angles);
  }
}

const Expression& UserEquations::owner(int side) const {
  const Expression* found = nullptr;
  each_switching([&](const Expression& x) {
    if (x.has_side(side)) found = &x;
  });
  return *found;
}

void UserEquations::crossings(const Point& p, std::span<double> functions) const {
  const auto in = inputs(p);
  each_switching([&](const Expression& x) { x.crossings(in, p.sides, functions); });
}
void UserEquations::cross(const Point& p, int i, double* sides) const { owner(i).cross(inputs(p), sides, i); }
bool UserEquations::ends_at_zero(const Point& p, int i) const {
  return owner(i).ends_at_zero(inputs(p), p.sides, i);
}
void UserEquations::land(const Point& p, int i, double* sides) const { owner(i).land(inputs(p), sides, i); }
Bend UserEquations::bend(const Point& p, int i) const { return owner(i).bend(inputs(p), p.sides, i); }

void UserEquations::evaluate(const Point& p, Parts& parts) const {
  const auto in = inputs(p);
  for (const Equation& e : equations_) {
    const double* const sides = is_constraint(e) ? nullptr : p.sides;
    const bool refill = p.sides && !sides && !e.reads.definitions.empty();  // constraints keep no sides
    if (refill) fill<double>(e.reads.definitions, in, nullptr);
    evaluate(e, in, sides, parts);
    if (e.sort == Sort::store) store(e, in, sides, parts);
    if (e.sort == Sort::holonomic || e.sort == Sort::slip) reaction(e, in, parts);
    if (refill) fill<double>(e.reads.definitions, in, p.sides);
  }
}

void UserEquations::evaluate(const Equation& e, std::span<const double> in, const double* sides,
                             Parts& parts) const {
  double value = 0;
  std::vector<double>& slopes_here = workspace<double>(1);
  if (parts.slopes() || e.sort == Sort::holonomic || e.sort == Sort::slip) {
    slopes<double>(e, in, sides, value, slopes_here);
  } else {
    for (const Term& t : e.terms) value += t.factor * t.expression.evaluate<double>(in, sides);
  }
  parts.flow.row[e.row] += value;
  if (!parts.slopes()) return;
  for (const int i : e.reads.inputs)
    if (i != time)
      if (double* const at = slope(parts.flow, e.row, i)) *at += slopes_here[i];
}

/// One sweep with a dual along time gives s, ds/dt and how both move with the unknowns.
void UserEquations::store(const Equation& e, std::span<const double> in, const double* sides,
                          Parts& parts) const {
  using D = Dual<1>;
  std::vector<D>&z = workspace<D>(0), &ds = workspace<D>(1);
  z.resize(in.size());
  const auto moves = [&](int i) {  // in time: the next input is its rate
    return i != time && (i - 1) % 3 < 2 && unknowns[unknown_of(i)].kind == Kind::position;
  };
  for (const int i : e.reads.inputs) {
    z[i] = D(in[i]);
    if (i == time) z[i].d[0] = 1;
    else if (moves(i)) z[i].d[0] = in[i + 1];
  }
  fill<D>(e.reads.definitions, z, sides);
  const D s = through<D>(*e.store, e.reads, z, sides, ds);
  parts.store.row[e.row] += s.v;
  if (parts.rate.row) parts.rate.row[e.row] += s.d[0];
  if (!parts.slopes()) return;
  for (const int i : e.reads.inputs) {
    if (i == time) continue;
    if (double* const at = slope(parts.store, e.row, i)) *at += ds[i].v;
    if (!parts.rate.row) continue;
    if (double* const at = slope(parts.rate, e.row, i)) *at += ds[i].d[0];
    if (moves(i)) *slope(parts.rate, e.row, i + 1) += ds[i].v;
  }
}

/// Φ_qᵀλ or k_vᵀμ in the rows of the positions; its slopes need second derivatives along each input.
void UserEquations::reaction(const Equation& e, std::span<const double> in, Parts& parts) const {
  const int along = e.sort == Sort::holonomic ? 0 : 1;
  const auto acts = [&](int input) { return input != time && (input - 1) % 3 == along; };
  const double multiplier = in[value_of(e.row)];
  const std::vector<double>& gradient = workspace<double>(1);  // as evaluate() left it
  for (const int i : e.reads.inputs) {
    if (!acts(i)) continue;
    parts.reaction.row[unknown_of(i)] += multiplier * gradient[i];
    if (parts.slopes()) *slope(parts.reaction, unknown_of(i), value_of(e.row)) += gradient[i];
  }
  if (!parts.slopes()) return;
  using D = Dual<1>;
  std::vector<D>&z = workspace<D>(0), &s = workspace<D>(1);
  z.assign(in.begin(), in.end());
  for (const int j : e.reads.inputs) {
    if (j == time) continue;
    z[j].d[0] = 1;
    fill<D>(e.reads.definitions, z, nullptr);
    D value;
    slopes<D>(e, z, nullptr, value, s);
    for (const int i : e.reads.inputs)
      if (acts(i))
        if (double* const at = slope(parts.reaction, unknown_of(i), j)) *at += multiplier * s[i].d[0];
    z[j].d[0] = 0;
  }
}

void UserEquations::constraints(const Point& p, int holonomic_level, int nonholonomic_level,
                                std::span<double> rows) const {
  const auto at = [&]<class S>(const Equation& e, S) {
    std::vector<S>& z = workspace<S>(0);
    z.resize(input_count());
    z[time] = along_time<S>(p.t, 1.0, 0.0);
    for (const int i : e.reads.inputs) {
      if (i == time) continue;
      const int u = unknown_of(i);
      const double q = p.value[u], v = p.rate[u], a = p.acceleration[u];
      z[i] = (i - 1) % 3 == 0 ? along_time<S>(q, v, a) : along_time<S>(v, a, 0.0);
    }
    fill<S>(e.reads.definitions, z, nullptr);
    S sum(0.0);
    for (const Term& t : e.terms) sum += t.factor * t.expression.evaluate<S>(z);
    rows[e.row] += innermost(sum);
  };
  for (const Equation& e : equations_) {
    if (e.sort == Sort::raw || e.sort == Sort::store) continue;
    const int level = e.sort == Sort::holonomic ? holonomic_level : nonholonomic_level;
    if (level == 0) at(e, 0.0);
    if (level == 1) at(e, Dual<1>());
    if (level == 2) at(e, Dual<1, Dual<1>>());
    if (level == 3) at(e, Dual<1, Dual<1, Dual<1>>>());
  }
}

}  // namespace escapement::math
