/* A speed controller in C against a motor that is simulated, a thousand times per second, in step with the clock. */
#define _POSIX_C_SOURCE 200809L
#include <escapement/stepping.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

int main(int argc, char** argv) {
  const char* const settings[] = {"simulate.step=1 ms", NULL};
  escapement_model* plant;
  if (escapement_open(argc > 1 ? argv[1] : "motor.yaml", settings, &plant) != 0) {
    fprintf(stderr, "%s\n", escapement_message(NULL));
    return 1;
  }
  const int voltage = escapement_input(plant, "voltage");
  const int speed = escapement_output(plant, "rotor.velocity");
  if (voltage < 0 || speed < 0) {
    fprintf(stderr, "%s\n", escapement_message(plant));
    return 1;
  }

  struct timespec due;
  clock_gettime(CLOCK_MONOTONIC, &due);
  double integral = 0;
  int status = 0;
  for (int k = 0; k < 500 && status == 0; ++k) {
    const double error = 100 - escapement_read(plant, speed); /* rad/s */
    integral += 1e-3 * error;
    escapement_set(plant, voltage, 0.02 * error + 1.5 * integral);
    status = escapement_step(plant);
    due.tv_nsec += 1000000;
    if (due.tv_nsec >= 1000000000) {
      due.tv_sec += 1;
      due.tv_nsec -= 1000000000;
    }
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
  }
  if (status != 0) fprintf(stderr, "%s\n", escapement_message(plant));
  const double reached = escapement_read(plant, speed);
  printf("%.1f rad/s after %.3f s\n", reached, escapement_time(plant));
  escapement_close(plant);
  return status != 0 || fabs(reached - 100) > 2;
}
