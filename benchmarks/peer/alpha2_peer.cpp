#include "alpha2_peer.hpp"

#include <petscts.h>

#include <stdexcept>

namespace escapement::benchmarks {
namespace {

void check(PetscErrorCode status) {
  if (status != 0) throw std::runtime_error("PETSc: error " + std::to_string(static_cast<int>(status)));
}

struct Library {
  Library() {
    check(PetscInitializeNoArguments());
    check(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr));
  }
  ~Library() { PetscFinalize(); }
};

/// One run: PETSc's objects and the places of the Jacobian's entries. Small matrices are full.
class Alpha2 {
 public:
  explicit Alpha2(const SecondOrderProblem& problem) : problem_(problem), n_(problem.size()), full_(n_ < 10) {
    std::vector<std::pair<int, int>> entries;
    Entries note(entries);
    problem.jacobian(0, problem.u.data(), problem.rate.data(), 1, 1, note);
    check(VecCreateSeq(PETSC_COMM_SELF, n_, &u_));
    check(VecDuplicate(u_, &v_));
    for (int i = 0; i < n_; ++i) {
      check(VecSetValue(u_, i, problem.u[i], INSERT_VALUES));
      check(VecSetValue(v_, i, problem.rate[i], INSERT_VALUES));
    }
    for (Vec x : {u_, v_}) {
      check(VecAssemblyBegin(x));
      check(VecAssemblyEnd(x));
    }
    if (full_) {
      places_ = full_places(entries, n_);
      check(MatCreateSeqDense(PETSC_COMM_SELF, n_, n_, nullptr, &matrix_));
    } else {  // compressed rows: columns of the transpose
      for (auto& [row, column] : entries) std::swap(row, column);
      places_ = compressed_places(entries, n_);
      check(MatCreateSeqAIJ(PETSC_COMM_SELF, n_, n_, 0, nullptr, &matrix_));
      check(MatSeqAIJSetPreallocationCSR(matrix_, places_.column_begin.data(), places_.row.data(), nullptr));
    }
    check(TSCreate(PETSC_COMM_SELF, &ts_));
    check(TSSetType(ts_, TSALPHA2));
    check(TSAlpha2SetRadius(ts_, 1));
    check(TSSetI2Function(ts_, nullptr, residual, this));
    check(TSSetI2Jacobian(ts_, matrix_, matrix_, jacobian, this));
    TSAdapt adapt = nullptr;
    check(TSGetAdapt(ts_, &adapt));
    check(TSAdaptSetType(adapt, TSADAPTNONE));
    SNES snes = nullptr;
    KSP ksp = nullptr;
    PC pc = nullptr;
    SNESLineSearch search = nullptr;
    check(TSGetSNES(ts_, &snes));
    check(SNESGetLineSearch(snes, &search));
    check(SNESLineSearchSetType(search, SNESLINESEARCHBASIC));
    check(SNESGetKSP(snes, &ksp));
    check(KSPSetType(ksp, KSPPREONLY));
    check(KSPGetPC(ksp, &pc));
    check(PCSetType(pc, PCLU));
  }
  Alpha2(const Alpha2&) = delete;
  ~Alpha2() {
    TSDestroy(&ts_);
    MatDestroy(&matrix_);
    VecDestroy(&u_);
    VecDestroy(&v_);
  }

  PeerRun run(int steps, double until) {
    check(TSSetTimeStep(ts_, until / steps));
    check(TSSetMaxTime(ts_, until));
    check(TSSetMaxSteps(ts_, 2 * steps));
    check(TSSetExactFinalTime(ts_, TS_EXACTFINALTIME_MATCHSTEP));
    check(TS2SetSolution(ts_, u_, v_));
    check(TSSolve(ts_, nullptr));
    TSConvergedReason reason{};
    check(TSGetConvergedReason(ts_, &reason));
    if (reason < 0) throw std::runtime_error("PETSc: TSALPHA2 gives up");
    PeerRun r;
    PetscInt count = 0;
    check(TSGetStepNumber(ts_, &count));
    r.steps = count;
    check(TSGetSNESIterations(ts_, &count));
    r.iterations = count;
    const double *u = nullptr, *v = nullptr;
    check(VecGetArrayRead(u_, &u));
    check(VecGetArrayRead(v_, &v));
    for (int i : problem_.observed) r.observed.push_back(i < n_ ? u[i] : v[i - n_]);
    check(VecRestoreArrayRead(u_, &u));
    check(VecRestoreArrayRead(v_, &v));
    return r;
  }

 private:
  static PetscErrorCode residual(TS, PetscReal t, Vec U, Vec V, Vec A, Vec F, void* self) {
    const double *u = nullptr, *v = nullptr, *a = nullptr;
    double* f = nullptr;
    PetscCall(VecGetArrayRead(U, &u));
    PetscCall(VecGetArrayRead(V, &v));
    PetscCall(VecGetArrayRead(A, &a));
    PetscCall(VecGetArrayWrite(F, &f));
    static_cast<Alpha2*>(self)->problem_.residual(t, u, v, a, f);
    PetscCall(VecRestoreArrayRead(U, &u));
    PetscCall(VecRestoreArrayRead(V, &v));
    PetscCall(VecRestoreArrayRead(A, &a));
    PetscCall(VecRestoreArrayWrite(F, &f));
    return 0;
  }
  static PetscErrorCode jacobian(TS, PetscReal t, Vec U, Vec V, Vec, PetscReal cv, PetscReal ca, Mat J, Mat,
                                 void* self) {
    Alpha2& alpha = *static_cast<Alpha2*>(self);
    const double *u = nullptr, *v = nullptr;
    double* values = nullptr;
    PetscCall(VecGetArrayRead(U, &u));
    PetscCall(VecGetArrayRead(V, &v));
    PetscCall(alpha.full_ ? MatDenseGetArray(J, &values) : MatSeqAIJGetArray(J, &values));
    std::fill(values, values + alpha.places_.nonzeros, 0.0);
    Entries entries(alpha.places_.place.data(), values);
    alpha.problem_.jacobian(t, u, v, cv, ca, entries);
    PetscCall(alpha.full_ ? MatDenseRestoreArray(J, &values) : MatSeqAIJRestoreArray(J, &values));
    PetscCall(VecRestoreArrayRead(U, &u));
    PetscCall(VecRestoreArrayRead(V, &v));
    PetscCall(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY));
    return 0;
  }

  const SecondOrderProblem& problem_;
  int n_;
  bool full_;
  Places places_;
  Vec u_ = nullptr, v_ = nullptr;
  Mat matrix_ = nullptr;
  TS ts_ = nullptr;
};

}  // namespace

PeerRun run_alpha2(const SecondOrderProblem& problem, int steps, double until) {
  static const Library library;
  return Alpha2(problem).run(steps, until);
}

}  // namespace escapement::benchmarks
