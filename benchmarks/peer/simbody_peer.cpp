#include "peer/simbody_peer.hpp"

#include <Simbody.h>

#include <ctime>
#include <stdexcept>

namespace escapement::benchmarks {
namespace {

SimTK::Vec3 vec3(const std::array<double, 3>& a) { return {a[0], a[1], a[2]}; }
SimTK::Transform transform(const PeerFrame& f) {
  const SimTK::Vec4 q(f.quaternion[0], f.quaternion[1], f.quaternion[2], f.quaternion[3]);
  return {SimTK::Rotation(SimTK::Quaternion(q)), vec3(f.origin)};
}

std::unique_ptr<SimTK::Integrator> make(int method, const SimTK::System& s) {
  switch (method) {
    case 0:
      return std::make_unique<SimTK::RungeKuttaMersonIntegrator>(s);
    case 1:
      return std::make_unique<SimTK::CPodesIntegrator>(s, SimTK::CPodes::Adams, SimTK::CPodes::Functional);
    case 2:
      return std::make_unique<SimTK::RungeKuttaFeldbergIntegrator>(s);
    case 3:
      return std::make_unique<SimTK::RungeKutta3Integrator>(s);
    case 4:
      return std::make_unique<SimTK::VerletIntegrator>(s);
    case 5:
      return std::make_unique<SimTK::SemiExplicitEuler2Integrator>(s);
    default:
      return std::make_unique<SimTK::CPodesIntegrator>(s, SimTK::CPodes::BDF);
  }
}

}  // namespace

struct Peer::Inside {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter{system};
  SimTK::GeneralForceSubsystem forces{system};
  SimTK::MobilizedBodyIndex tip_body;
  SimTK::Vec3 tip;
  SimTK::State state;
};

const std::vector<Peer::Method>& Peer::methods() {
  constexpr int any = 1000000;
  static const std::vector<Method> all = {
      {"RungeKuttaMerson", 1e-10, any}, {"CPodes Adams", 1e-10, 4000}, {"RungeKuttaFeldberg", 1e-10, 4000},
      {"RungeKutta3", 1e-8, any},       {"Verlet", 1e-6, 4000},        {"SemiExplicitEuler2", 1e-4, 400},
      {"CPodes BDF", 1e-9, 100}};  // its matrix is dense, by differences
  return all;
}

Peer::Peer(const PeerModel& model) : inside_(std::make_unique<Inside>()) {
  auto& matter = inside_->matter;
  SimTK::Force::UniformGravity(inside_->forces, matter, vec3(model.gravity));
  std::vector<SimTK::MobilizedBodyIndex> index;
  for (const PeerBody& b : model.bodies) {
    const SimTK::Body::Rigid body(SimTK::MassProperties(
        b.mass, SimTK::Vec3(0), SimTK::Inertia(b.inertia[0], b.inertia[1], b.inertia[2])));
    auto& parent = b.parent < 0 ? matter.updGround() : matter.updMobilizedBody(index[b.parent]);
    index.push_back(SimTK::MobilizedBody::Pin(parent, transform(b.on_parent), body, transform(b.on_body)));
  }
  for (const PeerClosure& c : model.closures)
    for (int axis = 0; axis < 2; ++axis)
      SimTK::Constraint::PointInPlane(matter.updMobilizedBody(index[c.plane_body]),
                                      SimTK::UnitVec3(SimTK::CoordinateAxis(axis)), c.on_plane_body[axis],
                                      matter.updMobilizedBody(index[c.point_body]), vec3(c.on_point_body));
  inside_->tip_body = index[model.tip_body];
  inside_->tip = vec3(model.tip);
  inside_->state = inside_->system.realizeTopology();
  inside_->system.realizeModel(inside_->state);
  for (std::size_t i = 0; i < index.size(); ++i) {
    matter.getMobilizedBody(index[i]).setOneQ(inside_->state, 0, model.bodies[i].angle);
    matter.getMobilizedBody(index[i]).setOneU(inside_->state, 0, model.bodies[i].rate);
  }
}

Peer::~Peer() = default;

std::array<double, 3> Peer::run(int method, double accuracy, double until, double longest) const {
  const std::clock_t start = std::clock();
  const auto integrator = make(method, inside_->system);
  integrator->setAccuracy(accuracy);
  integrator->setFinalTime(until);
  integrator->setInternalStepLimit(50);
  integrator->initialize(inside_->state);
  while (integrator->getTime() < until && integrator->stepTo(until) != SimTK::Integrator::EndOfSimulation)
    if (static_cast<double>(std::clock() - start) > longest * CLOCKS_PER_SEC)
      throw std::runtime_error("takes too long");
  const SimTK::State& end = integrator->getState();
  inside_->system.realize(end, SimTK::Stage::Position);
  const auto tip =
      inside_->matter.getMobilizedBody(inside_->tip_body).findStationLocationInGround(end, inside_->tip);
  return {tip[0], tip[1], tip[2]};
}

}  // namespace escapement::benchmarks
