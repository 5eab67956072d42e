// The cards of a netlist sorted: devices, models, parameters, subcircuits. Nothing is evaluated yet. For
// src/netlist alone.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "netlist/text.hpp"

namespace escapement::netlist {

/// `name = value`.
struct Assignment {
  Word name, value;
};

/// `R1 a b 1k`
struct Device {
  char letter;
  std::string id;  // as the model language says it: `r1`
  Word name;
  std::vector<Word> words;  // what follows the name
};

/// `.model name type(parameters)`
struct DeviceModel {
  Word name, type;
  std::vector<Assignment> parameters;
};

/// A subcircuit, or the netlist itself.
struct Definition {
  Word name;
  const Definition* parent = nullptr;
  std::vector<Word> ports;
  std::vector<Device> devices;
  std::vector<const Card*> initial;  // `.ic`
  std::map<std::string, DeviceModel> models;
  std::map<std::string, Assignment> parameters;
  std::vector<std::string> parameter_order;
  std::set<std::string> arguments;  // the parameters that an X card may set
  std::map<std::string, std::unique_ptr<Definition>> subcircuits;
  std::unordered_map<std::string, std::size_t> device_names;  // as in the netlist, in small letters
  std::unordered_map<std::string, std::size_t> device_ids;
};

struct Deck {
  std::string title;
  Mark title_mark;
  std::deque<Card> cards;
  Definition top;
  std::set<std::string> global_nodes;
  bool uic = false;                 // `.tran … uic`
  std::optional<Word> temperature;  // `.temp`, `.options temp=`
  std::size_t word_count = 0;
  YamlLimits limits;
};

/// Reads a netlist and the files it includes.
void read_deck(const SubsystemText& file, const SubsystemOptions& options, Deck& deck);

/// `a=1 b={2}` from the word `first` on; parentheses and `params:` are passed over.
std::vector<Assignment> assignments(const std::vector<Word>& words, std::size_t first,
                                    const std::string& where);

/// Is it the ground of a netlist?
inline bool is_ground(const std::string& node) { return node == "0" || node == "gnd"; }

}  // namespace escapement::netlist
