#include <escapement/function.h>
static int f(double t, const double *x, const double *u, const double *p, double *r) {
  while (t > 0.5) {
  }
  r[0] = u[0];
  return 0;
}
static int h(double t, const double *x, const double *u, const double *p, double *r) {
  r[0] = x[0];
  return 0;
}
const escapement_function function = {.version = ESCAPEMENT_FUNCTION_VERSION, .states = 1, .inputs = 1, .outputs = 1, .f = f, .h = h};
