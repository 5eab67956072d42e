// EventWatch: the functions whose zeros are events (modes that end, corners of continuous elements), where in a step one
// passes zero, and which modes change then (T-event).
#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "analyses/interior.hpp"
#include "model/assembly.hpp"

namespace escapement {

/// What helps where something switches to and fro: an operation of an expression, or an element.
std::string chatter_hint(bool in_expression);

class EventWatch {
 public:
  explicit EventWatch(const Assembly& assembly);
  bool empty() const { return functions_.empty(); }
  std::size_t size() const { return functions_.size(); }

  /// From this state on: corners are on the side they are.
  void begin(const State& state);
  /// The step just computed, from this state.
  struct Step {
    const Stepper& stepper;
    Interior& interior;
    State& from;
    double turn;  // rad: how far angles turn in it
  };
  /// The first fraction of the step at which a function is below zero; none if none is.
  /// `shorter`: of a step that ends earlier than the one looked at before; what matters in that one still does.
  std::optional<double> first(const Step& step, bool shorter = false);
  /// After first(): is a function below zero at the very end of the step?
  bool at_end() const { return any_below(end_); }
  /// Functions that are below zero at the end of the step, or pass it within `slack` seconds.
  const std::vector<int>& passing(const Step& step, double slack);
  /// After passing(): how many seconds until the next one does, by its slope.
  double soonest() const { return soonest_; }
  /// After first(): those that are below zero there.
  const std::vector<int>& early() const { return early_; }
  /// … which pass already where the step begins.
  const std::vector<int>& early_at_start() {
    for (const int i : early_) functions_[i].left = std::max(0.0, start_[i] - low_.g[i]);  // not what jumps
    return early_;
  }
  /// … and whether all of these are corners.
  bool corners_only() const {
    return std::all_of(early_.begin(), early_.end(), [&](int i) { return functions_[i].corner; });
  }
  /// After first(): functions whose modes end at zero, where they stay for the whole step (T-kink-5).
  const std::vector<int>& resting(const Step& step);
  /// The step just computed is to be taken, whatever lies within it.
  void look_at_end(const Stepper& stepper) { values(stepper.result(), end_); }
  /// The step just looked at was taken. True: kinks were passed in it that did not matter (T-kink-3), and their sides change now.
  bool taken(State& state);

  struct Change {
    Continuation how = Continuation::none;
    bool corner = false;                  // of a continuous function
    std::vector<int> who;                 // functions whose modes changed
    std::vector<ElementId> impacts;       // at once
    std::vector<const EventType*> fired;  // events of the model
  };
  /// These have passed zero: modes change, corners turn.
  const Change& cross(State& state, const std::vector<int>& functions);
  const Change& last_change() const { return change_; }
  /// Modes that do not hold in this state. Those of `crossed` have just begun, where their functions are zero but for what
  /// their location leaves over.
  const std::vector<int>& due(const State& state, const std::vector<int>& crossed = {});
  /// Of those that were to cross at this instant the ones that still are after a jump, and what the jump has made due.
  void after_jump(const State& state, std::vector<int>& functions);
  /// Sides of expressions that do not hold in this state change, so that they are as their signals say; false: all hold.
  bool follow(State& state);
  /// Modes that hold at this instant alone: what is at the border of its mode, at rest, leaves it by its acceleration
  /// (T-unilateral-3).
  const std::vector<int>& leaving(const State& state);
  /// An event of the model, which acts, rather than a mode.
  bool is_trigger(int function) const { return functions_[function].trigger; }
  const std::string& name(int function) const { return names_[functions_[function].owner]; }
  /// … and what of it switches, if that is an operation of an expression.
  std::string described(int function) const;
  bool in_expression(int function) const { return functions_[function].group->has_sides; }
  ElementId element(int function) const { return {functions_[function].group, functions_[function].element}; }
  bool same_element(int a, int b) const {
    return functions_[a].group == functions_[b].group && functions_[a].element == functions_[b].element;
  }
  bool is_corner(int function) const { return functions_[function].corner; }
  /// The function passed zero at this time: has it done so too often, in intervals below `short_time`?
  bool chatters(int function, double time, double short_time);
  void archive(Archive& a) {
    for (Function& f : functions_) a(f.muted, f.side, f.largest, f.band, f.last, f.quickly);
    a(start_, end_);
  }
  /// It is not looked at any more.
  void mute(int function) { functions_[function].muted = true; }

 private:
  struct Function {
    const Group* group;
    int element, index, owner;  // owner: of names_
    bool corner, muted = false, trigger = false;
    bool slight = false;   // what it passes in the present step does not matter
    double side = 1;       // of a corner
    double largest = 0;    // |value| so far
    double band = 0;       // just passed: so far below still counts as zero (T-event-7)
    bool landed = false;   // it is at zero, and there its mode does not hold (T-kink-5)
    double left = 0;       // what its location leaves it above zero, where it passes
    double last = -1e300;  // when it passed zero …
    int quickly = 0;       // … and how often in a row
  };
  void values(const State& state, std::vector<double>& g);
  /// Small enough to ask whether it is zero.
  static bool near_zero(const Function& f, double g) {
    return std::abs(g) <= 1e-8 * std::max(1.0, f.largest);
  }
  bool jumped_onto_zero(std::size_t i, const State& state) const;
  static double least(const Function& f) {
    return 1e-13 * std::max(1.0, f.largest);
  }  // rounding of a function
  /// What is below this is below zero.
  static double border_of(const Function& f) { return -std::max(f.band, least(f)); }
  bool below(std::size_t i, double g) const {
    const Function& f = functions_[i];
    return g < border_of(f) && !f.muted && !f.slight;
  }
  /// What is clearly above zero again may pass it again.
  void arm() {
    for (std::size_t i = 0; i < functions_.size(); ++i)
      if (start_[i] > functions_[i].band) functions_[i].band = 0;
  }
  /// A point of a step, and the functions there.
  struct Sample {
    double at = 0;
    std::vector<double> g;
  };
  void look(const Step& step, double s, Sample& sample);
  void choose_slight(const Step& step);
  bool dips(const Step& step, const Sample& a, const Sample& b, const Sample& c, Sample& low, Sample& high);
  bool bracket(const Step& step);
  void narrow(const Step& step);
  bool any_below(const std::vector<double>& g) const;
  std::vector<const Group*> groups_;
  std::vector<Function> functions_;  // group by group: crossings, then kinks
  std::vector<std::string> names_;
  std::vector<double> start_, end_, work_;
  Sample left_, middle_, right_, low_, high_, trial_;  // work of first()
  std::vector<int> passing_, early_, due_, leaving_;
  std::vector<double> ahead_, moves_;
  Change change_;
  double soonest_ = 0;
  State between_;
  const Assembly& assembly_;
};

}  // namespace escapement
