#include "ida_peer.hpp"

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace escapement::benchmarks {
namespace {

/// One run: IDA's objects and the places of the Jacobian's entries.
class Ida {
 public:
  Ida(const ImplicitProblem& problem, double tolerance, int order) : problem_(problem), n_(problem.size()) {
    SUNContext_Create(nullptr, &context_);
    std::vector<std::pair<int, int>> entries;
    Entries note(entries);
    problem.jacobian(0, problem.y.data(), problem.rate.data(), 1, note);
    y_ = vector(problem.y);
    rate_ = vector(problem.rate);
    std::vector<double> absolute = problem.magnitude, differential(n_);
    for (int i = 0; i < n_; ++i) {
      absolute[i] *= problem.differential[i] ? tolerance : std::pow(tolerance, 0.25);
      differential[i] = problem.differential[i] ? 1 : 0;
    }
    absolute_ = vector(absolute);
    differential_ = vector(differential);
    if (problem.sparse) {
      places_ = compressed_places(entries, n_);
      matrix_ = SUNSparseMatrix(n_, n_, places_.nonzeros, CSC_MAT, context_);
      set_pattern(matrix_);
      solver_ = SUNLinSol_KLU(y_, matrix_, context_);
    } else {
      places_ = full_places(entries, n_);
      matrix_ = SUNDenseMatrix(n_, n_, context_);
      solver_ = SUNLinSol_Dense(y_, matrix_, context_);
    }
    memory_ = IDACreate(context_);
    check(IDASetErrHandlerFn(memory_, quiet, nullptr));
    check(IDASetUserData(memory_, this));
    check(IDAInit(memory_, residual, 0, y_, rate_));
    check(IDASVtolerances(memory_, tolerance, absolute_));
    check(IDASetLinearSolver(memory_, solver_, matrix_));
    check(IDASetJacFn(memory_, jacobian));
    check(IDASetMaxOrd(memory_, order));
    check(IDASetMaxNumSteps(memory_, -1));
    if (std::count(problem.differential.begin(), problem.differential.end(), false) > 0) {
      check(IDASetId(memory_, differential_));
      check(IDASetSuppressAlg(memory_, SUNTRUE));
    }
  }
  Ida(const Ida&) = delete;
  ~Ida() {
    IDAFree(&memory_);
    SUNLinSolFree(solver_);
    SUNMatDestroy(matrix_);
    for (N_Vector v : {y_, rate_, absolute_, differential_}) N_VDestroy(v);
    SUNContext_Free(&context_);
  }

  PeerRun run(double until) {
    check(IDASetStopTime(memory_, until));
    double t = 0;
    check(IDASolve(memory_, until, &t, y_, rate_, IDA_NORMAL));
    PeerRun r;
    for (int i : problem_.observed) r.observed.push_back(N_VGetArrayPointer(y_)[i]);
    check(IDAGetNumSteps(memory_, &r.steps));
    check(IDAGetNumNonlinSolvIters(memory_, &r.iterations));
    return r;
  }

 private:
  static void check(int status) {
    if (status >= 0) return;
    char* name = IDAGetReturnFlagName(status);
    const std::string text = name;
    std::free(name);
    throw std::runtime_error("IDA: " + text);
  }
  static void quiet(int, const char*, const char*, char*, void*) {}
  static int residual(double t, N_Vector y, N_Vector rate, N_Vector r, void* self) {
    static_cast<Ida*>(self)->problem_.residual(t, N_VGetArrayPointer(y), N_VGetArrayPointer(rate),
                                               N_VGetArrayPointer(r));
    return 0;
  }
  static int jacobian(double t, double c, N_Vector y, N_Vector rate, N_Vector, SUNMatrix J, void* self,
                      N_Vector, N_Vector, N_Vector) {
    Ida& ida = *static_cast<Ida*>(self);
    double* values = ida.problem_.sparse ? SM_DATA_S(J) : SM_DATA_D(J);
    if (ida.problem_.sparse) ida.set_pattern(J);  // IDA clears it too
    Entries entries(ida.places_.place.data(), values);
    ida.problem_.jacobian(t, N_VGetArrayPointer(y), N_VGetArrayPointer(rate), c, entries);
    return 0;
  }
  void set_pattern(SUNMatrix J) const {
    std::copy(places_.column_begin.begin(), places_.column_begin.end(), SM_INDEXPTRS_S(J));
    std::copy(places_.row.begin(), places_.row.end(), SM_INDEXVALS_S(J));
  }
  N_Vector vector(const std::vector<double>& values) const {
    N_Vector v = N_VNew_Serial(n_, context_);
    std::copy(values.begin(), values.end(), N_VGetArrayPointer(v));
    return v;
  }

  const ImplicitProblem& problem_;
  int n_;
  Places places_;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr, rate_ = nullptr, absolute_ = nullptr, differential_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver solver_ = nullptr;
  void* memory_ = nullptr;
};

}  // namespace

PeerRun run_ida(const ImplicitProblem& problem, double tolerance, int order, double until) {
  return Ida(problem, tolerance, order).run(until);
}

}  // namespace escapement::benchmarks
