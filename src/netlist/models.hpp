// The parameters of `.model` cards: which are read, which change nothing, which are refused. For src/netlist
// alone.
#pragma once
#include <functional>
#include <map>
#include <span>

#include "netlist/deck.hpp"

namespace escapement::netlist {

constexpr double nominal_celsius = 27, zero_celsius = 273.15;

struct ModelParameter {
  enum class Role {
    value,    // a key of the component
    used,     // read by name, no key of its own
    nothing,  // no effect on a simulation in time
    thermal,  // no effect at 27 °C
    neutral   // only this number is accepted: the effect is not there
  };
  const char* name;
  Role role;
  const char* key = "";   // of the component
  const char* unit = "";  // of the key
  double number = 0;      // that is accepted, of a neutral one
};

/// What models of one kind may say.
struct ModelTable {
  const char* what;  // "a diode"
  std::span<const ModelParameter> parameters;
};
/// By the type of a model: d, npn, pnp, nmos, pmos, sw, csw, r, c; null for others.
const ModelTable* model_table(std::string_view type);
/// The first of several names of a parameter: cj0 -> cjo.
std::string usual_name(std::string_view type, std::string_view name);

/// The numbers of one model.
class ModelValues {
 public:
  using Evaluate = std::function<double(const Word&)>;
  /// Throws E-KEY, E-UNSUPPORTED.
  ModelValues(const DeviceModel& model, double celsius, const Evaluate& evaluate, const std::string& where);

  bool has(const std::string& name) const { return values_.contains(name); }
  double get(const std::string& name, double otherwise) const;
  Mark mark(const std::string& name) const;
  void set(const std::string& name, double value);
  void erase(const std::string& name) { values_.erase(name); }
  const ModelTable& table() const { return *table_; }

 private:
  const ModelTable* table_;
  Mark model_mark_;
  std::map<std::string, std::pair<double, Mark>> values_;
};

/// Saturation currents, gains and junctions at another temperature, as SPICE computes them.
void heat_diode(ModelValues& values, double celsius);
void heat_bipolar(ModelValues& values, double celsius);

}  // namespace escapement::netlist
