/*
 * A semi-active damper of the CES/CVSA type (triple tube, uniflow): a valve, controlled by a current, between the rebound
 * chamber and a gas-charged reservoir; check valves in the piston (compression to rebound) and at the base (reservoir to
 * compression). Flow through orifices and valves is smoothed near zero pressure difference.
 *
 * inputs   l      elongation from the design length, m
 *          dl     its rate, m/s
 *          i      current, A (0.3 soft ... 1.6 firm)
 * states   p_reb  pressure in the rebound chamber, Pa absolute
 *          p_comp pressure in the compression chamber, Pa absolute
 * output   force  N, positive in tension: it resists extension
 */
#include <escapement/function.h>
#include <math.h>

enum { l_, dl_, i_, inputs };
enum { reb, comp, states };

/* clang-format off */
#define PARAMETERS(X) \
  X(D_p, 36e-3)       /* m, piston */ \
  X(D_r, 18e-3)       /* m, rod */ \
  X(rho, 850)         /* kg/m3, oil */ \
  X(C_d, 0.7)         /* discharge coefficient */ \
  X(beta, 1e9)        /* Pa, bulk modulus */ \
  X(p_atm, 1e5)       /* Pa */ \
  X(p_g0, 4e5)        /* Pa, gas at the design length */ \
  X(V_g0, 1.2e-4)     /* m3 */ \
  X(n_g, 1.3)         /* exponent of the gas */ \
  X(V_r0, 1.9e-4)     /* m3, rebound chamber at the design length */ \
  X(V_c0, 1.7e-4)     /* m3, compression chamber */ \
  X(A_b, 0.9e-6)      /* m2, bleed */ \
  X(K_v, 6e-10)       /* m3/(s Pa), main stage of the valve */ \
  X(p_o_min, 2e5)     /* Pa, opening pressure at i_min */ \
  X(p_o_max, 40e5)    /* Pa, at i_max */ \
  X(i_min, 0.3)       /* A */ \
  X(i_max, 1.6)       /* A */ \
  X(A_pc, 80e-6)      /* m2, check valve in the piston */ \
  X(A_bc, 100e-6)     /* m2, check valve at the base */ \
  X(A_leak, 0.15e-6)  /* m2, leak past the piston */ \
  X(K_rel, 3e-10)     /* m3/(s Pa), relief valve in the piston */ \
  X(p_rel, 90e5)      /* Pa */ \
  X(delta_o, 0.05e5)  /* Pa, smoothing of orifices */ \
  X(delta_c, 0.3e5)   /* Pa, of check valves */ \
  X(delta_p, 0.5e5)   /* Pa, of pressure valves */ \
  X(F_f, 30)          /* N, friction */ \
  X(v_f, 0.02)        /* m/s */ \
  X(gas_offset, 0)    /* 1: the force at rest is removed */
/* clang-format on */

#define INDEX(name, value) name,
#define NAME(name, value) #name,
#define VALUE(name, value) value,
enum { PARAMETERS(INDEX) parameters };
static const char *const parameter_names[] = {PARAMETERS(NAME)};
static const double defaults[] = {PARAMETERS(VALUE)};
static const char *const state_names[] = {"p_reb", "p_comp"};
static const char *const input_names[] = {"l", "dl", "i"};
static const char *const output_names[] = {"force"};

/* A flow and its slope over the pressure difference d. */
typedef struct {
  double q, slope;
} flow;

static flow orifice(const double *p, double area, double d) {
  const double c = p[C_d] * area * sqrt(2 / p[rho]), s = d * d + p[delta_o] * p[delta_o], r = pow(s, -0.25);
  return (flow){c * d * r, c * r * (1 - 0.5 * d * d / s)};
}

static flow check_valve(const double *p, double area, double d) {
  if (d <= 0) return (flow){0, 0};
  const double c = p[C_d] * area * sqrt(2 / p[rho]), s = d * d + p[delta_c] * p[delta_c], r = pow(s, -0.75);
  return (flow){c * d * d * r, c * d * r * (2 - 1.5 * d * d / s)};
}

static flow pressure_valve(const double *p, double gain, double d) {
  if (d <= 0) return (flow){0, 0};
  const double s = d + p[delta_p];
  return (flow){gain * d * d / s, gain * d * (d + 2 * p[delta_p]) / (s * s)};
}

/* Everything that both chambers need. */
typedef struct {
  double A_p, A_a, A_r, V_r, V_c, p_t, p_t_l, p_o, p_o_i;
  flow bleed, main, piston, base, leak, relief;
} parts;

static parts at(const double *x, const double *u, const double *p) {
  parts a;
  a.A_p = 0.25 * M_PI * p[D_p] * p[D_p];
  a.A_r = 0.25 * M_PI * p[D_r] * p[D_r];
  a.A_a = a.A_p - a.A_r;
  a.V_r = p[V_r0] - a.A_a * u[l_];
  a.V_c = p[V_c0] + a.A_p * u[l_];
  const double V_g = p[V_g0] + a.A_r * u[l_];
  a.p_t = p[p_g0] * pow(p[V_g0] / V_g, p[n_g]);
  a.p_t_l = -p[n_g] * a.p_t * a.A_r / V_g;
  const double slope = (p[p_o_max] - p[p_o_min]) / (p[i_max] - p[i_min]);
  const double i = fmin(fmax(u[i_], p[i_min]), p[i_max]);
  a.p_o = p[p_o_min] + slope * (i - p[i_min]);
  a.p_o_i = u[i_] > p[i_min] && u[i_] < p[i_max] ? slope : 0;
  a.bleed = orifice(p, p[A_b], x[reb] - a.p_t);
  a.main = pressure_valve(p, p[K_v], x[reb] - a.p_t - a.p_o);
  a.piston = check_valve(p, p[A_pc], x[comp] - x[reb]);
  a.base = check_valve(p, p[A_bc], a.p_t - x[comp]);
  a.leak = orifice(p, p[A_leak], x[reb] - x[comp]);
  a.relief = pressure_valve(p, p[K_rel], x[reb] - x[comp] - p[p_rel]);
  return a;
}

static double into_rebound(const parts *a, const double *u) {
  return a->A_a * u[dl_] - a->bleed.q - a->main.q + a->piston.q - a->leak.q - a->relief.q;
}

static double into_compression(const parts *a, const double *u) {
  return -a->A_p * u[dl_] - a->piston.q + a->leak.q + a->relief.q + a->base.q;
}

static int f(double t, const double *x, const double *u, const double *p, double *dx) {
  (void)t;
  const parts a = at(x, u, p);
  if (a.V_r <= 0 || a.V_c <= 0) return 1;
  dx[reb] = p[beta] / a.V_r * into_rebound(&a, u);
  dx[comp] = p[beta] / a.V_c * into_compression(&a, u);
  return 0;
}

static int f_x(double t, const double *x, const double *u, const double *p, double *m) {
  (void)t;
  const parts a = at(x, u, p);
  const double valve = a.bleed.slope + a.main.slope, across = a.piston.slope + a.leak.slope + a.relief.slope;
  m[reb * states + reb] = p[beta] / a.V_r * (-valve - across);
  m[reb * states + comp] = p[beta] / a.V_r * across;
  m[comp * states + reb] = p[beta] / a.V_c * across;
  m[comp * states + comp] = p[beta] / a.V_c * (-across - a.base.slope);
  return 0;
}

static int f_u(double t, const double *x, const double *u, const double *p, double *m) {
  (void)t;
  const parts a = at(x, u, p);
  const double valve = a.bleed.slope + a.main.slope;
  m[reb * inputs + l_] =
      p[beta] / a.V_r * (valve * a.p_t_l + a.A_a / a.V_r * into_rebound(&a, u));
  m[reb * inputs + dl_] = p[beta] / a.V_r * a.A_a;
  m[reb * inputs + i_] = p[beta] / a.V_r * a.main.slope * a.p_o_i;
  m[comp * inputs + l_] =
      p[beta] / a.V_c * (a.base.slope * a.p_t_l - a.A_p / a.V_c * into_compression(&a, u));
  m[comp * inputs + dl_] = -p[beta] / a.V_c * a.A_p;
  m[comp * inputs + i_] = 0;
  return 0;
}

static int h(double t, const double *x, const double *u, const double *p, double *y) {
  (void)t;
  const double A_p = 0.25 * M_PI * p[D_p] * p[D_p], A_r = 0.25 * M_PI * p[D_r] * p[D_r];
  const double at_rest = (p[p_atm] - p[p_g0]) * A_r;
  y[0] = x[reb] * (A_p - A_r) - x[comp] * A_p + p[p_atm] * A_r + p[F_f] * tanh(u[dl_] / p[v_f]) -
         p[gas_offset] * at_rest;
  return 0;
}

static int h_x(double t, const double *x, const double *u, const double *p, double *m) {
  (void)t, (void)x, (void)u;
  const double A_p = 0.25 * M_PI * p[D_p] * p[D_p], A_r = 0.25 * M_PI * p[D_r] * p[D_r];
  m[reb] = A_p - A_r;
  m[comp] = -A_p;
  return 0;
}

static int h_u(double t, const double *x, const double *u, const double *p, double *m) {
  (void)t, (void)x;
  const double tanh_v = tanh(u[dl_] / p[v_f]);
  m[l_] = 0;
  m[dl_] = p[F_f] / p[v_f] * (1 - tanh_v * tanh_v);
  m[i_] = 0;
  return 0;
}

static const char *message(int code) { return code == 1 ? "a chamber has no volume left: the stroke is too large" : 0; }

static const double at_design[] = {4e5, 4e5}, pressures[] = {1e5, 1e5}, magnitudes[] = {0.01, 0.1, 1};

const escapement_function damper = {
    .version = ESCAPEMENT_FUNCTION_VERSION,
    .states = states,
    .inputs = inputs,
    .outputs = 1,
    .parameters = parameters,
    .f = f,
    .h = h,
    .f_x = f_x,
    .f_u = f_u,
    .h_x = h_x,
    .h_u = h_u,
    .state_names = state_names,
    .input_names = input_names,
    .output_names = output_names,
    .parameter_names = parameter_names,
    .default_parameters = defaults,
    .initial_state = at_design,
    .state_magnitudes = pressures,
    .input_magnitudes = magnitudes,
    .message = message,
};
