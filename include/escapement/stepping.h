/*
 * escapement/stepping.h: a model as a plant in a loop of your own, for hardware or a controller under test.
 *
 *     escapement_model *plant;
 *     if (escapement_open("model.yaml", NULL, &plant) != 0) {
 *       fprintf(stderr, "%s\n", escapement_message(NULL));
 *       return 1;
 *     }
 *     int torque = escapement_input(plant, "torque"), speed = escapement_output(plant, "rotor.speed");
 *     while (!escapement_ended(plant)) {
 *       escapement_set(plant, torque, command(escapement_read(plant, speed)));
 *       if (escapement_step(plant) != 0) break;
 *     }
 *     escapement_close(plant);
 *
 * All numbers are in SI units. A status is 0, or what `escapement run` would exit with: 2 input, 3 model, 4 numerical, 5 files,
 * 6 code of the model, 70 a fault of the library. escapement_message() then tells what is wrong, as the program would.
 *
 * Ordinary steps neither allocate nor lock; docs/realtime.md says what an ordinary step is. A model belongs to one thread at a
 * time; several models may be stepped by several threads. Plain C99; link with the C++ library (`find_package(escapement)`).
 */
#ifndef ESCAPEMENT_STEPPING_H
#define ESCAPEMENT_STEPPING_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct escapement_model escapement_model;

/* Reads a model file, finds its start, and rehearses some steps. `settings`: NULL, or texts such as "simulate.step=1 ms" as
 * for --set, then a NULL. Its steps must be fixed; its `until` does not count. On failure *model is NULL, and
 * escapement_message(NULL) tells why. */
int escapement_open(const char *file, const char *const *settings, escapement_model **model);
void escapement_close(escapement_model *model); /* NULL is allowed */

/* Handles, to be found once: of a control.input ("command", "levers.2"), and of any channel ("arm.angle"). -1: there is none
 * of this name, and the message names the nearest. */
int escapement_input(escapement_model *model, const char *name);
int escapement_output(escapement_model *model, const char *name);

/* Acts through the whole of the next step, its end included, and until it is set again. Changes are taken as a smooth signal
 * that is known at the steps. Status 2: no such handle, or not a finite number. */
int escapement_set(escapement_model *model, int input, double value);
/* What was set since the last step is a jump at this time, not a part of something smooth. */
int escapement_jump(escapement_model *model);
/* One step of the model's `step`. After a failure it returns the same status again, and time stands still. */
int escapement_step(escapement_model *model);
/* At the present time; NaN if there is no such handle. */
double escapement_read(const escapement_model *model, int output);
double escapement_time(const escapement_model *model);
double escapement_step_size(const escapement_model *model); /* of the next step */
int escapement_ended(const escapement_model *model);        /* 1: an event of the model has ended it; steps do nothing */

/* Allocates what steps need in this thread, by some steps for nothing. escapement_open() has done so in its own; call it in
 * another thread that is to step. */
int escapement_rehearse(escapement_model *model);

/* What went wrong last; "" if nothing did. Valid until the next call. NULL: of the last escapement_open() of this thread. */
const char *escapement_message(const escapement_model *model);

#ifdef __cplusplus
}
#endif
#endif
