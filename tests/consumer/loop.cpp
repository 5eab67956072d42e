// The same motor in C++, as fast as it goes.
#include <cmath>
#include <cstdio>
#include <escapement/stepped_model.hpp>
#include <exception>

int main(int argc, char** argv) {
  try {
    escapement::SteppedModel plant(argc > 1 ? argv[1] : "motor.yaml",
                                   {.set = {{"simulate.scheme", "spook"}}});
    const auto voltage = plant.input("voltage");
    const auto speed = plant.output("rotor.velocity"), current = plant.output("motor.current");
    plant.set(voltage, 6.0);
    plant.jump();  // switched on at once
    double largest = 0;
    while (plant.time() < 1.0) {
      if (!plant.step()) {
        std::fprintf(stderr, "%s\n", plant.message().c_str());
        return 1;
      }
      largest = std::fmax(largest, plant.read(current));
    }
    std::printf("%.2f rad/s, %.1f A at most\n", plant.read(speed), largest);
    // At rest all the voltage is (R d/k + k) w.
    return std::fabs(plant.read(speed) - 6.0 / (0.3 * 1e-4 / 0.05 + 0.05)) < 1e-2 ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
