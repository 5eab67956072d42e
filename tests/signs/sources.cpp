// Sign conventions of sources.
#include "signs.hpp"

namespace escapement::signs {

Cases sources() {
  return {
      {"control.ramp",
       [] {
         const std::string ramp = "k: {type: control.ramp, slope: -2, start: 0.1 s, offset: 3, ";
         CHECK(At(0.05, ramp + "end: 0.3 s}")["k.output"] == 3);
         CHECK(At(0.2, ramp + "end: 0.3 s}")["k.output"] == about(2.8));
         CHECK(At(0.5, ramp + "end: 0.3 s}")["k.output"] == about(2.6));
         CHECK(At(0.5, ramp + "limit: 2.5}")["k.output"] == about(2.5));
       }},
      {"control.pulse",
       [] {
         const std::string pulse =
             "k: {type: control.pulse, period: 0.1 s, width: 20 ms, delay: 0.05 s, amplitude: 3, offset: -1, "
             "count: 2}";
         CHECK(At(0.049, pulse)["k.output"] == -1);
         CHECK(At(0.05, pulse)["k.output"] == 2);
         CHECK(At(0.069, pulse)["k.output"] == 2);
         CHECK(At(0.07, pulse)["k.output"] == -1);
         CHECK(At(0.15, pulse)["k.output"] == 2);
         CHECK(At(0.25, pulse)["k.output"] == -1);
       }},
      {"control.chirp",
       [] {
         const std::string chirp =
             "k: {type: control.chirp, start_frequency: 1 Hz, end_frequency: 3 Hz, duration: 0.5 s, "
             "amplitude: 2, phase: 30 deg, offset: 1}";
         CHECK(At(0, chirp)["k.output"] == about(2));
         CHECK(At(0.01, chirp)["k.output"] > 2);
         CHECK(At(0.5, chirp)["k.output"] == about(2));  // a whole cycle later
       }},
      {"control.multisine",
       [] {
         const std::string waves =
             "k: {type: control.multisine, frequencies: [1 Hz, 2 Hz], amplitudes: [2, 1], phases: [0, 90 "
             "deg], offset: 3}";
         CHECK(At(0, waves)["k.output"] == about(4));
         CHECK(At(0.25, waves)["k.output"] == about(3 + 2 - 1));
       }},
      {"control.noise",
       [] {
         const std::string noise = "k: {type: control.noise, sample_time: 10 ms, seed: 3, ";
         CHECK(At(0.1, noise + "standard_deviation: 0, mean: 4}")["k.output"] == 4);
         CHECK(At(0.1, noise + "mean: 100}")["k.output"] ==
               about(100 + At(0.1, noise + "mean: 0}")["k.output"]));
       }},
      {"control.time_table",
       [] {
         const std::string table = "k: {type: control.time_table, table: [[0.1 s, 1], [0.2 s, 3]]";
         CHECK(At(0, table + "}")["k.output"] == 1);
         CHECK(At(0.15, table + "}")["k.output"] == about(2));
         CHECK(At(0.3, table + "}")["k.output"] == 3);
         CHECK(At(0.3, table + ", beyond: continue}")["k.output"] == about(5));
         CHECK(At(0.249, table + ", beyond: repeat}")["k.output"] == about(1.98));
         CHECK(At(0.3, table + ", beyond: repeat}")["k.output"] == about(1));
       }},
  };
}

}  // namespace escapement::signs
