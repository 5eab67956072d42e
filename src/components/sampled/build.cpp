#include "components/sampled/build.hpp"

#include <fmt/format.h>

#include "components/control/parts.hpp"
#include "components/control/switching.hpp"

namespace escapement::sampled {

void is_sampled(ComponentType& type, std::string output) {
  type.is_block(std::move(output), true);
  type.takes(number("period", "s", "from sample to sample").positive());
  type.takes(number("offset", "s", "time of the first sample").at_least(0).otherwise("0 s"));
  type.takes(number("delay", "s", "from a sample to its output: the time of computing, at most the period")
                 .at_least(0)
                 .otherwise("0 s"));
  type.takes(control::initial_output("zero"));
  type.shape = {"block"};
}

void add_program(Build& b, const std::vector<Signal<1>>& inputs, std::vector<double> memory,
                 SampledProgram program, const std::vector<double>& otherwise) {
  const double period = b.number("period"), delay = b.number("delay");
  if (delay > period)
    b.refuse("E-RANGE", "delay", fmt::format("{:g} s is longer than the period, {:g} s", delay, period),
             "whole periods by a sampled.delay");
  const auto y = b.outputs();
  const std::vector<double> start = b.has("initial.output") || otherwise.empty()
                                        ? control::per_part(b, "initial.output", y.size())
                                        : otherwise;
  Sampler sampler{b.path(),          period, b.number("offset"), delay, inputs, y, {}, std::move(memory),
                  std::move(program)};
  for (std::size_t i = 0; i < y.size(); ++i) {
    sampler.held.push_back(b.add(control::Held{y[i]}));
    b.start_memory(sampler.held.back(), 0, start[i]);
  }
  b.sampler(std::move(sampler));
}

void add_part_by_part(Build& b, const std::vector<double>& memory, const SampledProgram& program) {
  const auto u = b.wide_signal("input");
  const std::size_t n = u.size(), m = memory.size();
  std::vector<double> all;
  for (std::size_t i = 0; i < n; ++i) all.insert(all.end(), memory.begin(), memory.end());
  add_program(b, u, std::move(all),
              [=](double t, std::span<const double> in, std::span<double> out, std::span<double> kept) {
                for (std::size_t i = 0; i < n; ++i)
                  program(t, in.subspan(i, 1), out.subspan(i, 1), kept.subspan(i * m, m));
              });
}

SampledProgram linear_program(Matrices a) {
  return [a = std::move(a)](double, std::span<const double> u, std::span<double> y, std::span<double> x) {
    thread_local std::vector<double> next;
    next.assign(a.states, 0.0);
    const auto add = [](std::span<double> to, const std::vector<double>& M, std::span<const double> from) {
      for (std::size_t i = 0; i < to.size(); ++i)
        for (std::size_t j = 0; j < from.size(); ++j) to[i] += M[i * from.size() + j] * from[j];
    };
    std::fill(y.begin(), y.end(), 0.0);
    add(y, a.C, x);
    add(y, a.D, u);
    add(next, a.A, x);
    add(next, a.B, u);
    std::copy(next.begin(), next.end(), x.begin());
  };
}

}  // namespace escapement::sampled
