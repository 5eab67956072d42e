#include "netlist/netlist.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <random>

#include "model/diagnostics.hpp"
#include "netlist/expression.hpp"
#include "netlist/text.hpp"

using namespace escapement;

namespace {

const std::string file_name = "a.cir";

/// Files that `.include` finds.
struct Folder {
  std::map<std::string, std::string> files;
  mutable Sources sources;

  SubsystemOptions options() const {
    SubsystemOptions o;
    o.include = [this](const Node& name, const std::string&) {
      const auto found = files.find(name.text);
      if (found == files.end()) throw fault("E-FILE", name.mark, "", "cannot be read");
      return SubsystemText{found->second, sources.add(name.text), name.text};
    };
    return o;
  }
};

/// The cards after a title.
Netlist read(const std::string& cards, const Folder& folder = {}) {
  return Netlist::read({"a title\n" + cards, &file_name, file_name}, folder.options());
}
SubsystemTree tree(const std::string& cards, const SubsystemUse& use = {}, const Folder& folder = {}) {
  return read(cards, folder).tree(use);
}
/// One component as YAML in one line.
std::string part(const std::string& cards, const std::string& name, const SubsystemUse& use = {},
                 const Folder& folder = {}) {
  const Node root = tree(cards, use, folder).root;
  const Node* found = root.find("components")->find(name);
  REQUIRE(found);
  std::function<std::string(const Node&)> line = [&](const Node& n) -> std::string {
    std::string r;
    if (n.is_sequence())
      for (const Node& item : n.items) r += (r.empty() ? "" : ", ") + line(item);
    if (n.is_mapping())
      for (const Node::Entry& e : n.entries) r += (r.empty() ? "" : ", ") + e.key + ": " + line(e.value);
    return n.is_sequence() ? "[" + r + "]" : n.is_mapping() ? "{" + r + "}" : n.text;
  };
  return line(*found);
}
std::string names(const SubsystemTree& t, const char* section) {
  std::string r;
  const Node* list = t.root.find(section);
  if (!list) return r;
  if (const Node* nodes = list->find("electrical"))
    for (const Node& n : nodes->items) r += (r.empty() ? "" : " ") + n.text;
  else
    for (const Node::Entry& e : list->entries) r += (r.empty() ? "" : " ") + e.key;
  return r;
}

/// "E-SYNTAX 2:1 what is wrong; …" of all faults.
std::string said(const std::string& cards, const SubsystemUse& use = {}, const Folder& folder = {}) {
  const auto text = [](const ModelError& e) {
    CHECK(!e.place.file.empty());
    return e.code + " " + std::to_string(e.place.line) + ":" + std::to_string(e.place.column) + " " + e.cause;
  };
  try {
    tree(cards, use, folder);
  } catch (const ModelError& e) {
    return text(e);
  } catch (const ModelErrors& e) {
    std::string r;
    for (const ModelError& one : e.errors) r += (r.empty() ? "" : "; ") + text(one);
    return r;
  }
  return "none";
}

bool says(const std::string& cards, const std::string& begin, const Folder& folder = {}) {
  const std::string all = said(cards, {}, folder);
  const bool fits = all.starts_with(begin) && all.find("; E-") == std::string::npos;
  if (!fits) MESSAGE(all);
  return fits;
}

double number(std::string_view text) {
  double r = NAN;
  return netlist::read_number(text, r) == netlist::NumberFault::none ? r : NAN;
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

}  // namespace

TEST_CASE("numbers") {
  CHECK(number("10uF") == 1e-5);
  CHECK(number("1kohm") == 1e3);
  CHECK(number("4.7Meg") == 4.7e6);
  CHECK(number("4.7M") == 4.7e-3);
  CHECK(number("4.7MEGohm") == 4.7e6);
  CHECK(number("1e-3V") == 1e-3);
  CHECK(number("2mil") == doctest::Approx(50.8e-6));
  CHECK(number("1T") == 1e12);
  CHECK(number("1g") == 1e9);
  CHECK(number("3n") == 3e-9);
  CHECK(number("3p") == 3e-12);
  CHECK(number("1F") == 1e-15);
  CHECK(number("1a") == 1e-18);
  CHECK(number("-.5") == -0.5);
  CHECK(number("+5.") == 5);
  CHECK(number("1e3k") == 1e6);
  CHECK(number("2e") == 2);
  CHECK(number("10µF") == 1e-5);
  CHECK(number("100Ω") == 100);
  CHECK(number("0e999") == 0);
  for (const char* wrong :
       {"", "+", ".", "-.", "k", "4k7", "1.2.3", "1-2", "0x10", "1e400", "1_k", "inf", "nan"})
    CHECK_MESSAGE(std::isnan(number(wrong)), wrong);
}

TEST_CASE("names of nodes") {
  CHECK(netlist::identifier("1") == "n1");
  CHECK(netlist::identifier("Out+") == "out_p");
  CHECK(netlist::identifier("in-") == "in_m");
  CHECK(netlist::identifier("n-1") == "n_m1");
  CHECK(netlist::identifier("+5V") == "n_p5v");
  CHECK(netlist::identifier("net#3") == "net_3");
  CHECK(netlist::identifier("größe") == "gr__e");
  CHECK(names(tree("R1 1 out+ 1\nR2 out+ gnd 2\nR3 0 T 1\n"), "nodes") == "n1 out_p n_t");
  // A device keeps its name, the node of the same name gets another.
  CHECK(part("VDD vdd 0 5\nR1 VDD 0 1k\n", "r1") ==
        "{type: electric.resistor, resistance: 1000 ohm, between: [n_vdd, ground]}");
  CHECK(says("R1 a+ 0 1\nR2 a_p 0 1\n", "E-NAME 3:4 the nodes `a_p` and `a+` would both be called `a_p`"));
  CHECK(says("R+1 a 0 1\nR_p1 a 0 1\n", "E-NAME 3:1 `r_p1` and `r+1` (line 2) would both be called `r_p1`"));
}

TEST_CASE("a name that is refused is not remembered") {
  CHECK(said("R+1 a 0 1\nR_p1 a 0 1\nR_p1 a 0 1\n") ==
        "E-NAME 3:1 `r_p1` and `r+1` (line 2) would both be called `r_p1`; "
        "E-NAME 4:1 `r_p1` and `r+1` (line 2) would both be called `r_p1`");
}

TEST_CASE("lines: title, comments, continuation, end") {
  const std::string r1 = "{type: electric.resistor, resistance: 1000 ohm, between: [a, ground]}";
  CHECK(part("R1 a 0 1k\n", "r1") == r1);
  CHECK(part("* comment\n  * another\nR1 a 0 1k ; ohms\n", "r1") == r1);
  CHECK(part("R1 a 0 1k $ ohms\n", "r1") == r1);
  CHECK(part("R1 a 0 1k // ohms\n", "r1") == r1);
  CHECK(part("R1\n+ a\n* between\n\n+0\n  + 1K\n.END\nZ9 nonsense\n", "r1") == r1);
  CHECK(part("r1 A GND 1K\r\n.end\r\n", "r1") == r1);
  CHECK(part(".control\nrun\nplot v(1)\n.endc\nR1 a 0 1k\n", "r1") == r1);
  const Node root = tree("R1 a 0 1k\n").root;
  CHECK(root.find("title")->text == "a title");
  CHECK(same_tree(root, read_yaml(write_yaml(root), &file_name)));
  CHECK(Netlist::read({"", &file_name, ""}).parameters().entries.empty());
  CHECK(said("") == "E-MISSING 1:1 the netlist has no devices");
  CHECK(says("+ R1 a 0 1\n", "E-SYNTAX 2:1 a line that begins with `+`"));
  CHECK_THROWS_AS(Netlist::read({"R1 a 0 1k\nR2 a 0 1k\n", &file_name, ""}), ModelError);
  CHECK_THROWS_AS(Netlist::read({".subckt x a b\n.ends\n", &file_name, ""}), ModelError);
  CHECK(says("R1 a 0 \xFF\n", "E-ENCODING 2:8"));
}

TEST_CASE("every value knows its place") {
  const Node root = tree("R1 a 0\n+   {2*\n+ rl}\nD1 a 0 dx\n.param rl=5\n.model dx D(\n+ IS=1p)\n").root;
  const Node& parts = *root.find("components");
  const auto place = [](const Mark& m) { return m.place().text(); };
  CHECK(place(parts.entries[0].mark) == "a.cir:2:1");
  CHECK(place(parts.find("r1")->find("resistance")->mark) == "a.cir:3:6");
  CHECK(place(parts.find("r1")->find("between")->items[1].mark) == "a.cir:2:6");
  CHECK(place(parts.find("d1")->find("saturation_current")->mark) == "a.cir:8:6");
  CHECK(place(root.find("nodes")->find("electrical")->items[0].mark) == "a.cir:2:4");
}

TEST_CASE("resistors, capacitors, inductors") {
  CHECK(part("C1 a b 10u IC=2.5\n", "c1") ==
        "{type: electric.capacitor, capacitance: 1e-05 F, between: [a, b], initial: {voltage: 2.5 V}}");
  CHECK(part("C1 a b 10u\n.tran 1u 1m UIC\n", "c1").ends_with("initial: {voltage: 0 V}}"));
  CHECK(part("L1 a b 1m ic = {2*2}\n", "l1") ==
        "{type: electric.inductor, inductance: 0.001 H, between: [a, b], initial: {current: 4 A}}");
  CHECK(part("R1 a b rmod\n.model rmod R(R=5)\n", "r1").find("5 ohm") != std::string::npos);
  CHECK(part("R1 a b r = 7\n", "r1").find("7 ohm") != std::string::npos);
  CHECK(part("R1 a b 100 tc=0.01,0.001\n.temp 37\n", "r1").find("120 ohm") != std::string::npos);
  CHECK(part("R1 a b 100 m=4\n", "r1").find("25 ohm") != std::string::npos);
  CHECK(part("C1 a b cm m=2\n.model cm c(cap=3)\n", "c1").find("6 F") != std::string::npos);
  CHECK(part("C1 0 b 1u\nR1 b 0 1\n.ic v(b)=3\n", "c1").ends_with("initial: {voltage: -3 V}}"));
  CHECK(part("C1 a 0 1u\nR1 a b 1\n.ic v(a)={1+1}\n.tran 1 1 uic\n", "c1")
            .ends_with("initial: {voltage: 2 V}}"));
  CHECK(says("R1 a b 1\n.ic v(b)=3\n", "E-UNSUPPORTED 3:7 the node `b` is held"));
  CHECK(says("R1 a b 1\n.ic v(c)=3\n", "E-REFERENCE 3:7 there is no node `c`"));
  CHECK(says("C1 a 0 1 IC=2\n.ic v(a)=3\n", "E-CHOICE 3:7 the capacitor `c1` has an IC="));
  CHECK(says("R1 a b 1\n.ic a=3\n", "E-SYNTAX 3:5 expected v(node)=value"));
  CHECK(says("R1 a 0\n", "E-MISSING 2:6 the value is missing"));
  CHECK(says("R1 a\n", "E-MISSING 2:1 too few nodes or values"));
  CHECK(says("R1 a 0 4k7\n", "E-VALUE 2:8 `4k7` is not a number"));
  CHECK(says("R1 a 0 1e999\n", "E-RANGE 2:8"));
  CHECK(says("R1 a 0 1k 2k\n", "E-REFERENCE 2:11 there is no model `2k`"));
  CHECK(says("R1 a 0 1k w=2\n", "E-UNSUPPORTED 2:11 `w=` is not supported here"));
  CHECK(says("R1 a 0 rlod\n.param rload=1\n", "E-REFERENCE 2:8 there is no parameter `rlod`"));
  CHECK(says("R1 a 0 1\nr1 b 0 1\n", "E-DUPLICATE 3:1 `r1` was given at line 2 already"));
  CHECK(says("R1 a 0 {v(a)}\n", "E-EXPRESSION 2:9 a voltage has no meaning in a value that does not change"));
}

TEST_CASE("coupled inductors") {
  const std::string coils = "L1 a 0 1\nL2 b 0 4\nL3 c 0 9\nL4 d 0 1\n";
  const SubsystemTree two = tree(coils + "K1 L1 L2 0.9\n");
  CHECK(names(two, "components") == "k1 l3 l4");
  CHECK(part(coils + "K1 L1 L2 0.9\n", "k1") ==
        "{type: electric.transformer, primary: [a, ground], secondary: [b, ground], inductance: [1 H, 4 H], "
        "coupling: 0.9}");
  CHECK(part(coils + "K1 L1 L2 0.9\nK2 L1 L3 0.8\nK3 l2 l3 .7\n", "k1") ==
        "{type: electric.transformer, primary: [a, ground], secondary: [b, ground], tertiary: [c, ground], "
        "inductance: [1 H, 4 H, 9 H], coupling: [0.9, 0.8, 0.7]}");
  CHECK(part(coils + "K1 L1 L2 L3 0.5\n", "k1").ends_with("coupling: [0.5, 0.5, 0.5]}"));
  CHECK(
      part("L1 a 0 1 ic=2\nL2 b 0 1 ic=3\nK1 L1 L2 1\n", "k1").ends_with("initial: {current: [2 A, 3 A]}}"));
  CHECK(part("L1 a 0 1\nL2 b 0 1\nK1 L1 L2 1\nB1 c 0 V=i(l2)\n", "b1")
            .find("i_k1_secondary: k1.secondary.current") != std::string::npos);
  CHECK(says("L1 a 0 1 ic=2\nL2 b 0 1\nK1 L1 L2 1\n", "E-MISSING 4:1 some of the coupled"));
  CHECK(says(coils + "K1 L1 L9 0.5\n", "E-REFERENCE 6:7 there is no inductor `l9`"));
  CHECK(says(coils + "K1 L1 L2 1.5\n", "E-RANGE 6:10 got 1.5, must be from -1 to 1"));
  CHECK(says(coils + "K1 L1 L1 1\n", "E-REFERENCE 6:7 the inductor `l1` is coupled with itself"));
  CHECK(says(coils + "K1 L1 L2 1\nK2 L2 L1 1\n", "E-DUPLICATE 7:1"));
  CHECK(says(coils + "K1 L1 L2 1\nK2 L3 L4 1\nK3 L1 L3 .5\n", "E-UNSUPPORTED 8:1 more than three"));
  CHECK(says(coils + "K1 L1 L2\n", "E-MISSING 6:1"));
}

TEST_CASE("sources") {
  const auto v = [](const std::string& rest) { return part("V1 a 0 " + rest + "\n", "v1"); };
  const std::string begin = "{type: electric.voltage_source, between: [a, ground], ";
  CHECK(v("5") == begin + "value: 5 V}");
  CHECK(v("") == begin + "value: 0 V}");
  CHECK(v("DC 5V AC 1 90") == begin + "value: 5 V}");
  CHECK(v("dc=5") == begin + "value: 5 V}");
  CHECK(v("AC 1") == begin + "value: 0 V}");
  CHECK(v("DC 1 SIN(0 1 1k)") == begin + "sine: {offset: 0 V, amplitude: 1 V, frequency: 1000 Hz}}");
  CHECK(v("SIN 0 1 1k 1m 10 180 AC 1") ==
        begin +
            "sine: {offset: 0 V, amplitude: 1 V, frequency: 1000 Hz, delay: 0.001 s, damping: 10 1/s, phase: "
            "3.141592653589793 rad}}");
  CHECK(v("PULSE(0 5 1u 2n 2n 1m 2m)") ==
        begin +
            "pulse: {low: 0 V, high: 5 V, delay: 1e-06 s, rise: 2e-09 s, fall: 2e-09 s, width: 0.001 s, "
            "period: 0.002 s}}");
  CHECK(v("PULSE(0 5 0 0 0 0 0 0)") ==
        begin + "pulse: {low: 0 V, high: 5 V, delay: 0 s, rise: 0 s, fall: 0 s}}");
  CHECK(v("pwl(0 0, 1m {2+3} 2m 0)") == begin + "table: [[0 s, 0 V], [0.001 s, 5 V], [0.002 s, 0 V]]}");
  CHECK(v("PWL(0 0 1 1 TD=2)") == begin + "table: [[2 s, 0 V], [3 s, 1 V]]}");
  CHECK(
      v("EXP(0 1 2n 30n 60n 40n)") ==
      begin +
          "exponential: {low: 0 V, high: 1 V, rise_delay: 2e-09 s, rise_time: 3e-08 s, fall_delay: 6e-08 s, "
          "fall_time: 4e-08 s}}");
  CHECK(part("I1 a 0 1m\n", "i1") == "{type: electric.current_source, between: [a, ground], value: 0.001 A}");
  CHECK(says("V1 a\n", "E-MISSING 2:1 too few nodes"));
  CHECK(says("V1 a 0 SIN(0 1)\n", "E-MISSING 2:8 sin has 2 values, needs 3"));
  CHECK(says("V1 a 0 SIN(0 1 2 3 4 5 6)\n", "E-SYNTAX 2:24"));
  CHECK(says("V1 a 0 PULSE(0)\n", "E-MISSING 2:8 pulse has 1 values"));
  CHECK(says("V1 a 0 PULSE(0 1\n", "E-SYNTAX 2:8 the parenthesis of pulse is not closed"));
  CHECK(says("V1 a 0 PWL(0 0 1m 5 1m 6)\n", "E-TABLE 2:21 the times do not increase"));
  CHECK(says("V1 a 0 PWL(0 0 1m)\n", "E-MISSING 2:16 the last time has no value"));
  CHECK(says("V1 a 0 PWL(0 0 1 1 r=0)\n", "E-UNSUPPORTED 2:20"));
  CHECK(says("V1 a 0 EXP(0 1 2n)\n", "E-MISSING 2:8"));
  CHECK(says("V1 a 0 SFFM(0 1 2 3 4)\n", "E-UNSUPPORTED 2:8 `sffm`"));
  CHECK(says("V1 a 0 DC\n", "E-MISSING 2:8 DC has no value"));
  CHECK(says("V1 a 0 5 6\n", "E-UNSUPPORTED 2:10"));
  CHECK(says("V1 a 0 five\n", "E-REFERENCE 2:8"));
}

TEST_CASE("controlled sources") {
  CHECK(part("E1 a 0 c d 10\n", "e1") ==
        "{type: electric.vcvs, gain: 10, between: [a, ground], control: [c, d]}");
  CHECK(part("E1 a 0 (c,d) 10\n", "e1") ==
        "{type: electric.vcvs, gain: 10, between: [a, ground], control: [c, d]}");
  CHECK(part("G1 a 0 c d 1m\n", "g1") ==
        "{type: electric.vccs, transconductance: 0.001 S, between: [a, ground], control: [c, d]}");
  CHECK(part("V1 b 0\nF1 a 0 V1 3\n", "f1") ==
        "{type: electric.cccs, gain: 3, between: [a, ground], input: v1.current}");
  CHECK(part("V1 b 0\nH1 a 0 V1 1k\n", "h1") ==
        "{type: electric.ccvs, transresistance: 1000 ohm, between: [a, ground], input: v1.current}");
  CHECK(part("R1 c 0 1\nE1 a 0 VALUE={2*v(c)}\n", "e1") ==
        "{type: electric.behavioural_source, between: [a, ground], inputs: {v_c: c.voltage}, voltage: "
        "(2*(v_c/(1 V)))*(1 V)}");
  CHECK(part("R1 c 0 1\nG1 a 0 CUR='v(c,0)'\n", "g1").ends_with("current: (v_c/(1 V)-0)*(1 A)}"));
  CHECK(says("E1 a 0 c d\n", "E-MISSING 2:1"));
  CHECK(says("E1 a 0 POLY(1) c d 0 1\n", "E-UNSUPPORTED 2:8 `poly`"));
  CHECK(says("V1 b 0\nF1 a 0 V2 3\n", "E-REFERENCE 3:8 there is no source `v2`"));
  CHECK(says("R1 b 0 1\nF1 a 0 R1 3\n", "E-REFERENCE 3:8 `r1` is not a voltage source"));
}

TEST_CASE("behavioural sources") {
  const auto b = [](const std::string& expression) {
    const std::string all =
        part("R1 a 0 1\nR2 c a 1\nV1 c 0 1\nB1 x 0 " + expression + "\n.param k=2\n", "b1");
    return all.substr(all.find("ground]") + 9);
  };
  CHECK(part("B1 x 0 I=time*5\n", "b1") ==
        "{type: electric.current_source, between: [x, ground], expression: (t/(1 s)*5)*(1 A)}");
  CHECK(b("I = {k*v(a)}") == "inputs: {v_a: a.voltage}, current: (2*(v_a/(1 V)))*(1 A)}");
  CHECK(b("V=v(a,c)*i(V1)") ==
        "inputs: {v_a: a.voltage, v_c: c.voltage, i_v1: v1.current}, voltage: "
        "((v_a/(1 V)-v_c/(1 V))*(i_v1/(1 A)))*(1 V)}");
  CHECK(b("V='sin(2*pi*time)'") == "expression: (sin(6.283185307179586*(t/(1 s))))*(1 V)}");
  CHECK(b("V=v(a)**2 - -3") == "inputs: {v_a: a.voltage}, voltage: ((v_a/(1 V))^2-(-3))*(1 V)}");
  CHECK(b("V=u(v(a))") == "inputs: {v_a: a.voltage}, voltage: (((v_a/(1 V)) > 0 ? 1 : 0))*(1 V)}");
  CHECK(b("V=v(a)>1 && v(c)<=2 ? 1 : 0").find("voltage: ") != std::string::npos);
  CHECK(b("V=if(v(a)>1, ln(v(c)), log10(10))").find("? (log(v_c/(1 V))) : (1)") != std::string::npos);
  CHECK(says("B1 x 0 V=v(q)\n", "E-REFERENCE 2:10 there is no node `q`"));
  CHECK(says("B1 x 0 V=i(v9)\n", "E-REFERENCE 2:10 there is no source `v9`"));
  CHECK(says("B1 x 0 V=floor(v(x))\n", "E-UNSUPPORTED 2:10 `floor` of a voltage"));
  CHECK(says("B1 x 0 V=ddt(v(x))\n", "E-UNSUPPORTED 2:10 the function ddt"));
  CHECK(says("B1 x 0 V=sine(v(x))\n", "E-EXPRESSION 2:10 there is no function `sine`"));
  CHECK(says("B1 x 0 V=(1+\n", "E-EXPRESSION"));
  CHECK(says("B1 x 0 V=1/0\n", "E-RANGE 2:10 the value is inf"));
  CHECK(says("B1 x 0 V=v(x)/0\n", "E-RANGE 2:14 division by zero"));
  CHECK(says("B1 x 0 V=1 2\n", "E-EXPRESSION 2:12 unexpected `2`"));
  CHECK(says("B1 x 0\n", "E-MISSING 2:1"));
  CHECK(says("B1 x 0 Q=1\n", "E-UNSUPPORTED 2:8"));
  CHECK(says("B1 x 0 V=" + repeated("(", 200) + "1" + repeated(")", 200) + "\n", "E-LIMIT"));
  CHECK(says("B1 x 0 V=v(x)" + repeated("+v(x)", 3000) + "\n", "E-LIMIT"));
}

TEST_CASE("diodes, transistors, switches") {
  CHECK(
      part("D1 a 0 dx 2 off\n.model DX D IS=1p N=1.5 RS=1 CJO=2p VJ=.7 M=.4 FC=.6 TT=1n BV=50 IBV=1u KF=1 "
           "EG=1.1\n",
           "d1") ==
      "{type: electric.diode, between: [a, ground], saturation_current: 1e-12 A, emission: 1.5, "
      "series_resistance: 1 ohm, junction_capacitance: 2e-12 F, junction_potential: 0.7 V, grading: 0.4, "
      "forward_coefficient: 0.6, transit_time: 1e-09 s, breakdown_voltage: 50 V, breakdown_current: 1e-06 A, "
      "area: 2}");
  // At 127 °C the saturation current is that of SPICE: IS (T/T0)^XTI exp(EG (T/T0 - 1)/Vt).
  const std::string hot = part("D1 a 0 dx temp=127\n.model dx d(is=1e-14)\n", "d1");
  const double ratio = 400.15 / 300.15, vt = 1.380649e-23 * 400.15 / 1.602176634e-19;
  const double expected = 1e-14 * std::pow(ratio, 3) * std::exp(1.11 * (ratio - 1) / vt);
  CHECK(std::stod(hot.substr(hot.find("current: ") + 9)) == doctest::Approx(expected).epsilon(1e-12));
  CHECK(hot.ends_with("temperature: 400.15 K}"));
  CHECK(part("Q1 c b e qn\n.model qn npn(bf=200 va=50 ikf=0 xtf=0 itf=1)\n", "q1") ==
        "{type: electric.bjt, polarity: npn, collector: c, base: b, emitter: e, forward_gain: 200, "
        "forward_early: "
        "50 V}");
  CHECK(part("Q1 c b e s qp 3\n.model qp pnp\n", "q1") ==
        "{type: electric.bjt, polarity: pnp, collector: c, base: b, emitter: e, area: 3}");
  CHECK(
      part("M1 d g s 0 mn L=1u W=10u AD=2p PD=3u\n.model mn nmos(level=1 vto=.7 kp=1e-4 lambda=.02 cj=1m "
           "cjsw=1n ld=.1u gamma=.4)\n",
           "m1") ==
      "{type: electric.mosfet, polarity: nmos, drain: d, gate: g, source: s, bulk: ground, threshold: 0.7 V, "
      "transconductance: 0.0001 A/V^2, gamma: 0.4, modulation: 0.02 1/V, bulk_drain_capacitance: "
      "5.000000000000001e-15 F, width: 1e-05 m, length: 8e-07 m}");
  CHECK(part("S1 a 0 c 0 sw1 OFF\n.model sw1 sw(vt=1 vh=.1 ron=2 roff=1meg)\n", "s1") ==
        "{type: electric.switch, between: [a, ground], control: [c, ground], threshold: 1 V, hysteresis: 0.1 "
        "V, "
        "on_resistance: 2 ohm, off_resistance: 1000000 ohm}");
  CHECK(
      part("V1 a 0\nW1 a 0 V1 cs\n.model cs csw(it=1m)\n", "w1") ==
      "{type: electric.switch, between: [a, ground], input: v1.current, threshold: 0.001 A, off_resistance: "
      "1000000000000 ohm}");
  CHECK(says("D1 a 0\n", "E-MISSING 2:1"));
  CHECK(says("D1 a 0 dy\n.model dx d\n", "E-REFERENCE 2:8 there is no model `dy`"));
  CHECK(says("D1 a 0 qx\n.model qx npn\n", "E-TYPE 2:8 the model `qx` is of the type `npn`"));
  CHECK(says("D1 a 0 jx\n.model jx njf\n", "E-UNSUPPORTED 3:11 models of the type `njf`"));
  CHECK(says("D1 a 0 dx\n.model dx d(ikf=1)\n", "E-UNSUPPORTED 3:13 `ikf` of a diode"));
  CHECK(says("D1 a 0 dx\n.model dx d(iss=1)\n", "E-KEY 3:13 the model of a diode has no parameter `iss`"));
  CHECK(says("D1 a 0 dx\n.model dx d(is=1 is=2)\n", "E-DUPLICATE 3:18"));
  CHECK(says("D1 a 0 dx\n.model dx d(cjo=1 cj0=2)\n", "E-DUPLICATE 3:19"));
  CHECK(says("D1 a 0 dx\n.model dx d(is)\n", "E-SYNTAX 3:13 expected name=value"));
  CHECK(says("D1 a 0 dx\n.model dx d\n.model dx d\n", "E-DUPLICATE 4:8"));
  CHECK(says("D1 a 0 dx ic=1\n.model dx d\n", "E-UNSUPPORTED 2:11"));
  CHECK(says("Q1 c b e q1\n.model q1 npn(xtf=3)\n", "E-UNSUPPORTED 3:15"));
  CHECK(says("M1 d g s 0 m1\n.model m1 nmos(level=3)\n", "E-UNSUPPORTED 3:16"));
  CHECK(says("M1 d g s 0 m1\n.model m1 nmos\n.temp 50\n", "E-UNSUPPORTED 2:1"));
  CHECK(says("D1 a 0 dx\n.model dx d\n.temp -300\n", "E-RANGE 4:7"));
  CHECK(says("W1 a 0 V9 cs\n.model cs csw\n", "E-REFERENCE 2:8"));
  CHECK(says("S1 a 0 c 0 s ON\n.model s sw(vh=1)\n", "E-UNSUPPORTED 2:14"));
}

TEST_CASE("parameters and expressions") {
  const auto value = [](const std::string& expression, const SubsystemUse& use = {}) {
    const std::string all =
        part(".param a=2 b={a*3} c = a + b d='sqrt(c*2)'\nR1 x 0 {" + expression + "}\n", "r1", use);
    return std::stod(all.substr(all.find("resistance: ") + 12));
  };
  CHECK(value("c") == 8);
  CHECK(value("d") == 4);
  CHECK(value("1k + 1u*1meg") == 1001);
  CHECK(value("-2^2") == -4);
  CHECK(value("2^3^2") == 512);
  CHECK(value("2**3") == 8);
  CHECK(value("7 - 2 - 1") == 4);
  CHECK(value("8/2/2") == 2);
  CHECK(value("a > 1 ? 5 : 6") == 5);
  CHECK(value("a == 2 && !(b != 6) || 0") == 1);
  CHECK(value("min(a, b) + max(a, b) + limit(9, 0, 5)") == 13);
  CHECK(value("int(2.7) + floor(-2.5) + ceil(2.1) + sgn(-3)") == 1);
  CHECK(value("if(a < 1, 1, 2) + pwr(-2, 2) + pow(2, 3)") == 6);
  CHECK(value("temper") == 27);
  CHECK(value("c", {"", {{"a", 10}}, {}}) == 40);
  CHECK(read(".param a=2 b=3\nR1 x 0 1\n").parameters().entries.size() == 2);
  CHECK(says(".param a=1 b\nR1 x 0 1\n", "E-EXPRESSION 2:12"));
  CHECK(says(".param a\nR1 x 0 1\n", "E-SYNTAX 2:8 expected name=value"));
  CHECK(says(".param\nR1 x 0 1\n", "E-MISSING 2:1"));
  CHECK(says(".param a=\nR1 x 0 1\n", "E-MISSING 2:8 the parameter `a` has no value"));
  CHECK(says(".param a=1\n.param A=2\nR1 x 0 1\n", "E-DUPLICATE 3:8"));
  CHECK(said(".param a={b} b={a}\nR1 x 0 1\n")
            .starts_with("E-CYCLE 2:8 parameters refer to each other in a circle"));
  CHECK(says(".param a={1/0}\nR1 x 0 1\n", "E-RANGE 2:11"));
  CHECK(says(".param a={1+}\nR1 x 0 1\n", "E-EXPRESSION 2:13"));
  CHECK(says(".param a={1+2\nR1 x 0 1\n", "E-SYNTAX 2:10 the `{` is not closed"));
  CHECK(says(".param a={c}\nR1 x 0 1\n", "E-REFERENCE 2:11 there is no parameter `c`"));
  CHECK(says(".param time=3\nR1 x 0 1\n", "E-NAME 2:8"));
  CHECK(says(".param f(x)={x}\nR1 x 0 1\n", "E-SYNTAX 2:8"));
  std::string chain = ".param p0=1\n";
  for (int i = 1; i < 2000; ++i)
    chain += ".param p" + std::to_string(2000 - i) + "={p" + std::to_string(1999 - i) + "}\n";
  CHECK(said(chain + "R1 x 0 {p1999}\n").starts_with("E-LIMIT"));
}

TEST_CASE("subcircuits") {
  const std::string filter =
      ".subckt filter in out r=1k c={1u*2}\nR1 in m {r}\nC1 m 0 {c}\nR2 m out {k*r}\nV1 m q 0\nB1 q 0 "
      "I=v(in)\n"
      ".param k=2\n.ends filter\n";
  const SubsystemTree t = tree(filter + "X1 a b filter\nX2 b 0 filter PARAMS: r=5 c = 1n\n");
  CHECK(names(t, "nodes") == "a b x1.m x1.q x2.m x2.q");
  CHECK(names(t, "components") == "x1.r1 x1.c1 x1.r2 x1.v1 x1.b1 x2.r1 x2.c1 x2.r2 x2.v1 x2.b1");
  CHECK(part(filter + "X2 b 0 filter r={2+3}\n", "x2.r2") ==
        "{type: electric.resistor, resistance: 10 ohm, between: [x2.m, ground]}");
  CHECK(part(filter + "X2 b 0 filter\n", "x2.b1").find("inputs: {v_b: b.voltage}") != std::string::npos);
  // Definitions within definitions, models of their own, global nodes, parameters of the netlist.
  const std::string nested =
      ".global vcc\n.param top=7\n.subckt outer a\n.model d d(is={top*s})\n.param s=2\n.subckt inner b "
      "p=1\nD1 b vcc "
      "d\nR1 b n {p}\nR2 n 0 {s}\n.ends\nX9 a inner p=4\n.ends\nX1 z outer\nV1 vcc 0 5\n";
  CHECK(names(tree(nested), "nodes") == "z vcc x1.x9.n");
  CHECK(part(nested, "x1.x9.d1") == "{type: electric.diode, between: [z, vcc], saturation_current: 14 A}");
  CHECK(part(nested, "x1.x9.r1") == "{type: electric.resistor, resistance: 4 ohm, between: [z, x1.x9.n]}");
  CHECK(says("X1 a b nothing\n", "E-REFERENCE 2:8 there is no subcircuit `nothing`"));
  CHECK(says(filter + "X1 a filter\n", "E-SYNTAX 10:6 the subcircuit `filter` has 2 nodes, 1 are given"));
  CHECK(says(filter + "X1 a b filter q=1\n", "E-KEY 10:15 the subcircuit `filter` has no parameter `q`"));
  CHECK(says(filter + "X1 a b filter k=1\n", "E-KEY 10:15"));
  CHECK(says(filter + "X1\n", "E-MISSING 10:1"));
  CHECK(says(filter + filter + "X1 a b filter\n",
             "E-DUPLICATE 10:9 the subcircuit `filter` was given at line 2"));
  CHECK(says(".subckt a x\nX1 x a\n.ends\nX1 1 a\n", "E-CYCLE 3:6 the subcircuit `a` uses itself"));
  CHECK(says(".subckt a x\nX1 x b\n.ends\n.subckt b x\nX1 x a\n.ends\nX1 1 a\n", "E-CYCLE 6:6"));
  CHECK(says(".subckt a x\nR1 x 0 1\n", "E-SYNTAX 2:9 the subcircuit `a` has no end"));
  CHECK(says("R1 x 0 1\n.ends\n", "E-SYNTAX 3:1 .ends without its .subckt"));
  CHECK(says(".subckt a x\nR1 x 0 1\n.ends b\nX1 1 a\n", "E-SYNTAX 4:7"));
  CHECK(says(".subckt a x x\nR1 x 0 1\n.ends\nR1 1 0 1\n", "E-DUPLICATE 2:13"));
  CHECK(says(".subckt a x gnd\nR1 x 0 1\n.ends\nR1 1 0 1\n", "E-NAME 2:13"));
}

TEST_CASE("connected from outside") {
  const std::string cards = "Vin in 0 5\nR1 in out 1k\nI1 out 0 1\nR2 vin_input 0 1\nVx 0 y SIN(0 1 2)\n";
  const SubsystemTree t = tree(cards, {"amp", {}, {{"vin", "sensor"}, {"out", "plug"}, {"y", "ground"}}});
  CHECK(names(t, "ports") == "out vin_input");
  CHECK(t.connections == std::map<std::string, std::string>{{"out", "out"}, {"vin_input", "vin"}});
  CHECK(names(t, "nodes") == "in vin_input");
  CHECK(part("Vin in 0 SIN(0 1 2)\n", "vin", {"", {}, {{"vin", "sensor"}}}) ==
        "{type: electric.voltage_source, between: [in, ground], input: vin_input}");
  CHECK(t.connectable == std::vector<std::string>{"in", "out", "vin_input", "y", "vin", "i1", "vx"});
  // v(node) of a node that is connected to ground is 0.
  CHECK(
      part("R1 a 0 1\nB1 b 0 V=v(a)+1\n", "b1", {"", {}, {{"a", "ground"}}}).find("expression: (1)*(1 V)") !=
      std::string::npos);
}

TEST_CASE("other cards") {
  const std::string r1 = "{type: electric.resistor, resistance: 1 ohm, between: [a, ground]}";
  for (const char* card :
       {".tran 1u 1m", ".op", ".print tran v(a)", ".plot tran v(a)", ".probe v(a)", ".save all",
        ".meas tran x max v(a)", ".options reltol=1e-4 abstol=1p", ".nodeset v(a)=1", ".temp 27",
        ".options temp=27 tnom=27", ".title other", ".global a"})
    CHECK_MESSAGE(part("R1 a 0 1\n" + std::string(card) + "\n", "r1") == r1, card);
  CHECK(part("D1 a 0 d\n.model d d\n.options temp=50\n", "d1").ends_with("temperature: 323.15 K}"));
  CHECK(says("R1 a 0 1\n.ac dec 10 1 1k\n", "E-UNSUPPORTED 3:1 the card `.ac dec 10 1 1k` is not supported"));
  CHECK(says("R1 a 0 1\n.func f(x) {x}\n", "E-UNSUPPORTED 3:1"));
  CHECK(says("R1 a 0 1\n.temp 20 30\n", "E-UNSUPPORTED 3:10"));
  CHECK(says("R1 a 0 1\n.options tnom=25\n", "E-UNSUPPORTED 3:15"));
  CHECK(says("R1 a 0 1\n.options scale=1u\n", "E-UNSUPPORTED 3:10"));
  CHECK(says("R1 a 0 1\nJ1 a b c jx\n", "E-UNSUPPORTED 3:1 junction field-effect transistors (J)"));
  CHECK(says("R1 a 0 1\n?1 a b c jx\n", "E-SYNTAX 3:1 there is no element with this first letter"));
  CHECK(says("R1 a 0 1\n(a b)\n", "E-SYNTAX 3:1 a card begins with a name"));
  CHECK(says("R a 0 1\n", "E-NAME 2:1 the element `r` has no name"));
  CHECK(said("R1 a 0\nC1 a\nL1 a 0 x\n") ==
        "E-MISSING 2:6 the value is missing in `R1 a 0`; E-MISSING 3:1 too few nodes or values in `C1 a`; "
        "E-REFERENCE 4:8 there is no parameter `x`");
}

TEST_CASE("files") {
  Folder folder;
  folder.files["Models.lib"] = ".model dx d(is=5p)\n.subckt s a\nR1 a 0 1\n.ends\n.end\nnonsense\n";
  folder.files["corners.lib"] = ".lib typical\n.param v=1\n.endl\n.lib fast\n.param v=2\n.endl fast\n";
  folder.files["self.inc"] = "R9 a 0 1\n.include self.inc\n";
  folder.files["open.inc"] = ".subckt s a\n";
  folder.files["bad.inc"] = "\nR1 a\n";
  CHECK(part(".include \"Models.lib\"\nD1 a 0 dx\nX1 a s\n", "d1", {}, folder).find("5e-12 A") !=
        std::string::npos);
  CHECK(part(".inc Models.lib ; comment\nX1 a s\n", "x1.r1", {}, folder).find("1 ohm") != std::string::npos);
  CHECK(part(".lib Models.lib\nX1 a s\n", "x1.r1", {}, folder).find("1 ohm") != std::string::npos);
  CHECK(part(".lib 'corners.lib' Fast\nR1 a 0 {v}\n", "r1", {}, folder).find("2 ohm") != std::string::npos);
  CHECK(
      says(".lib corners.lib slow\nR1 a 0 1\n", "E-REFERENCE 2:6 the library has no section `slow`", folder));
  CHECK(says(".include nothing.lib\nR1 a 0 1\n", "E-FILE 2:10", folder));
  CHECK(says(".include self.inc\n", "E-CYCLE 2:10", folder));
  CHECK(says(".include open.inc\nR1 a 0 1\n", "E-SYNTAX", folder));
  CHECK(says(".include\nR1 a 0 1\n", "E-MISSING 2:1", folder));
  CHECK(says(".include a b\nR1 a 0 1\n", "E-SYNTAX 2:11", folder));
  CHECK(said(".include bad.inc\n", {}, folder) == "E-MISSING 2:1 too few nodes or values in `R1 a`");
}

TEST_CASE("limits") {
  // Ten subcircuits in each of many levels.
  std::string bomb = ".subckt s0 a\nR1 a 0 1\n.ends\n";
  for (int i = 1; i < 30; ++i) {
    bomb += ".subckt s" + std::to_string(i) + " a\n";
    for (int k = 0; k < 10; ++k) bomb += "X" + std::to_string(k) + " a s" + std::to_string(i - 1) + "\n";
    bomb += ".ends\n";
  }
  CHECK(said(bomb + "X1 a s29\n").starts_with("E-LIMIT"));
  CHECK(said(repeated(".subckt a x\n", 200)).starts_with("E-LIMIT"));
  Folder folder;
  folder.files["0"] = "* nothing\n";
  for (int i = 1; i < 15; ++i) {
    const std::string below = ".include " + std::to_string(i - 1) + "\n";
    folder.files[std::to_string(i)] = repeated(below, 10);
  }
  CHECK(said(".include 14\nR1 a 0 1\n", {}, folder).find("E-LIMIT") != std::string::npos);
}

TEST_CASE("many lines take time in proportion") {
  const auto seconds = [](int count) {
    std::string cards;
    for (int i = 0; i < count; ++i)
      cards += "R" + std::to_string(i) + " " + std::to_string(i) + " " + std::to_string(i + 1) + " {r*2}\n";
    const auto begin = std::chrono::steady_clock::now();
    CHECK(tree(cards + ".param r=1k\n").root.find("components")->entries.size() ==
          static_cast<std::size_t>(count));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  seconds(1000);
  const double few = seconds(10'000), many = seconds(100'000);
  CHECK(many < 60 * few + 1);
}

TEST_CASE("damaged netlists give a tree or a fault") {
  const std::string good =
      "a title\n.param r=1k c={2*r}\nV1 in 0 SIN(0 1 1k)\nR1 in out {r}\nC1 out 0 1u IC=1\nX1 out sub "
      "r=2\nB1 q 0 "
      "V={v(out)*2}\nD1 q 0 dx\nL1 q 0 1\nL2 out 0 1\nK1 L1 L2 .5\n.model dx d(is=1p)\n.subckt sub a r=1\nR1 "
      "a 0 "
      "{r}\n.ends\n.ic v(out)=1\n.tran 1 1 uic\n.end\n";
  std::mt19937 random(1);
  int trees = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text = good;
    for (int k = 1 + static_cast<int>(random() % 4); k > 0; --k) {
      const std::size_t at = random() % text.size(), other = random() % text.size();
      if (random() % 3 == 0) text.erase(at, 1 + random() % 8);
      else if (random() % 2 == 0) text[at] = good[other % good.size()];
      else text.insert(at, good.substr(other % good.size(), random() % 12));
      if (text.empty()) text = "x";
    }
    try {
      const Node root = Netlist::read({text, &file_name, ""}).tree({}).root;
      REQUIRE(same_tree(root, read_yaml(write_yaml(root), &file_name)));
      ++trees;
    } catch (const ModelError& e) {
      REQUIRE(e.place.line > 0);
      REQUIRE(e.place.column > 0);
    } catch (const ModelErrors& e) {
      for (const ModelError& one : e.errors) REQUIRE((one.place.line > 0 && one.place.column > 0));
    }
  }
  CHECK(trees > 100);
}
