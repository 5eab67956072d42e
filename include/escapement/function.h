/*
 * escapement/function.h: a function in state-space form, written in C (or anything that can export a C table).
 *
 *     dx/dt = f(t, x, u, p)        x: states, u: inputs, p: parameters, t: time, all in SI units
 *         y = h(t, x, u, p)        y: outputs
 *
 * A source file or shared library exports one table per function, as a global constant; the block control.c_function
 * finds it by its name (`function` unless the model says otherwise):
 *
 *     #include <escapement/function.h>
 *
 *     static int f(double t, const double *x, const double *u, const double *p, double *dx) {
 *       dx[0] = (u[0] - x[0]) / p[0];
 *       return 0;
 *     }
 *     static int h(double t, const double *x, const double *u, const double *p, double *y) {
 *       y[0] = x[0];
 *       return 0;
 *     }
 *     const escapement_function function = {
 *         .version = ESCAPEMENT_FUNCTION_VERSION, .states = 1, .inputs = 1, .outputs = 1, .parameters = 1,
 *         .f = f, .h = h};
 *
 * The rules:
 *   - No hidden state. f and h are called many times per step, at points that are tried and thrown away, in any order.
 *     The same arguments must give the same numbers, to the last bit. No static variables, no files, no threads.
 *   - Write every entry of the result; the array holds nothing useful before. Never write to the arguments.
 *   - Return 0. Any other value, or a result that is NaN or infinite, says that there is no value at this point: a smaller
 *     increment is tried, and the run ends if that does not help; it then tells the value and what `message` says of it.
 *   - The result should be continuous, and so should its derivatives where the run spends its time.
 *
 * Plain C99. Fields that are not named in an initialiser are zero, which stands for "absent"; new versions append fields.
 */
#ifndef ESCAPEMENT_FUNCTION_H
#define ESCAPEMENT_FUNCTION_H

#ifdef __cplusplus
extern "C" {
#endif

#define ESCAPEMENT_FUNCTION_VERSION 1

/* One of the functions below: from time, states, inputs and parameters to a result. */
typedef int (*escapement_map)(double t, const double *x, const double *u, const double *p, double *result);

typedef struct escapement_function {
  int version; /* ESCAPEMENT_FUNCTION_VERSION */

  /* How many there are of each. */
  int states, inputs, outputs, parameters;

  escapement_map f; /* dx/dt, `states` numbers; absent if there are no states */
  escapement_map h; /* y, `outputs` numbers */

  /* Derivatives, row by row: f_x[i * states + j] = df_i / dx_j. Each is optional; what is absent is found by central
   * differences. At the start of a run given ones are compared with differences. */
  escapement_map f_x; /* states x states */
  escapement_map f_u; /* states x inputs */
  escapement_map h_x; /* outputs x states */
  escapement_map h_u; /* outputs x inputs */

  /* Optional: sizes that depend on the parameters. Called once; changes what is given above. */
  int (*sizes)(const double *p, int *states, int *inputs, int *outputs);

  /* Optional names, as many as there are of each: they stand in messages, and parameters can be given by name. */
  const char *const *state_names;
  const char *const *input_names;
  const char *const *output_names;
  const char *const *parameter_names;

  const double *default_parameters; /* optional: the values of parameters that a model does not give */
  const double *initial_state;      /* optional: the state at the start unless the model says otherwise; else zero */

  /* Optional: the usual magnitude of each state and input, in SI units; else 1. Tolerances and differences are relative
   * to it: a pressure in Pa has a usual magnitude of 1e5. */
  const double *state_magnitudes;
  const double *input_magnitudes;

  const char *(*message)(int code); /* optional: what a value returned by f or h means */
} escapement_function;

#ifdef __cplusplus
}
#endif
#endif
