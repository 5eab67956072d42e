#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/nearest_name.hpp"
#include "external/function.hpp"
#include "model/component.hpp"

namespace escapement {
namespace {

using external::Function;

constexpr const char* lag = R"c(#include <escapement/function.h>

static int f(double t, const double *x, const double *u, const double *p, double *dx) {
  dx[0] = (u[0] - x[0]) / p[0];
  return 0;
}
static int h(double t, const double *x, const double *u, const double *p, double *y) {
  y[0] = x[0];
  return 0;
}
static const char *const names[] = {"time_constant"};
const escapement_function function = {.version = ESCAPEMENT_FUNCTION_VERSION, .states = 1, .inputs = 1,
                                      .outputs = 1, .parameters = 1, .f = f, .h = h,
                                      .parameter_names = names};
)c";

/// Rows: the states (store x, flow −f) and the outputs (y − h). Unknowns: states, inputs, outputs.
class FunctionElement final : public DynamicElement {
 public:
  FunctionElement(std::unique_ptr<Function> function, const std::vector<StateVariable<1>>& x,
                  const std::vector<Signal<1>>& u, const std::vector<Signal<1>>& y)
      : function_(std::move(function)),
        n_(static_cast<int>(x.size())),
        m_(static_cast<int>(u.size())),
        p_(static_cast<int>(y.size())),
        rates_(n_),
        outputs_(p_),
        jacobian_(static_cast<std::size_t>(n_ + p_) * (n_ + m_)) {
    for (const auto& v : x) unknowns.push_back(Unknown::of(v));
    for (const auto& v : u) unknowns.push_back(Unknown::of(v));
    for (const auto& v : y) unknowns.push_back(Unknown::of(v));
  }

  bool couples(int row, int column) const override {
    const bool input_row = row >= n_ && row < n_ + m_;
    return row == column ? !input_row : !input_row && column < n_ + m_;
  }

  void evaluate(const Point& p, Parts& parts) const override {
    const double *x = p.value.data(), *u = x + n_, *y = u + m_;
    const bool slopes = parts.slopes();
    for (int i = 0; i < n_; ++i) {
      parts.store.row[i] += x[i];
      if (slopes) parts.store.K[i * parts.n + i] += 1;
    }
    for (int i = n_ + m_; i < parts.n; ++i) {
      parts.flow.row[i] += y[i - n_ - m_];
      if (slopes) parts.flow.K[i * parts.n + i] += 1;
    }
    if (parts.only_stores) return;
    if (!checked_) {
      function_->check(p.t, x, u);
      checked_ = true;
    }
    function_->evaluate(p.t, x, u, rates_.data(), outputs_.data());
    for (int i = 0; i < n_; ++i) parts.flow.row[i] -= rates_[i];
    for (int i = 0; i < p_; ++i) parts.flow.row[n_ + m_ + i] -= outputs_[i];
    if (!slopes) return;
    if (function_->fault()) std::fill(jacobian_.begin(), jacobian_.end(), NAN);  // as there is no value
    else function_->jacobian(p.t, x, u, jacobian_);
    for (int i = 0; i < n_ + p_; ++i)
      for (int j = 0; j < n_ + m_; ++j)
        parts.flow.K[(i < n_ ? i : m_ + i) * parts.n + j] -= jacobian_[i * (n_ + m_) + j];
  }

  const ModelError* fault() const override { return function_->fault(); }
  std::shared_ptr<const DynamicElement> for_another_run() const override {
    return std::make_shared<FunctionElement>(*this);
  }

  FunctionElement(const FunctionElement& other)
      : DynamicElement(other),
        function_(other.function_->copy()),
        n_(other.n_),
        m_(other.m_),
        p_(other.p_),
        rates_(n_),
        outputs_(p_),
        jacobian_(other.jacobian_.size()) {}

 private:
  std::unique_ptr<Function> function_;
  int n_, m_, p_;
  mutable bool checked_ = false;
  mutable std::vector<double> rates_, outputs_, jacobian_;
};

/// A list of values, or a mapping over the defaults: the numbers in the order of the table.
std::vector<double> parameters(const Build& b, const escapement_function& table) {
  const int n = table.parameters;
  const auto& given = b.entries("parameters");
  const auto is_name = [&](int i, const std::string& name) {
    return table.parameter_names != nullptr && name == table.parameter_names[i];
  };
  std::vector<double> values(n, NAN);
  if (table.default_parameters != nullptr)
    values.assign(table.default_parameters, table.default_parameters + n);
  if (b.has("parameters")) {
    values = b.vector("parameters");
    if (static_cast<int>(values.size()) != n)
      b.refuse("E-WIDTH", "parameters",
               fmt::format("has {} numbers, the function has {} parameters", values.size(), n));
  }
  for (const Node::Entry& entry : given) {
    const std::string& name = entry.key;
    int at = 0;
    while (at < n && !is_name(at, name)) ++at;
    if (at == n) {
      std::vector<std::string> known;
      for (int i = 0; i < n && table.parameter_names != nullptr; ++i)
        known.push_back(table.parameter_names[i]);
      b.refuse("E-KEY", "parameters." + name, "the function has no such parameter",
               known.empty() ? "it does not name its parameters: give them as a list"
                             : did_you_mean(name, known, fmt::format("one of {}", fmt::join(known, ", "))));
    }
    values[at] = b.number("parameters." + name);
  }
  for (int i = 0; i < n; ++i)
    if (!std::isfinite(values[i]))
      b.refuse("E-MISSING", b.given("parameters") || !given.empty() ? "parameters" : "",
               fmt::format("parameter {}{} of the function has no value", i + 1,
                           table.parameter_names ? fmt::format(", `{}`,", table.parameter_names[i]) : ""),
               fmt::format("parameters: a list of {} numbers{}", n,
                           table.parameter_names ? ", or a mapping of names" : ""));
  return values;
}

struct Loaded {
  const escapement_function& table;
  std::unique_ptr<Function> function;
};

/// The function, compiled and loaded if the user trusts it.
Loaded load(const Build& b) {
  const char* const key = b.has("file") ? "file" : "code";
  try {
    const external::Source source = b.has("file") ? external::source_file(b.text("file"))
                                                  : external::source_text(b.path() + ".code", b.text("code"));
    auto library = external::load(source, b.trusts_code() || source.content == lag);
    const auto& table = external::table_of(*library, b.text("function"));
    return {table, std::make_unique<Function>(std::move(library), table, b.path(), parameters(b, table),
                                              b.number("time_limit"))};
  } catch (const external::LoadError& e) {
    b.refuse(e.code.c_str(), key, e.cause, e.hint);
  }
}

void build_c_function(Build& b) {
  auto [table, function] = load(b);
  const int n = function->states();
  std::vector<Signal<1>> u;
  if (b.connected("input")) u = b.wide_signal("input");
  if (static_cast<int>(u.size()) != function->inputs())
    b.refuse(u.empty() ? "E-MISSING" : "E-WIDTH", u.empty() ? "" : "input",
             u.empty()
                 ? fmt::format("`input` is missing (the function has {} inputs)", function->inputs())
                 : fmt::format("has {} parts, the function has {} inputs", u.size(), function->inputs()),
             table.input_names == nullptr
                 ? ""
                 : fmt::format("input: [{}]",
                               fmt::join(table.input_names, table.input_names + function->inputs(), ", ")));
  std::vector<double> start(n, 0.0);
  if (table.initial_state != nullptr) start.assign(table.initial_state, table.initial_state + n);
  if (b.has("initial.state")) start = b.vector("initial.state");
  if (static_cast<int>(start.size()) != n)
    b.refuse("E-WIDTH", "initial.state",
             fmt::format("has {} numbers, the function has {} states", start.size(), n));
  std::vector<StateVariable<1>> x;
  for (int i = 0; i < n; ++i) {
    const double usual = table.state_magnitudes != nullptr ? table.state_magnitudes[i] : 1.0;
    x.push_back(b.system.state<1>(n == 1 ? b.name("state") : fmt::format("{}.{}", b.name("state"), i + 1),
                                  {.nominal = usual, .row_nominal = usual}));
    b.start(x[i], {start[i]});
    b.channel("state", x[i], 1, 0, i);
  }
  b.system.add_dynamic(std::make_unique<FunctionElement>(std::move(function), x, u, b.outputs()));
}

}  // namespace

ComponentType control_c_function() {
  ComponentType type("control.c_function", "A function in state-space form, written in C.");
  type.description =
      "    d/dt x = f(t, x, u, p)\n"
      "    output = h(t, x, u, p)\n\n"
      "u is `input`, p `parameters`, all in SI units. The function is a C source, which is compiled with the "
      "C "
      "compiler of the system (CC, or cc), or a shared library; it exports a table that "
      "escapement/function.h "
      "describes, under the name `function`. Derivatives that it does not give are found by central "
      "differences. "
      "Code of a model runs only if you trust it: see docs/functions.md.";
  type.is_block("y", true);
  type.connects(input("any", "u; several signals [a, b, …] are one after the other").any_width().optional());
  Parameter file =
      escapement::file("file", "a C source (.c) or a shared library (.so)").one_of("the function");
  Parameter code = text("code", "the C source itself").one_of("the function");
  file.code = code.code = code.verbatim = true;
  type.takes(file);
  type.takes(code);
  type.takes(text("function", "name of the exported table").otherwise("function"));
  Parameter values =
      vector("parameters", "any", 0, "p: in order, or by name if the function names them").optional();
  values.named = true;
  type.takes(values);
  type.takes(group(
      "initial", {vector("state", "any", 0, "x at the start; what the function says, else zero").optional()},
      "values at the start"));
  type.takes(number("time_limit", "s", "a call that takes longer has failed").positive().otherwise("10 s"));
  type.gives({"state", "", "x", {}, true, false});
  type.signs = "As the function has them.";
  type.shape = {"block"};
  std::string indented = lag;
  for (std::size_t at = 0; (at = indented.find('\n', at)) != std::string::npos && at + 1 < indented.size();
       ++at)
    if (indented[at + 1] != '\n') indented.insert(at + 1, "    ");
  type.example =
      "\nstep: {type: control.step, time: 0.1 s}\nlag:\n  type: control.c_function\n  input: step\n"
      "  parameters: {time_constant: 0.2 s}\n  initial: {state: [0.5]}\n  code: |\n    " +
      indented;
  type.width = [](const Build& b, std::string_view output) {
    const auto function = load(b).function;
    return output == "state" ? function->states() : function->outputs();
  };
  type.build = build_c_function;
  return type;
}

}  // namespace escapement
