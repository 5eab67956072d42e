#include "components/control/delay.hpp"

#include <algorithm>
#include <cmath>

#include "model/component.hpp"

namespace escapement {
namespace control {

using Sample = DelayHistory::Sample;

Delay::Delay(Signal<1> input, Signal<1> output, double delay, std::optional<double> before)
    : delay_(delay), before_(before) {
  unknowns = {Unknown::of(input), Unknown::of(output)};
}

void Delay::evaluate(const Point& p, Parts& parts) const {
  const Value y = delayed(p.t, *p.history);
  parts.flow.row[1] += p.value[1] - y.value - y.weight * p.value[0];
  if (!parts.slopes()) return;
  parts.flow.K[1 * parts.n + 1] += 1;
  parts.flow.K[1 * parts.n + 0] -= y.weight;
}

Delay::Value Delay::delayed(double t, const DelayHistory& history) const {
  const std::vector<Sample>& s = history.samples;
  const double at = t - delay_;
  if (s.empty()) return before_ ? Value{*before_, 0} : Value{0, 1};  // the start: the input as it is now
  const bool now = t > s.back().time;                                // the end of a step, not yet remembered
  const double close = 1e-8 * (now ? t - s.back().time : 0.0);

  // The piece that is coming out: [begin, end) of the samples, and the present value if the piece is still going on. A
  // piece has come out when it is behind us, or when the step that ends at its beginning is over.
  const auto later = std::upper_bound(s.begin() + static_cast<std::ptrdiff_t>(history.first), s.end(), at,
                                      [](double time, const Sample& x) { return time < x.time; });
  std::size_t i = later - s.begin();  // one past the last sample that is not after `at`
  const auto is_out = [&](const Sample& x) { return x.time <= history.passed || at > x.time + close; };
  while (i > history.first && s[i - 1].fresh && !is_out(s[i - 1])) --i;
  for (std::size_t k = i; k < s.size() && s[k].time <= history.passed; ++k)
    if (s[k].fresh) i = k + 1;  // passed a little early
  if (i == history.first) return {before_ ? *before_ : s[history.first].value, 0};

  std::size_t begin = i - 1, end = i;
  while (begin > history.first && !s[begin].fresh) --begin;
  // Of later samples only those that are known whenever this interval comes out: what was read stays as it was read, however
  // much is remembered later (T-delay-4).
  while (end < s.size() && !s[end].fresh && end < i + 2 &&
         (end == i || s[end].known <= s[i - 1].time + delay_))
    ++end;
  const bool open = now && end == s.size();  // the present value may take part
  const bool needed = open && at > s.back().time;
  // Four neighbours, two on each side where there are as many.
  std::size_t first = i >= begin + 2 ? i - 2 : begin;
  std::size_t last = std::min(end, first + (needed ? 3 : 4));
  first = last >= begin + (needed ? 3 : 4) ? last - (needed ? 3 : 4) : begin;
  const bool use_now = needed || (open && last - first < 2 && last == s.size());

  Value y{0, 0};
  const auto weight = [&](double own, std::size_t skip) {  // Lagrange
    double w = 1;
    for (std::size_t k = first; k < last; ++k)
      if (k != skip) w *= (at - s[k].time) / (own - s[k].time);
    return use_now && skip < s.size() ? w * (at - t) / (own - t) : w;
  };
  for (std::size_t k = first; k < last; ++k) y.value += weight(s[k].time, k) * s[k].value;
  if (use_now) y.weight = weight(t, s.size());
  return y;
}

void Delay::remember(const Point& p, DelayHistory& history, bool fresh, double known) const {
  std::vector<Sample>& s = history.samples;
  const double u = p.value[0];
  // What was remembered at this very instant gives way: pieces without a length are none.
  if (fresh && s.size() > 1 && s.back().fresh && s.back().time == p.t) {
    s.pop_back();
    if (!history.jumps.empty() && history.jumps.back() == p.t) history.jumps.pop_back();
  }
  const bool start = s.empty();
  if (start) history.passed = -std::numeric_limits<double>::infinity();
  // Only what jumped must be met exactly when it comes out; a kink costs no order.
  if (fresh && (start || std::abs(u - s.back().value) > 1e-9 * (std::abs(u) + std::abs(s.back().value))))
    history.jumps.push_back(p.t);
  s.push_back({p.t, u, fresh, known});
  while (history.first + 4 < s.size() && s[history.first + 3].time < p.t - delay_) ++history.first;
  if (history.first > s.size() / 2 && history.first > 64) {
    s.erase(s.begin(), s.begin() + static_cast<std::ptrdiff_t>(history.first));
    history.first = 0;
  }
}

double Delay::next_break(const DelayHistory& history) const {
  return history.jumps.empty() ? std::numeric_limits<double>::infinity() : history.jumps.front() + delay_;
}

void Delay::pass_break(double t, double slack, DelayHistory& history) const {
  history.passed = std::max(history.passed, t + slack - delay_);
  std::erase_if(history.jumps, [&](double time) {
    if (time + delay_ > t + slack) return false;
    history.passed = std::max(history.passed, time);  // whatever rounding makes of t − τ
    return true;
  });
}

}  // namespace control

ComponentType control_delay() {
  ComponentType type("control.delay", "A transport delay: output(t) = input(t − delay).");
  type.description =
      "Exact but for the interpolation of the input between the ends of steps, which is cubic within each "
      "smooth piece and so keeps second order with constant and varying steps; steps end where a jump of "
      "the input comes out again. The delay may be shorter than the step. Before the start the input was "
      "`initial.input`, by default what it is at the start (in a loop of signals alone give it, for else "
      "the start has a loop to solve). For a rational approximation see "
      "control.pade_delay.";
  type.is_block("the delayed signal", true);
  type.connects(input("any", "the signal to delay").any_width());
  type.takes(number("delay", "s", "how long").positive());
  type.takes(group(
      "initial", {number("input", "any", "the input before the start; as at the start if absent").optional()},
      "values before the start"));
  type.signs = "The output repeats the input.";
  type.shape = {"block"};
  type.example = R"yaml(
wave: {type: control.sine, amplitude: 3, frequency: 1 Hz}
late: {type: control.delay, delay: 0.13 s, input: wave}
step: {type: control.step, time: 0.2 s}
echo: {type: control.delay, delay: 0.333 s, input: step, initial: {input: -1}}
)yaml";
  type.build = [](Build& b) {
    const auto in = b.wide_signal("input"), out = b.outputs();
    std::optional<double> before;
    if (b.has("initial.input")) before = b.number("initial.input");
    for (std::size_t i = 0; i < out.size(); ++i)
      b.system.add_dynamic(std::make_unique<control::Delay>(in[i], out[i], b.number("delay"), before));
  };
  return type;
}

}  // namespace escapement
