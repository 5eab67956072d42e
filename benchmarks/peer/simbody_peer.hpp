// A mechanism as Simbody sees it, in plain numbers: Simbody's headers are C++17, ours C++20.
#pragma once
#include <array>
#include <memory>
#include <string>
#include <vector>

namespace escapement::benchmarks {

struct PeerFrame {
  std::array<double, 4> quaternion{1, 0, 0, 0};
  std::array<double, 3> origin{};
};

/// A body on a hinge: it turns about z of both markers.
struct PeerBody {
  int parent = -1;  // −1: ground
  PeerFrame on_parent, on_body;
  double mass = 0;
  std::array<double, 3> inertia{};  // principal, about the centre of mass, where the body's frame is
  double angle = 0, rate = 0;
};

/// A point of `point_body` stays on two planes through a point of `plane_body`, across the body's x and y.
struct PeerClosure {
  int plane_body, point_body;
  std::array<double, 3> on_plane_body, on_point_body;
};

struct PeerModel {
  std::array<double, 3> gravity;
  std::vector<PeerBody> bodies;
  std::vector<PeerClosure> closures;
  int tip_body;
  std::array<double, 3> tip;  // on that body
};

class Peer {
 public:
  explicit Peer(const PeerModel& model);
  ~Peer();
  struct Method {
    std::string name;
    double finest;    // accuracy below which it takes too long
    int most_bodies;  // beyond which it does
  };
  static const std::vector<Method>& methods();
  /// The tip at the final time. Throws when the integrator gives up, or takes longer than so many seconds.
  std::array<double, 3> run(int method, double accuracy, double until, double longest) const;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace escapement::benchmarks
