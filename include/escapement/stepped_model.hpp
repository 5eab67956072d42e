// A model file as a plant in a loop of one's own, for hardware or a controller under test; ordinary steps neither allocate nor lock
// (docs/realtime.md). The same in C: stepping.h.
//
//   SteppedModel      input("name"), output("name"): handles, found once; set, step, read: every time
//   SteppingOptions   set: as `--set KEY=VALUE`; trust: code of the model may run
//
//   SteppedModel plant("motor.yaml");
//   const auto voltage = plant.input("voltage");
//   const auto speed = plant.output("rotor.velocity");
//   while (plant.step()) plant.set(voltage, controller(plant.read(speed)));     // SI units
//   if (plant.failed()) std::fprintf(stderr, "%s\n", plant.message().c_str());
//
// The constructor throws ModelError or ModelErrors; steps do not throw.
#pragma once
#include "stepping/stepped_model.hpp"
