// From the cards of a netlist to the tree of a subsystem: subcircuits unfolded, numbers evaluated, devices as components.
// For src/netlist alone.
#pragma once
#include <deque>
#include <optional>
#include <set>
#include <unordered_map>

#include "model/diagnostics.hpp"
#include "netlist/expression.hpp"
#include "netlist/models.hpp"

namespace escapement::netlist {

/// One use of a subcircuit, or the netlist itself.
struct Instance {
  const Definition* definition;
  Instance* parent;    // of the definition it stands in: whose models, subcircuits and parameters it sees
  Instance* user;      // whose X card it is
  std::string prefix;  // of names: "x1."
  std::unordered_map<std::string, std::string> nodes;  // of the netlist -> in the tree
  std::unordered_map<std::string, double> parameters;  // evaluated
  std::map<std::string, std::string> windings;         // inductor -> "k1.primary"
};

/// The words of a device: those by position and those by name.
struct Arguments {
  struct Named {
    Word name;
    std::vector<Word> values;
  };
  std::vector<Word> words;
  std::vector<Named> named;
  const Named* find(std::string_view name) const;
};

/// Inductors that K cards couple.
struct Coupling {
  const Device* card;  // the first
  std::vector<const Device*> coils;
  std::map<std::pair<const Device*, const Device*>, std::pair<double, Mark>> k;
};

class Elaborator {
 public:
  Elaborator(const Deck& deck, const SubsystemUse& use) : deck_(deck), use_(use) {}
  SubsystemTree run();

 private:
  // ---- elaborator.cpp: names, parameters, subcircuits
  std::string at(const Instance& in, const std::string& id = {}) const;
  double parameter(Instance& in, const std::string& name, const Mark& mark);
  Formula::Scope scope(Instance& in);
  double value(const Word& word, Instance& in);
  double celsius(const Arguments& a, Instance& in);
  std::string node(const Word& word, Instance& in);
  const std::string& node_id(const Word& word, const Definition& in);
  std::string declared(const Word& word, Instance& in);
  std::optional<std::string> existing_node(const std::string& name, Instance& in);
  void unfold(Instance& in);
  void subcircuit(const Device& d, Instance& in);
  void initial_voltages(Instance& in, const Card& card);
  struct FoundModel {
    const DeviceModel* model = nullptr;
    Instance* in = nullptr;
  };
  FoundModel find_model(const std::string& name, Instance& in) const;
  ModelValues model(const Word& name, Instance& in, std::initializer_list<std::string_view> types,
                    double celsius);
  SubsystemTree tree();

  // ---- devices.cpp
  void device(const Device& d, Instance& in);
  void resistor(const Device& d, Instance& in);
  void capacitor(const Device& d, Instance& in);
  double passive_value(const Arguments& a, Instance& in, const char* key, const char* type,
                       const char* model_value, Word& place);

  // ---- inductors.cpp
  void inductor(const Device& d, Instance& in);
  void couplings(Instance& in);
  [[noreturn]] void refuse_many_windings(const Device& card) const;
  std::vector<const Device*> coupled_coils(const Arguments& a, const Definition& def) const;
  void transformer(const Coupling& group, Instance& in);

  // ---- sources.cpp
  void source(const Device& d, Instance& in);
  void controlled(const Device& d, Instance& in);
  void current_controlled(const Device& d, Instance& in);
  void behavioural(const Device& d, Instance& in, std::string_view voltage, std::string_view current);
  struct Waveform;
  Node waveform(const std::vector<Word>& words, std::size_t& at, Instance& in, const char* unit,
                std::string& key);
  Waveform read_waveform(const std::vector<Word>& words, std::size_t& at, Instance& in, const char* unit);
  void check_count(const Waveform& wave, std::size_t least, std::size_t most, const char* form) const;
  void put_value(Node& fields, const char* key, const Waveform& wave, std::size_t i, const char* unit,
                 double factor = 1);
  void put_sine(Node& fields, const Waveform& wave);
  void put_pulse(Node& fields, const Waveform& wave);
  void put_exponential(Node& fields, const Waveform& wave);
  Node table(const Waveform& wave);
  std::string translated(const Word& expression, Instance& in, Node& inputs);
  std::string current_of(const Word& name, Instance& in);

  // ---- semiconductors.cpp
  void diode(const Device& d, Instance& in);
  void bipolar(const Device& d, Instance& in);
  void mosfet(const Device& d, Instance& in);
  void switches(const Device& d, Instance& in);

  // ---- pieces of components, devices.cpp
  Arguments arguments(const Device& d, std::size_t least, std::size_t most, const char* form,
                      std::initializer_list<std::string_view> names,
                      std::initializer_list<std::string_view> ignored = {}) const;
  double named(const Arguments& a, std::string_view name, double otherwise, Instance& in);
  /// Begins a component; what follows is put into it.
  Node& add(const Device& d, Instance& in, const char* type);
  static void put(Node& fields, const char* key, Node value);
  Node text(std::string text, const Mark& mark);
  Node quantity(double value, const char* unit, const Mark& mark);
  void put_model(Node& fields, const ModelValues& values);
  void put_temperature(Node& fields, double celsius, const Mark& mark);
  Node between(const Word& a, const Word& b, Instance& in);

  const Deck& deck_;
  const SubsystemUse& use_;
  Diagnostics diagnostics_;
  std::deque<Instance> instances_;
  std::unordered_map<std::string, Instance*> by_prefix_;  // once all are there and one is asked for
  std::string where_;                                     // of the device at hand
  std::vector<std::pair<const Instance*, std::string>> evaluating_;  // parameters, for circles
  struct NodeNames {
    std::unordered_map<std::string, std::string> ids;      // of the netlist -> identifier
    std::unordered_map<std::string, std::string> origins;  // identifier -> of the netlist
  };
  std::unordered_map<const Definition*, NodeNames> names_;
  std::vector<std::pair<std::string, Mark>> nodes_;  // declared, in the order of the netlist
  std::set<std::string> known_nodes_;
  std::vector<Node::Entry> components_;
  std::size_t devices_ = 0, values_ = 0;
  struct Later {  // what needs all nodes
    std::size_t component;
    const Device* device;
    Instance* in;
    Word expression;
    bool voltage;
  };
  std::vector<Later> later_;
  struct Grounded {
    std::size_t component;
    double sign;
  };
  std::unordered_map<std::string, std::vector<Grounded>> grounded_;  // capacitors, by node
  std::map<std::string, std::string> driven_;                        // source -> its port
  std::optional<double> celsius_;
};

}  // namespace escapement::netlist
