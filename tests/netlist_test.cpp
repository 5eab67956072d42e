// A netlist and the same circuit written in YAML are the same model; netlists within models, against closed solutions.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <complex>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "analyses/simulate.hpp"
#include "components/registry.hpp"

using namespace escapement;

namespace {

const Registry& registry() {
  static const Registry r = standard_registry();
  return r;
}

/// A folder with files, gone at the end.
struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("escapement-netlist-" + std::to_string(::getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path / name) << text; }
  Model read(const std::string& name) const { return Model::read_file(path / name, registry()); }
};

/// One channel at the last step.
struct Last final : RunObserver {
  const Assembly* assembly = nullptr;
  std::map<std::string, double> values;
  void row(const State& s) override {
    for (const Channel& c : assembly->channels) values[c.name] = assembly->read(c, s);
  }
  bool step(const StepDone&) override { return true; }
};

std::map<std::string, double> at_the_end(const Model& model) {
  const Assembly assembly = assemble(model);
  Last last;
  last.assembly = &assembly;
  simulate(assembly, simulate_options(model), last);
  return last.values;
}

const std::string filter =
    "RC low-pass\n.param r=1k\nVin in 0 SIN(0 1 1k)\nR1 in out {r}\nC1 out 0 100n\n.end\n";

}  // namespace

TEST_CASE("a netlist is the same model as its components written out") {
  const Folder folder;
  folder.write("filter.cir", filter);
  folder.write("filter.yaml",
               "escapement: 1\nparameters: {r: 1 kohm}\nports: {out: electrical, drive: signal}\nnodes: "
               "{electrical: [in]}\n"
               "components:\n"
               "  vin: {type: electric.voltage_source, between: [in, ground], input: drive}\n"
               "  r1: {type: electric.resistor, resistance: r, between: [in, out]}\n"
               "  c1: {type: electric.capacitor, capacitance: 1e-7 F, between: [out, ground]}\n");
  const auto model = [](const std::string& use, const std::string& port) {
    return "escapement: 1\nnodes: {electrical: [plug]}\ncomponents:\n"
           "  wave: {type: control.sine, amplitude: 2 V, frequency: 500 Hz, unit: V}\n"
           "  amp: {for: {i: 1..2}, use: " +
           use + ", with: {r: (2 kohm)*i}, connect: {out: plug, " + port +
           ": wave}}\n"
           "  load: {type: electric.resistor, resistance: 10 kohm, between: [plug, ground]}\n"
           "simulate: {until: 1 ms, step: 5 us}\nrecord: all\n";
  };
  folder.write("a.yaml", model("filter.cir", "vin"));
  folder.write("b.yaml", model("filter.yaml", "drive"));
  const auto a = at_the_end(folder.read("a.yaml")), b = at_the_end(folder.read("b.yaml"));
  CHECK(a.size() > 10);
  CHECK(a == b);  // to the last bit
  // What is unfolded reads back as the same model.
  folder.write("flat.yaml", write_yaml(folder.read("a.yaml").flattened()));
  CHECK(at_the_end(folder.read("flat.yaml")) == a);
}

TEST_CASE("an RC low-pass of a netlist against its transfer function") {
  const Folder folder;
  folder.write("filter.cir", filter);
  folder.write("model.yaml",
               "escapement: 1\nnodes: {electrical: [plug]}\ncomponents:\n"
               "  amp: {use: filter.cir, with: {r: 2 kohm}, connect: {out: plug}}\n"
               "  load: {type: electric.resistor, resistance: 10 kohm, between: [plug, ground]}\n"
               "simulate: {until: 5 ms, step: 5 us}\nrecord: all\n");
  const double w = 2000 * std::numbers::pi, t = 5e-3;
  const std::complex<double> i(0, 1), load = 1.0 / (1 / 10e3 + i * w * 100e-9);
  const double expected = (load / (2e3 + load) * std::exp(i * w * t)).imag();
  // Second order: (w h)^2/12 = 8e-5 of the amplitude.
  CHECK(at_the_end(folder.read("model.yaml")).at("plug.voltage") == doctest::Approx(expected).epsilon(1e-4));
}

TEST_CASE("subcircuits, behavioural sources and channels by path") {
  const Folder folder;
  folder.write("divider.cir",
               "two dividers\nV1 in 0 10\nX1 in mid half\nX2 mid out half r=2k\nB1 b 0 "
               "V={v(x1.m)*i(v1)*1k}\nRb b 0 1k\n"
               ".subckt half a b r=1k\nR1 a m {r/2}\nR2 m b {r/2}\nR3 b 0 {r}\n.ends\n");
  folder.write("model.yaml",
               "escapement: 1\ncomponents:\n  net: {use: divider.cir}\nsimulate: {until: 1 ms, step: 1 "
               "ms}\nrecord: all\n");
  const auto values = at_the_end(folder.read("model.yaml"));
  // Seen from `mid`: R3 = 1k beside 2k + 2k; then by Ohm.
  const double mid = 10 * 0.8 / 1.8, current = -10 / 1.8e3;
  CHECK(values.at("net.mid.voltage") == doctest::Approx(mid));
  CHECK(values.at("net.out.voltage") == doctest::Approx(mid / 2));
  CHECK(values.at("net.v1.current") == doctest::Approx(current));
  CHECK(values.at("net.x2.r3.current") == doctest::Approx(mid / 4e3));
  CHECK(values.at("net.b1.voltage") == doctest::Approx((10 + mid) / 2 * current * 1e3));
}
