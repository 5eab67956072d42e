// Stepping from outside: ordinary steps neither allocate nor lock; inputs act as documented; the C interface; the pace.
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <escapement/stepping.h>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <new>

#include "analyses/simulate.hpp"
#include "components/registry.hpp"
#include "core/without_workers.hpp"
#include "core/workers.hpp"
#include "stepping/pace.hpp"
#include "stepping/stepped_model.hpp"

// ------------------------------------------------------------------ counting

namespace {
thread_local long allocations = 0, locks = 0;  // of this thread
}

#if !defined(__SANITIZE_ADDRESS__)  // which has a malloc of its own: counted in the optimised build
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

void* malloc(std::size_t n) {  // also that of operator new and of KLU
  ++allocations;
  return __libc_malloc(n);
}
void* calloc(std::size_t n, std::size_t size) {
  ++allocations;
  return __libc_calloc(n, size);
}
void* realloc(void* p, std::size_t n) {
  ++allocations;
  return __libc_realloc(p, n);
}
void* aligned_alloc(std::size_t alignment, std::size_t n) {
  ++allocations;
  return __libc_memalign(alignment, n);
}
void free(void* p) {
  if (p) ++allocations;  // it may take the same lock
  __libc_free(p);
}
int pthread_mutex_lock(pthread_mutex_t* mutex) {
  using Lock = int (*)(pthread_mutex_t*);
  static const Lock real = reinterpret_cast<Lock>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  ++locks;
  return real(mutex);
}
}
#endif

using namespace escapement;

namespace {

/// A file that lives as long as this.
class ModelFile {
 public:
  explicit ModelFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() / fmt::format("stepped-{}-{}.yaml", getpid(), ++made_)) {
    std::ofstream(path_) << text;
  }
  ~ModelFile() { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  static inline int made_ = 0;
  std::filesystem::path path_;
};

const std::string linkage = R"yaml(escapement: 1
gravity: [0, 0, -9.81 m/s^2]
parameters: {a: 100 mm}
nodes: {electrical: [a1]}
components:
  crank:   {type: body.box, size: [a, 10 mm, 20 mm], density: 2700 kg/m^3, initial: {position: [-a/2, 0, 0]}}
  coupler: {type: body.box, size: [5*a, 10 mm, 20 mm], density: 2700 kg/m^3, initial: {position: [a/2, 0, 2*a], x_axis: [0.6, 0, 0.8], y_axis: [0, 1, 0]}}
  rocker:  {type: body.box, size: [2.5*a, 10 mm, 20 mm], density: 2700 kg/m^3, initial: {position: [1.25*a, 0, a], x_axis: [-0.6, 0, 0.8], y_axis: [0, 1, 0]}}
  O: {type: joint.revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, -1, 0]}
  A: {type: joint.revolute, between: [crank, coupler], at: [-a, 0, 0], axis: [0, -1, 0]}
  R: {type: joint.revolute, between: [ground, rocker], at: [2*a, 0, 0], axis: [0, -1, 0]}
  B: {type: joint.JOINT, between: [rocker, coupler], at: [a/2, 0, 2*a], axis: [0, -1, 0]}
  motor:   {type: electric.dc_motor, resistance: 0.3 ohm, inductance: 1 mH, torque_constant: 0.6 N*m/A, between: [a1, ground], shaft: O, initial: {current: 0 A}}
  voltage: {type: control.input, value: 6 V, unit: V}
  supply:  {type: electric.voltage_source, input: voltage, between: [a1, ground]}
simulate: {until: 5 s, step: 1 ms, scheme: SCHEME}
)yaml";

const std::string rectifier = R"yaml(escapement: 1
nodes: {electrical: [a, out]}
components:
  voltage: {type: control.input, value: 0 V, unit: V}
  source:  {type: electric.voltage_source, input: voltage, between: [a, ground]}
  diode:   {type: electric.diode, saturation_current: 76.9 pA, emission: 1.45, series_resistance: 42 mohm, junction_capacitance: 26.5 pF, between: [a, out]}
  smooth:  {type: electric.capacitor, capacitance: 100 uF, initial: {voltage: 0 V}, between: [out, ground]}
  load:    {type: electric.resistor, resistance: 1 kohm, between: [out, ground]}
simulate: {until: 1 s, step: 0.1 ms, scheme: SCHEME}
)yaml";

const std::string servo = R"yaml(escapement: 1
gravity: [0, 0, -9.81 m/s^2]
nodes: {electrical: [a]}
components:
  arm:     {type: body.rigid, mass: 2 kg, inertia: [[0.002 kg*m^2, 0, 0], [0, 0.03 kg*m^2, 0], [0, 0, 0.03 kg*m^2]], initial: {position: [0.2 m, 0, 0]}}
  joint:   {type: joint.revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, -1, 0]}
  motor:   {type: electric.dc_motor, resistance: 0.3 ohm, inductance: 1 mH, torque_constant: 1.2 N*m/A, between: [a, ground], shaft: joint, initial: {current: 0 A}}
  command: {type: control.input, value: 0 rad, unit: rad}
  control: {type: sampled.pid, period: 2 ms, kp: 60 V/rad, ki: 30 V/rad/s, kd: 2 V*s/rad, minimum: -24 V, maximum: 24 V, setpoint: command, measurement: joint.angle, unit: V}
  supply:  {type: electric.voltage_source, input: control, between: [a, ground]}
simulate: {until: 5 s, step: 0.5 ms, scheme: SCHEME}
)yaml";

const std::string switched = R"yaml(escapement: 1
nodes: {electrical: [a, out]}
components:
  voltage: {type: control.input, value: 0 V, unit: V}
  source:  {type: electric.voltage_source, input: voltage, between: [a, ground]}
  diode:   {type: electric.ideal_diode, between: [a, out]}
  smooth:  {type: electric.capacitor, capacitance: 100 uF, initial: {voltage: 0 V}, between: [out, ground]}
  load:    {type: electric.resistor, resistance: 1 kohm, between: [out, ground]}
  relay:   {type: control.hysteresis, input: voltage, lower: -1 V, upper: 1 V}
simulate: {until: 1 s, step: 0.1 ms, scheme: SCHEME}
)yaml";

std::string with(std::string text, const std::string& name, const std::string& value) {
  for (std::size_t at; (at = text.find(name)) != std::string::npos;) text.replace(at, name.size(), value);
  return text;
}

struct Counted {
  long allocations = 0, locks = 0, pivotings = 0;
  int failed = 0;
};

/// Steps from the very first one on, with an input that changes every time.
template <class F>
Counted counted(SteppedModel& plant, const char* input, const char* output, int steps, const F& signal) {
  const auto u = plant.input(input);
  const auto y = plant.output(output);
  Counted result;
  const long pivotings = plant.pivotings();
  const long allocations_before = allocations, locks_before = locks;
  double sum = 0;
  for (int k = 0; k < steps; ++k) {
    plant.set(u, signal(plant.time() + plant.step_size()));
    if (!plant.step()) ++result.failed;
    sum += plant.read(y);
  }
  result.allocations = allocations - allocations_before;
  result.locks = locks - locks_before;
  result.pivotings = plant.pivotings() - pivotings;
  CHECK(std::isfinite(sum));
  CHECK_MESSAGE(result.failed == 0, plant.message());
  return result;
}

const char* const schemes[] = {"generalized-alpha", "variational", "spook"};

}  // namespace

#if !defined(__SANITIZE_ADDRESS__)
TEST_CASE("the counters count") {
  const long before = allocations, locks_before = locks;
  int* volatile one = new int(3);  // not to be left out
  delete one;
  CHECK(allocations > before);
  std::free(std::malloc(3));
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  CHECK(locks > locks_before);
}
#endif

TEST_CASE("steps neither allocate nor lock, from the first one on") {
  const double turn = 2 * 3.14159265358979;
  const auto wave = [&](double amplitude, double frequency) {
    return [=](double t) { return amplitude * std::sin(turn * frequency * t); };
  };
  for (const std::string scheme : schemes) {
    CAPTURE(scheme);
    {
      INFO("a loop in space, with a motor");
      const ModelFile file(with(with(linkage, "SCHEME", scheme), "JOINT", "point_on_line"));
      SteppedModel plant(file.path());
      const Counted c = counted(plant, "voltage", "O.angle", 2000, [](double t) { return 6 + t; });
      CHECK(c.allocations == 0);
      CHECK(c.locks == 0);
      CHECK(c.pivotings == 0);
      CHECK(std::abs(plant.read(plant.output("O.angle"))) > turn);  // through all positions
    }
    {
      INFO("a loop in space that is closed more than once");
      const ModelFile file(with(with(linkage, "SCHEME", scheme), "JOINT", "revolute"));
      SteppedModel plant(file.path());
      const Counted c = counted(plant, "voltage", "O.angle", 500, [](double t) { return 6 + t; });
      CHECK(c.allocations == 0);
      CHECK(c.locks == 0);
    }
    {
      INFO("a diode");
      const ModelFile file(with(rectifier, "SCHEME", scheme));
      SteppedModel plant(file.path());
      const Counted c = counted(plant, "voltage", "out.voltage", 2000, wave(20, 50));
      CHECK(c.allocations == 0);
      CHECK(c.locks == 0);
      CHECK(plant.read(plant.output("out.voltage")) > 15);
    }
    {
      INFO("a motor that moves an arm, with a sampled controller");
      const ModelFile file(with(servo, "SCHEME", scheme));
      SteppedModel plant(file.path());
      const Counted c = counted(plant, "command", "joint.angle", 2000, wave(0.3, 2));
      CHECK(c.allocations == 0);
      CHECK(c.locks == 0);
      CHECK(std::abs(plant.read(plant.output("joint.angle"))) > 0.05);  // it follows, late
    }
    {
      INFO("modes that change, and jumps that are announced");
      const ModelFile file(with(switched, "SCHEME", scheme));
      SteppedModel plant(file.path());
      (void)counted(plant, "voltage", "out.voltage", 400, wave(20, 50));  // each mode once
      const Counted c = counted(plant, "voltage", "out.voltage", 2000, wave(20, 50));
      CHECK(c.allocations == 0);
      CHECK(c.locks == 0);
      const auto u = plant.input("voltage");
      const long before = allocations;
      bool ok = true;
      for (int k = 0; k < 100; ++k) {
        plant.set(u, k % 2 ? 5.0 : 3.0);
        ok = plant.jump() && plant.step() && ok;
      }
      CHECK(allocations == before);
      CHECK_MESSAGE(ok, plant.message());
    }
  }
}

TEST_CASE("delays do not allocate once they remember all they need") {
  const ModelFile file(R"yaml(escapement: 1
components:
  u: {type: control.input, value: 0}
  late: {type: control.delay, delay: 50 ms, input: u}
simulate: {until: 1 s, step: 1 ms}
)yaml");
  SteppedModel plant(file.path());
  const auto ramp = [](double t) { return t; };
  (void)counted(plant, "u", "late", 400, ramp);
  CHECK(counted(plant, "u", "late", 2000, ramp).allocations == 0);
  CHECK(plant.read(plant.output("late")) == doctest::Approx(plant.time() - 0.05));
}

// ------------------------------------------------------------------ what inputs do

TEST_CASE("a stepped model does what a run does") {
  const Registry registry = standard_registry();
  for (const std::string scheme : schemes) {
    CAPTURE(scheme);
    const std::string text = with(with(linkage, "SCHEME", scheme), "JOINT", "point_on_line");
    const ModelFile file(text);
    SteppedModel plant(file.path(), {{{"voltage.value", "8 V"}, {"simulate.step", "2 ms"}}});
    CHECK(plant.step_size() == 2e-3);
    for (int k = 0; k < 150; ++k) REQUIRE(plant.step());
    const Model model = Model::read_text(
        with(with(text, "6 V", "8 V"), "5 s, step: 1 ms", "0.3 s, step: 2 ms"), "model", registry);
    const Assembly assembly = assemble(model);
    struct Silent final : RunObserver {
      void row(const State&) override {}
      bool step(const StepDone&) override { return true; }
    } observer;
    const RunResult run = simulate(assembly, simulate_options(model), observer);
    CHECK(plant.time() == doctest::Approx(0.3).epsilon(1e-12));
    for (const Channel& c : assembly.channels) {
      const double there = assembly.read(c, run.state), here = plant.read(plant.output(c.name));
      CAPTURE(c.name);
      CHECK(std::abs(here - there) <= 1e-7 * (1 + std::abs(there)));
    }
  }
}

TEST_CASE("an input acts through the whole step; jumps are announced") {
  const std::string text = R"yaml(escapement: 1
components:
  force: {type: control.input, value: [0 N, 0], unit: N}
  mass:  {type: translational.mass, mass: 2 kg}
  push:  {type: translational.force, at: mass, input: force.1}
simulate: {until: 1 s, step: 10 ms, scheme: SCHEME}
)yaml";
  for (const std::string scheme : schemes) {
    CAPTURE(scheme);
    const ModelFile file(with(text, "SCHEME", scheme));
    const double h = 0.01;
    {  // the value is there at the end of the step
      SteppedModel plant(file.path());
      const auto force = plant.input("force.1");
      const auto a = plant.output("mass.acceleration"), f = plant.output("force.1");
      plant.set(force, 4.0);
      REQUIRE(plant.step());
      CHECK(plant.read(f) == doctest::Approx(4));
      CHECK(plant.read(a) == doctest::Approx(2));
    }
    {  // smooth: second order, 6t at the ends of steps; v = 1.5 t²
      SteppedModel plant(file.path());
      const auto force = plant.input("force.1.output");
      for (int k = 1; k <= 100; ++k) {
        plant.set(force, 6 * k * h);
        REQUIRE(plant.step());
      }
      const double off = plant.read(plant.output("mass.velocity")) - 1.5;
      // The variational schemes take the value through the step, as it is at its end: half a step early.
      CHECK(std::abs(off) < (scheme == "generalized-alpha" ? 1e-3 : 0.5 * h * 3 + 1e-9));
    }
    {  // a jump that is announced acts from now on, exactly
      SteppedModel plant(file.path());
      const auto force = plant.input("force.1");
      plant.set(force, 4.0);
      REQUIRE(plant.jump());
      CHECK(plant.read(plant.output("mass.acceleration")) == doctest::Approx(2));
      for (int k = 0; k < 10; ++k) REQUIRE(plant.step());
      CHECK(plant.read(plant.output("mass.velocity")) == doctest::Approx(0.2).epsilon(1e-12));
      CHECK(plant.read(plant.output("mass.position")) == doctest::Approx(0.01).epsilon(1e-12));
    }
  }
}

TEST_CASE("steps go to the times of the model's steps, through events and samples") {
  const ModelFile file(R"yaml(escapement: 1
components:
  wave: {type: control.pulse, amplitude: 1, period: 7 ms, width: 3.5 ms}
  held: {type: sampled.hold, period: 3 ms, input: wave}
  end:  {type: event.crossing, inputs: {x: clock}, expression: x - 0.0955, direction: rising, stop: true}
  clock: {type: control.ramp, slope: 1}
simulate: {until: 20 ms, step: 2 ms}
)yaml");
  SteppedModel plant(file.path());
  for (int k = 1; k <= 47; ++k) {  // beyond `until`
    REQUIRE(plant.step());
    CHECK(plant.time() == doctest::Approx(2e-3 * k).epsilon(1e-12));
  }
  CHECK_FALSE(plant.ended());
  plant.step();
  CHECK(plant.ended());
  CHECK_FALSE(plant.failed());
  CHECK(plant.time() == doctest::Approx(0.0955));
  CHECK_FALSE(plant.step());
  CHECK(plant.time() == doctest::Approx(0.0955));
}

TEST_CASE("what cannot be is refused, with the nearest name") {
  const auto told = [](auto&& f) -> std::string {
    try {
      f();
    } catch (const ModelError& e) {
      return e.what();
    }
    return "";
  };
  const auto has = [](const std::string& text, std::string_view part) {
    CAPTURE(text);
    CHECK(text.find(part) != std::string::npos);
  };
  const ModelFile file(with(servo, "SCHEME", "spook"));
  SteppedModel plant(file.path());
  CHECK(plant.inputs() == std::vector<std::string>{"command"});
  has(told([&] { plant.input("comand"); }), "E-CHANNEL");
  has(told([&] { plant.input("comand"); }), "did you mean command?");
  has(told([&] { plant.input("joint.angle"); }), "is an output of the model and cannot be set");
  has(told([&] { plant.output("joint.angel"); }), "did you mean joint.angle?");
  has(told([&] { plant.output("joint"); }), "several channels");
  has(told([&] { plant.set({}, 1.0); }), "E-VALUE");
  has(told([&] { plant.set(plant.input("command"), NAN); }), "E-VALUE");
  CHECK(std::isnan(plant.read({})));
  const ModelFile adaptive(
      with(with(rectifier, "step: 0.1 ms, scheme: SCHEME", "adaptive: true, tolerance: 1e-4"), "scheme",
           "scheme"));
  has(told([&] { SteppedModel refused(adaptive.path()); }), "needs fixed steps");
  has(told([&] { SteppedModel refused("/nowhere/model.yaml"); }), "E-FILE");
}

TEST_CASE("a failure is told, and stays") {
  const ModelFile file(R"yaml(escapement: 1
components:
  u: {type: control.input, value: 1}
  root: {type: control.expression, inputs: {x: u}, expression: sqrt(x)}
simulate: {until: 1 s, step: 0.1 s}
)yaml");
  SteppedModel plant(file.path());
  REQUIRE(plant.step());
  plant.set(plant.input("u"), -1.0);
  CHECK_FALSE(plant.step());
  CHECK(plant.failed());
  CHECK(plant.status() == 4);
  CHECK(plant.message().find("root") != std::string::npos);
  const double t = plant.time();
  CHECK_FALSE(plant.step());
  CHECK(plant.time() == t);
}

TEST_CASE("the interface in C") {
  escapement_model* plant = nullptr;
  CHECK(escapement_open("/nowhere/model.yaml", nullptr, &plant) == 5);
  CHECK(plant == nullptr);
  CHECK(std::string(escapement_message(nullptr)).find("E-FILE") != std::string::npos);
  const ModelFile file(with(servo, "SCHEME", "spook"));
  const char* const wrong[] = {"simulate.step", nullptr};
  CHECK(escapement_open(file.path().c_str(), wrong, &plant) == 2);
  const char* const settings[] = {"simulate.step=1 ms", "arm.mass=3 kg", nullptr};
  REQUIRE(escapement_open(file.path().c_str(), settings, &plant) == 0);
  const int command = escapement_input(plant, "command"), angle = escapement_output(plant, "joint.angle");
  REQUIRE(command >= 0);
  REQUIRE(angle >= 0);
  CHECK(escapement_input(plant, "comand") == -1);
  CHECK(std::string(escapement_message(plant)).find("did you mean command?") != std::string::npos);
  CHECK(escapement_output(plant, "nothing") == -1);
  CHECK(escapement_set(plant, 7, 1.0) == 2);
  CHECK(escapement_set(plant, command, INFINITY) == 2);
  CHECK(std::isnan(escapement_read(plant, -1)));
  CHECK_MESSAGE(escapement_rehearse(plant) == 0, std::string(escapement_message(plant)));
  CHECK(escapement_time(plant) == 0);
  CHECK(escapement_step_size(plant) == 1e-3);
  const long before = allocations;
  int status = 0;
  for (int k = 0; k < 500; ++k) {
    status += escapement_set(plant, command, 0.5);
    if (k == 0) status += escapement_jump(plant);
    status += escapement_step(plant);
  }
  CHECK(allocations == before);
  CHECK(status == 0);
  CHECK(escapement_time(plant) == doctest::Approx(0.5));
  CHECK(escapement_ended(plant) == 0);
  CHECK(escapement_read(plant, angle) > 0.1);
  escapement_close(plant);
  escapement_close(nullptr);
}

TEST_CASE("alone, a thread does all the work itself") {
  Workers::shared().use(3);
  const WithoutWorkers alone;
  const pthread_t self = pthread_self();
  bool same = true;
  Workers::shared().run(100, [&](int) { same = same && pthread_equal(self, pthread_self()) != 0; });
  CHECK(same);
  const long before = locks;
  Workers::shared().run(100, [](int) {});
  CHECK(locks == before);
  Workers::shared().use(1);
}

// ------------------------------------------------------------------ the wall clock

TEST_CASE("durations are counted in bins of 3 %") {
  Durations d;
  CHECK(d.quantile(0.5) == 0);
  for (int k = 1; k <= 1000; ++k) d.add(1e-6 * k);
  CHECK(d.count() == 1000);
  CHECK(d.largest() == 1e-3);
  CHECK(d.quantile(0.5) == doctest::Approx(500e-6).epsilon(0.04));
  CHECK(d.quantile(0.99) == doctest::Approx(990e-6).epsilon(0.04));
  CHECK(d.quantile(1) == 1e-3);
  d.add(0);
  d.add(1e6);  // beyond all bins
  CHECK(d.largest() == 1e6);
  CHECK(d.quantile(0.0001) < 2e-9);
}

TEST_CASE("steps wait for the clock; what is late goes on") {
  Pace pace(2);  // twice as fast
  pace.begin(1.0);
  const long before = allocations;
  for (int k = 1; k <= 20; ++k) pace.wait(1.0 + 2e-3 * k);
  CHECK(allocations == before);
  CHECK(pace.left(1.0 + 40e-3) <= 0);  // 20 ms have passed, whatever else has
  CHECK(pace.steps() == 20);
  pace.wait(1.0 + 1e-6);  // long ago
  CHECK(pace.overruns() >= 1);
  CHECK(pace.worst_lateness() >= 19e-3);
  CHECK(pace.computing().count() == 21);
  CHECK(pace.waking().count() == 21 - pace.overruns());
}

TEST_CASE("rehearsing leaves no trace: events that set numbers, matrices of other steps") {
  const std::string circuit = R"yaml(escapement: 1
nodes: {electrical: [a, b]}
components:
  src: {type: control.step, time: 5 ms, after: 2 V, unit: V}
  u: {type: electric.voltage_source, input: src, between: [a, ground]}
  r: {type: electric.resistor, resistance: 1 kohm, between: [a, b]}
  c: {type: electric.capacitor, capacitance: 1 uF, between: [b, ground]}
  mass: {type: translational.mass, mass: 1 kg, initial: {velocity: 1 m/s}}
  e: {type: event.crossing, expression: t - 2.5 ms, set: {r.resistance: 2 kohm}}
  hold: {type: sampled.hold, period: 2 ms, input: b.voltage}
simulate: {until: 0.05 s, steps: [0.1 ms, 1 ms, 1 ms, 1 ms, 1 ms, 1 ms, 1 ms, 1 ms, 1 ms, 1 ms], scheme: SCHEME}
)yaml";
  for (const char* scheme : {"generalized-alpha", "variational", "spook"}) {
    CAPTURE(scheme);
    const ModelFile file(with(circuit, "SCHEME", scheme));
    SteppedModel plain(file.path()), rehearsed(file.path());
    const auto a = plain.output("b.voltage"), b = rehearsed.output("b.voltage");
    for (int k = 0; k < 30; ++k) {
      REQUIRE_MESSAGE(plain.step(), plain.message());
      REQUIRE_MESSAGE(rehearsed.step(), rehearsed.message());
      CHECK(plain.read(a) == rehearsed.read(b));
      rehearsed.rehearse();
    }
    CHECK(plain.read(a) > 1);
  }
}
