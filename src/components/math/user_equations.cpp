#include "components/math/user_equations.hpp"

#include <algorithm>

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
  thread_local std::vector<S> work[4];
  return work[which];
}

}  // namespace

void UserEquations::add(Equation e) {
  const auto use = [&](const Expression& x) {
    for (const int i : x.inputs())
      if (std::find(e.used.begin(), e.used.end(), i) == e.used.end()) e.used.push_back(i);
  };
  for (const Term& t : e.terms) use(t.expression);
  if (e.store) use(*e.store);
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
  for (const int i : e.used)
    if (i != time) coupled_[e.row * n + unknown_of(i)] = 1;
  if (e.sort != Sort::holonomic && e.sort != Sort::slip) return;
  for (const int i : e.used) {
    if (i == time) continue;
    coupled_[unknown_of(i) * n + e.row] = 1;
    for (const int j : e.used)
      if (j != time) coupled_[unknown_of(i) * n + unknown_of(j)] = 1;
  }
}

template <class S>
void UserEquations::slopes(const Equation& e, std::span<const S> inputs, const double* sides, S& value,
                           std::vector<S>& slope) const {
  slope.resize(inputs.size());
  for (const int i : e.used) slope[i] = S(0.0);
  value = S(0.0);
  std::vector<S>& one = workspace<S>(2);
  one.resize(inputs.size());
  for (const Term& t : e.terms) {
    for (const int i : e.used) one[i] = S(0.0);
    value += t.factor * t.expression.gradient<S>(inputs, one, workspace<S>(3), sides);
    for (const int i : e.used) slope[i] += t.factor * one[i];
  }
}

/// How much an input moves with the unknown it belongs to (T-shift-1).
double UserEquations::weight(int input, const Shift& c) const {
  if (unknowns[unknown_of(input)].kind != Kind::position) return (input - 1) % 3 == 0 ? 1.0 : 0.0;
  const double weights[] = {c.position, c.velocity, c.acceleration};
  return weights[(input - 1) % 3];
}

double UserEquations::own_slope(std::span<const double> inputs) const {
  const Equation& e = equations_.back();
  double value = 0;
  std::vector<double>& slope = workspace<double>(1);
  slopes<double>(e, inputs, nullptr, value, slope);
  for (const int own : {acceleration_of(e.row), rate_of(e.row), value_of(e.row)})
    if (std::find(e.used.begin(), e.used.end(), own) != e.used.end() && slope[own] != 0) return slope[own];
  return 0;
}

void UserEquations::negate_last() {
  for (Term& t : equations_.back().terms) t.factor = -t.factor;
}

/// Time, then value, rate and acceleration of every unknown.
std::span<const double> UserEquations::inputs(const Point& p) const {
  const int n = size();
  std::vector<double>& in = workspace<double>(0);
  in.resize(1 + 3 * n);
  in[time] = p.t;
  for (int i = 0; i < n; ++i) {
    in[value_of(i)] = p.value[i];
    in[rate_of(i)] = p.rate.empty() ? 0.0 : p.rate[i];
    in[acceleration_of(i)] = p.acceleration.empty() ? 0.0 : p.acceleration[i];
  }
  return in;
}

void UserEquations::phases(const Point& p, std::vector<double>& angles) const {
  const auto in = inputs(p);
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
Bend UserEquations::bend(const Point& p, int i) const { return owner(i).bend(inputs(p), p.sides, i); }

void UserEquations::evaluate(const Point& p, const Shift& c, std::span<double> rows, Matrix m) const {
  const auto in = inputs(p);
  for (const Equation& e : equations_) {
    if (e.sort == Sort::store) {
      state_row(e, in, p.sides, c, rows, m);
      continue;
    }
    const double* const sides = is_constraint(e) ? nullptr : p.sides;
    double value = 0;
    std::vector<double>& slope = workspace<double>(1);
    if (m || e.sort == Sort::holonomic || e.sort == Sort::slip) {
      slopes<double>(e, in, sides, value, slope);
    } else {
      for (const Term& t : e.terms) value += t.factor * t.expression.evaluate<double>(in, sides);
    }
    const bool constraint = e.sort != Sort::raw;
    const double scale = e.sort == Sort::raw ? (unknowns[e.row].kind == Kind::position ? c.force : 1.0)
                         : e.sort == Sort::holonomic ? c.holonomic_scale
                                                     : c.nonholonomic_scale;
    const bool differentiated = constraint && c.constraint_accelerations;
    if (!differentiated) rows[e.row] += scale * value;
    for (const int i : e.used) {
      if (i == time || !m) continue;
      // Φ̈ moves with v̇ through Φ_q, k̇ through k_v.
      const bool leading = (i - 1) % 3 == (e.sort == Sort::holonomic ? 0 : 1);
      const double w = differentiated ? (leading ? c.acceleration : 0.0) : weight(i, c);
      m(e.row, unknown_of(i)) += scale * w * slope[i];
    }
    if (e.sort == Sort::holonomic || e.sort == Sort::slip) reaction(e, in, c, rows, m);
  }
}

/// store·s + flow·f, and for a consistent start d/dt s along q, v and t.
void UserEquations::state_row(const Equation& e, std::span<const double> in, const double* sides,
                              const Shift& c, std::span<double> rows, Matrix m) const {
  double flow = 0;
  std::vector<double>& slope = workspace<double>(1);
  if (m) {
    slopes<double>(e, in, sides, flow, slope);
  } else {
    for (const Term& t : e.terms) flow += t.factor * t.expression.evaluate<double>(in, sides);
  }
  rows[e.row] += c.flow * flow;
  for (const int i : e.used)
    if (m && i != time) m(e.row, unknown_of(i)) += c.flow * weight(i, c) * slope[i];
  if (c.store == 0 && c.store_rate == 0) return;

  // One sweep with a dual along time gives s, ds/dt and how both move with the unknowns.
  using D = Dual<1>;
  std::vector<D>&z = workspace<D>(0), &ds = workspace<D>(1);
  z.resize(in.size());
  ds.resize(in.size());
  for (const int i : e.used) {
    z[i] = D(in[i]);
    if (i == time) z[i].d[0] = 1;
    else if ((i - 1) % 3 < 2 && unknowns[unknown_of(i)].kind == Kind::position) z[i].d[0] = in[i + 1];
  }
  for (const int i : e.used) ds[i] = D(0.0);
  const D s = e.store->gradient<D>(z, ds, workspace<D>(3), sides);
  rows[e.row] += c.store * s.v + c.store_rate * s.d[0];
  if (!m) return;
  for (const int i : e.used) {
    if (i == time) continue;
    const bool moves = unknowns[unknown_of(i)].kind == Kind::position && (i - 1) % 3 < 2;
    const double rate = ds[i].d[0] * weight(i, c) + (moves ? ds[i].v * weight(i + 1, c) : 0.0);
    m(e.row, unknown_of(i)) += c.store * ds[i].v * weight(i, c) + c.store_rate * rate;
  }
}

/// Φ_qᵀλ or k_vᵀμ in the rows of the positions; its tangent needs second derivatives along each column.
void UserEquations::reaction(const Equation& e, std::span<const double> in, const Shift& c,
                             std::span<double> rows, Matrix m) const {
  const int along = e.sort == Sort::holonomic ? 0 : 1;
  const auto acts = [&](int input) { return input != time && (input - 1) % 3 == along; };
  const double multiplier = c.reaction * in[value_of(e.row)];
  const std::vector<double>& slope = workspace<double>(1);  // as evaluate() left it
  for (const int i : e.used) {
    if (!acts(i)) continue;
    rows[unknown_of(i)] += multiplier * slope[i];
    if (m) m(unknown_of(i), e.row) += c.reaction * slope[i];
  }
  if (!m || (c.position == 0 && c.velocity == 0)) return;
  using D = Dual<1>;
  std::vector<D>&z = workspace<D>(0), &s = workspace<D>(1);
  z.assign(in.begin(), in.end());
  for (int column = 0; column < size(); ++column) {
    bool moves = false;
    for (const int j : e.used)
      if (j != time && unknown_of(j) == column) z[j].d[0] = weight(j, c), moves = true;
    if (!moves) continue;
    D value;
    slopes<D>(e, z, nullptr, value, s);
    for (const int i : e.used)
      if (acts(i)) m(unknown_of(i), column) += multiplier * s[i].d[0];
    for (const int j : e.used)
      if (j != time && unknown_of(j) == column) z[j].d[0] = 0;
  }
}

void UserEquations::constraints(const Point& p, int holonomic_level, int nonholonomic_level,
                                std::span<double> rows) const {
  const auto at = [&]<class S>(const Equation& e, S) {
    std::vector<S>& z = workspace<S>(0);
    z.resize(1 + 3 * size());
    z[time] = along_time<S>(p.t, 1.0, 0.0);
    for (const int i : e.used) {
      if (i == time) continue;
      const int u = unknown_of(i);
      const double q = p.value[u], v = p.rate[u], a = p.acceleration[u];
      z[i] = (i - 1) % 3 == 0 ? along_time<S>(q, v, a) : along_time<S>(v, a, 0.0);
    }
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
