// Forward-mode dual numbers: a value and its derivatives along N directions at once.
// Dual<N, Dual<M>> is the hyper-dual number: N inner directions, each differentiated along M outer ones.
// Kernels are plain scalar code templated on the scalar (docs/theory.md, T-dual).
#pragma once
#include <cmath>
#include <type_traits>

namespace escapement {

template <int N, class B = double>
struct Dual {
  B v{};     // value
  B d[N]{};  // derivatives along the N directions

  constexpr Dual() = default;
  constexpr Dual(double value) : v(value) {}  // NOLINT: a number is a dual without derivatives
  template <class C, class = std::enable_if_t<!std::is_same_v<C, double> && std::is_same_v<C, B>>>
  constexpr Dual(const C& value) : v(value) {}  // NOLINT

  Dual operator-() const {
    Dual r;
    r.v = -v;
    for (int i = 0; i < N; ++i) r.d[i] = -d[i];
    return r;
  }
  Dual& operator+=(const Dual& o) {
    v += o.v;
    for (int i = 0; i < N; ++i) d[i] += o.d[i];
    return *this;
  }
  Dual& operator-=(const Dual& o) {
    v -= o.v;
    for (int i = 0; i < N; ++i) d[i] -= o.d[i];
    return *this;
  }
  Dual& operator*=(const Dual& o) { return *this = *this * o; }
  Dual& operator/=(const Dual& o) { return *this = *this / o; }
  Dual& operator+=(double o) {
    v += o;
    return *this;
  }
  Dual& operator-=(double o) {
    v -= o;
    return *this;
  }
  Dual& operator*=(double o) {
    v *= o;
    for (int i = 0; i < N; ++i) d[i] *= o;
    return *this;
  }
  Dual& operator/=(double o) { return *this *= 1.0 / o; }

  friend Dual operator+(Dual a, const Dual& b) { return a += b; }
  friend Dual operator-(Dual a, const Dual& b) { return a -= b; }
  friend Dual operator+(Dual a, double b) { return a += b; }
  friend Dual operator+(double a, Dual b) { return b += a; }
  friend Dual operator-(Dual a, double b) { return a -= b; }
  friend Dual operator-(double a, const Dual& b) { return -b + a; }
  friend Dual operator*(Dual a, double b) { return a *= b; }
  friend Dual operator*(double a, Dual b) { return b *= a; }
  friend Dual operator*(const Dual& a, const Dual& b) {
    Dual r;
    r.v = a.v * b.v;
    for (int i = 0; i < N; ++i) r.d[i] = a.v * b.d[i] + a.d[i] * b.v;
    return r;
  }
  friend Dual operator/(Dual a, double b) { return a *= 1.0 / b; }
  friend Dual operator/(const Dual& a, const Dual& b) {
    Dual r;
    const B inverse = 1.0 / b.v;
    r.v = a.v * inverse;
    for (int i = 0; i < N; ++i) r.d[i] = (a.d[i] - r.v * b.d[i]) * inverse;
    return r;
  }
  friend Dual operator/(double a, const Dual& b) { return Dual(a) / b; }

  friend bool operator<(const Dual& a, const Dual& b) { return a.v < b.v; }
  friend bool operator>(const Dual& a, const Dual& b) { return b.v < a.v; }
  friend bool operator<=(const Dual& a, const Dual& b) { return !(b.v < a.v); }
  friend bool operator>=(const Dual& a, const Dual& b) { return !(a.v < b.v); }
};

/// The plain number inside any nesting.
inline double value(double x) { return x; }
template <int N, class B>
double value(const Dual<N, B>& x) {
  return value(x.v);
}

/// Zero with all its derivatives.
inline bool vanishes(double x) { return x == 0; }
template <int N, class B>
bool vanishes(const Dual<N, B>& x) {
  for (const B& d : x.d)
    if (!vanishes(d)) return false;
  return vanishes(x.v);
}

/// f(x) with derivative slope, one level: every elementary function below is this chain rule.
template <int N, class B>
Dual<N, B> chain(const Dual<N, B>& x, const B& f, const B& slope) {
  Dual<N, B> r;
  r.v = f;
  for (int i = 0; i < N; ++i) r.d[i] = slope * x.d[i];
  return r;
}

// Plain doubles use <cmath>; duals differentiate exactly, to any nesting.
using std::abs, std::atan, std::atan2, std::cos, std::cosh, std::exp, std::expm1, std::log, std::log1p,
    std::pow, std::sin, std::sinh, std::sqrt, std::tan, std::tanh;

template <int N, class B>
Dual<N, B> sin(const Dual<N, B>& x) {
  return chain(x, B(sin(x.v)), B(cos(x.v)));
}
template <int N, class B>
Dual<N, B> cos(const Dual<N, B>& x) {
  return chain(x, B(cos(x.v)), B(-sin(x.v)));
}
template <int N, class B>
Dual<N, B> tan(const Dual<N, B>& x) {
  const B f = tan(x.v);
  return chain(x, f, B(1.0 + f * f));
}
template <int N, class B>
Dual<N, B> exp(const Dual<N, B>& x) {
  const B f = exp(x.v);
  return chain(x, f, f);
}
template <int N, class B>
Dual<N, B> log(const Dual<N, B>& x) {
  return chain(x, B(log(x.v)), B(1.0 / x.v));
}
template <int N, class B>
Dual<N, B> expm1(const Dual<N, B>& x) {
  const B f = expm1(x.v);
  return chain(x, f, B(f + 1.0));
}
template <int N, class B>
Dual<N, B> log1p(const Dual<N, B>& x) {
  return chain(x, B(log1p(x.v)), B(1.0 / (1.0 + x.v)));
}
template <int N, class B>
Dual<N, B> sqrt(const Dual<N, B>& x) {
  const B f = sqrt(x.v);
  return chain(x, f, B(0.5 / f));
}
template <int N, class B>
Dual<N, B> sinh(const Dual<N, B>& x) {
  return chain(x, B(sinh(x.v)), B(cosh(x.v)));
}
template <int N, class B>
Dual<N, B> cosh(const Dual<N, B>& x) {
  return chain(x, B(cosh(x.v)), B(sinh(x.v)));
}
template <int N, class B>
Dual<N, B> tanh(const Dual<N, B>& x) {
  const B f = tanh(x.v);
  return chain(x, f, B(1.0 - f * f));
}
template <int N, class B>
Dual<N, B> atan(const Dual<N, B>& x) {
  return chain(x, B(atan(x.v)), B(1.0 / (1.0 + x.v * x.v)));
}
template <int N, class B>
Dual<N, B> atan2(const Dual<N, B>& y, const Dual<N, B>& x) {
  const B r2 = x.v * x.v + y.v * y.v;
  Dual<N, B> r;
  r.v = atan2(y.v, x.v);
  for (int i = 0; i < N; ++i) r.d[i] = (x.v * y.d[i] - y.v * x.d[i]) / r2;
  return r;
}
template <int N, class B>
Dual<N, B> pow(const Dual<N, B>& x, double p) {
  return chain(x, B(pow(x.v, p)), p == 0 ? B(0.0) : B(p * pow(x.v, p - 1.0)));
}
template <int N, class B>
Dual<N, B> abs(const Dual<N, B>& x) {
  return value(x) < 0 ? -x : x;
}

template <class S>
S square(const S& x) {
  return x * x;
}

}  // namespace escapement
