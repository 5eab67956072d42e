// The same mechanisms in Simbody and here, in one process, at equal measured error: time of the processor, start included,
// to bring the tip to a final time with an error of 1e-2 … 1e-6 m. Simbody works in joint angles by recursion along the
// tree and chooses its steps; here every body has six coordinates, and the step is constant. Arguments: largest and
// smallest number of bodies.
#include <cstdlib>
#include <functional>

#include "mechanisms.hpp"
#include "peer/simbody_peer.hpp"
#include "report.hpp"
#include "steppers/generalized_alpha.hpp"

using namespace escapement;
using namespace escapement::benchmarks;

namespace {

// ------------------------------------------------------------------ the mechanisms for Simbody

PeerFrame frame(const Rotation<double>& R, const Vector3& x) {
  return {{R.w, R.u[0], R.u[1], R.u[2]}, {x[0], x[1], x[2]}};
}

PeerModel model_of(const HingeChain& chain) {
  using M = HingeChain;
  const Vector3 half{{0.5 * M::length, 0, 0}};
  PeerModel model{{0, 0, -M::g}, {}, {}, chain.n - 1, {half[0], 0, 0}};
  for (int i = 0; i < chain.n; ++i) {
    const Rotation<double> marker = marker_along(M::axis(i));
    model.bodies.push_back({i - 1,
                            i > 0 ? frame(marker, half) : frame(M::down() * marker, {}),
                            frame(marker, -half),
                            M::mass,
                            {M::slim, M::wide, M::wide},
                            M::angle(i, chain.n),
                            0});
  }
  return model;
}

/// The same tree of hinges and the same two equations per loop.
PeerModel model_of(const FourBars& row) {
  using M = FourBars;
  const Vector3 half{{0.5 * M::length, 0, 0}};
  const std::array<double, 3> end{half[0], 0, 0}, inertia{M::slim, M::wide, M::wide};
  PeerModel model{{0, -M::g, 0}, {}, {}, 0, end};
  int left = -1;  // the upright at the left
  for (int i = 0; i <= row.n; ++i) {
    const int upright = static_cast<int>(model.bodies.size());
    const Vector3 foot{{i * M::length, 0, 0}};
    model.bodies.push_back({-1, frame({}, foot), frame({}, -half), M::mass, inertia, 0.5 * M_PI, -1});
    if (i > 0) {  // a coupler; its angle counts from the upright at its left
      model.bodies.push_back({left, frame({}, half), frame({}, -half), M::mass, inertia, -0.5 * M_PI, 1});
      model.closures.push_back({upright, upright + 1, end, end});
    }
    left = upright;
  }
  return model;
}

// ------------------------------------------------------------------ time and error

struct Run {
  double time = INFINITY, error = INFINITY;  // s, m
  Vector3 tip{{NAN, NAN, NAN}};
  int method = 0;
  std::string how;
};

double distance(const Vector3& a, const Vector3& b) { return norm(a - b); }

/// The best of up to five calls, fewer if they are long.
double stopwatch(const std::function<void()>& f) {
  double best = 1e300, sum = 0;
  for (int k = 0; k < 5 && sum < 1; ++k) {
    const double time = seconds<ProcessorClock>(f, 1, k == 0 ? 0 : 0.005);
    best = std::min(best, time);
    sum += time;
  }
  return best;
}

Run run_peer(const Peer& peer, int method, double accuracy, double until, double longest) {
  Run r{.method = method, .how = fmt::format("{} at {:.0e}", Peer::methods()[method].name, accuracy)};
  try {
    r.time = stopwatch([&] {
      const auto tip = peer.run(method, accuracy, until, longest);
      r.tip = {{tip[0], tip[1], tip[2]}};
    });
  } catch (const std::exception& e) {
    fmt::print(stderr, "Simbody, {}: {}\n", r.how, e.what());
    r.time = INFINITY;
  }
  return r;
}

template <class Mechanism>
Run run_here(const Mechanism& mechanism, int steps, double until) {
  const double h = until / steps;
  Run r{.how = fmt::format("h = {:.4g} ms", h * 1e3)};
  bool ok = true;
  r.time = stopwatch([&] {
    GeneralizedAlpha stepper(mechanism.system, {});
    State s = mechanism.initial();
    stepper.start(s);
    for (int k = 0; k < steps && ok; ++k) ok = stepper.advance(s, h).ok();
    r.tip = mechanism.tip(s);
  });
  if (!ok) {
    fmt::print(stderr, "here, {}: a step failed\n", r.how);
    r.time = INFINITY;
  }
  return r;
}

/// The least time to an error: of the fastest run that is as good, or between two runs of one method, on a straight line
/// of the logarithms.
Run at_error(const std::vector<Run>& runs, double error) {
  Run best;
  for (const Run& a : runs) {
    if (!(a.error <= error)) continue;
    if (a.time < best.time) best = a;
    for (const Run& b : runs) {
      if (a.method != b.method || !(error < b.error && b.error < INFINITY && b.time < a.time)) continue;
      const double part = std::log(error / b.error) / std::log(a.error / b.error);
      const double time = b.time * std::pow(a.time / b.time, part);
      if (time < best.time) best = {time, error, {}, a.method, Peer::methods()[a.method].name};
    }
  }
  return best;
}

/// `longest`: seconds that a run may take before finer ones are left out.
template <class Mechanism>
void compare(const std::string& name, int size, double until, double longest) {
  const Mechanism mechanism(size);
  const PeerModel model = model_of(mechanism);
  const Peer peer(model);
  const auto say = [&](const std::string& what, double ratio, const std::string& against, double value,
                       const std::string& unit) {
    report("simbody", fmt::format("{}, {:g} s, {}", name, until, what), ratio, against, value, unit);
  };

  // The reference: Simbody at its finest, by two methods where that does not take too long; and below the extrapolation
  // (Richardson) of the finest runs here.
  const int bodies = static_cast<int>(model.bodies.size());
  const bool long_chain = bodies > Peer::methods()[1].most_bodies;
  const Run reference = run_peer(peer, 0, long_chain ? 1e-9 : 1e-11, until, 300);
  const double way = distance(reference.tip, mechanism.tip(mechanism.initial()));
  say("way of the tip", 0, "none", way, "m");
  if (!long_chain)
    say("RungeKuttaMerson and CPodes at 1e-11 differ by", 0, "none",
        distance(reference.tip, run_peer(peer, 1, 1e-11, until, 300).tip), "m");

  std::vector<Run> theirs, ours;
  for (int m = 0; m < static_cast<int>(Peer::methods().size()); ++m) {
    const auto& [method, finest, most_bodies] = Peer::methods()[m];
    if (bodies > most_bodies) continue;
    // Coarse accuracies waste time on long chains: steps at the limit of stability that fail.
    for (double accuracy = bodies < 1000 ? 1e-1 : 1e-4; accuracy > 0.5 * finest; accuracy *= 0.1) {
      Run r = run_peer(peer, m, accuracy, until, longest);
      r.error = distance(r.tip, reference.tip);
      if (!(r.time < INFINITY)) {
        if (accuracy < 1e-3) break;
        continue;
      }
      theirs.push_back(r);
      say("Simbody " + r.how, r.error, "error in m", r.time * 1e3, "ms");
      if (r.error < 1e-7 || r.time > longest) break;
    }
  }
  for (int steps = 4; steps < 1 << 20; steps *= 2) {
    Run r = run_here(mechanism, steps, until);
    r.error = distance(r.tip, reference.tip);
    if (!(r.time < INFINITY)) continue;
    ours.push_back(r);
    say("here " + r.how, r.error, "error in m", r.time * 1e3, "ms");
    if (r.error < 5e-7 || 2 * r.time > longest) break;
  }
  if (ours.size() > 1) {
    const Vector3 fine = ours.back().tip, coarse = ours[ours.size() - 2].tip;
    say("extrapolation here and Simbody differ by", 0, "none",
        distance(fine + (1.0 / 3) * (fine - coarse), reference.tip), "m");
  }
  for (double error : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) {
    const Run a = at_error(ours, error), b = at_error(theirs, error);
    if (error > 0.1 * way || !(a.time < INFINITY) || !(b.time < INFINITY)) continue;
    say(fmt::format("to an error of {:.0e} m", error), a.time / b.time,
        fmt::format("Simbody, {}: {:.4g} ms", b.how, b.time * 1e3), a.time * 1e3, "ms");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int largest = argc > 1 ? std::atoi(argv[1]) : 40000, smallest = argc > 2 ? std::atoi(argv[2]) : 1;
  const auto wanted = [&](int bodies) { return smallest <= bodies && bodies <= largest; };
  struct Case {
    int size;
    double until, longest;
  };
  for (const auto& [n, until, longest] :
       {Case{1, 2, 2}, {10, 2, 5}, {100, 2, 10}, {400, 1, 20}, {4000, 0.5, 20}, {40000, 0.1, 20}})
    if (wanted(n)) compare<HingeChain>(chain_name(n), n, until, longest);
  for (const auto& [n, until, longest] : {Case{1, 0.5, 2}, {10, 0.5, 5}, {100, 0.5, 20}})
    if (wanted(2 * n + 1)) compare<FourBars>(four_bars_name(n), n, until, longest);
}
