// The nodes of a model by their names: those that components own or offer, those declared under `nodes:`, and the frames of bodies.
#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/variable.hpp"
#include "model/body_start.hpp"
#include "model/model.hpp"

namespace escapement {

struct Draft;

class Nodes {
 public:
  explicit Nodes(Draft& draft) : draft_(draft) {}

  /// 1. The unknowns of all nodes that components own or that are declared.
  void make();
  /// 2. The frames of bodies, and the further nodes of flexible ones.
  void find_frames();
  /// 3. Once everything is built: what ties the offered nodes that somebody is connected to.
  void tie_offered();

  /// What the end of a port is connected to; an optional port left open is ground.
  Handle at(int component, const Port& port, int end);
  AttachedFrame frame_at(int component, const Port& port, int end);
  /// By its absolute path; `text` as the user wrote it.
  Handle named(const std::string& absolute, const std::string& text, Domain domain, const Mark& mark,
               const std::string& where, const Namespace& space);

  /// Number 0 is the node that the component provides, the others are the further ones of a flexible body.
  Handle own(int component, int number = 0) const {
    return number == 0 ? own_[component] : Handle(further_[component][number - 1]);
  }
  /// The offered node itself: it will be an unknown.
  Handle offered(int component, int number);
  /// The offered nodes that somebody is connected to, by component and number.
  const std::map<std::pair<int, int>, Handle>& offered() const { return offered_; }
  const Handle& declared(int number) const { return declared_[number]; }
  BodyFrames& body(int component) { return bodies_[component]; }
  const std::vector<Pose>& further(int component) const { return further_[component]; }
  /// It has frames and a node of its own: not fixed in the world.
  bool is_body(int component) const;
  /// Is something attached to one of its frames?
  bool is_attached(int component) const;

 private:
  /// A node, and of a frame where it sits there and in the design position.
  struct Found {
    Handle node;
    Frame<double> on_node{}, design{};
  };
  Found find(int component, const Port& port, int end);
  Found find(const std::string& absolute, const std::string& text, Domain domain, const Mark& mark,
             const std::string& where, const Namespace& space);
  Found find_frame(int component, const std::string& name, const std::string& body, const std::string& text,
                   const Mark& mark, const std::string& where) const;
  const Handle* find_offered(const std::string& absolute, Domain domain);
  const Frame<double>& design(int component, int number) const {
    return number == 0 ? bodies_[component].pose : bodies_[component].further[number - 1];
  }

  Draft& draft_;
  std::vector<Handle> own_, declared_;
  std::vector<BodyFrames> bodies_;          // by component
  std::vector<std::vector<Pose>> further_;  // nodes of flexible bodies
  std::set<int> attached_;                  // bodies that something is attached to, by variable
  std::map<std::pair<int, int>, Handle> offered_;
};

}  // namespace escapement
