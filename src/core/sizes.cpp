#include "core/sizes.hpp"

namespace escapement {
namespace {

double norm(const std::vector<double>& numbers, int first, int parts) {
  if (parts == 1) return std::abs(numbers[first]);
  double square = 0;
  for (int k = first; k < first + parts; ++k) square += numbers[k] * numbers[k];
  return std::sqrt(square);
}

}  // namespace

Sizes::Sizes(const System& system) : system_(system) {
  for (const Variable& v : system.variables()) {
    if (v.kind != Kind::position) continue;
    if (v.manifold == Manifold::vector) {
      vectors_.push_back({v.row, v.dofs, v.value});
      continue;
    }
    const int lengths = v.dofs - 3;  // a frame has an origin, behind its rotation
    if (lengths > 0) vectors_.push_back({v.row, lengths, v.value + 4});
    vectors_.push_back({v.row + lengths, 3, -1});
  }
}

void Sizes::raise(const State& state, std::span<double> largest) const {
  const int n = system_.size(), positions = system_.rows(Kind::position).end;
  const auto at = system_.value_of_row();
  for (const Vector& v : vectors_) {
    const double size = v.value >= 0 ? norm(state.value, v.value, v.parts) : 1.0;
    const double speed = norm(state.rate, v.row, v.parts);
    for (int i = v.row; i < v.row + v.parts; ++i) {
      largest[i] = std::max(largest[i], size);
      largest[n + i] = std::max(largest[n + i], speed);
    }
  }
  for (int i = positions; i < n; ++i) largest[i] = std::max(largest[i], std::abs(state.value[at[i]]));
}

void Sizes::look_ahead(const State& state, double seconds, std::span<double> sizes) const {
  const int n = system_.size();
  const Range states = system_.rows(Kind::state);
  for (const Vector& v : vectors_) {
    const double faster = seconds * norm(state.acceleration, v.row, v.parts);
    const double further = seconds * std::max(norm(state.rate, v.row, v.parts), faster);
    for (int i = v.row; i < v.row + v.parts; ++i) {
      sizes[i] = std::max(sizes[i], further);
      sizes[n + i] = std::max(sizes[n + i], faster);
    }
  }
  for (int i = states.begin; i < states.end; ++i)
    sizes[i] = std::max(sizes[i], seconds * std::abs(state.rate[i]));
}

}  // namespace escapement
