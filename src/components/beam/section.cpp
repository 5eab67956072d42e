#include "components/beam/section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace escapement::beam {
namespace {

constexpr double pi = std::numbers::pi;

struct Known {
  const char* name;
  Material material;
};
// Usual values at room temperature.
constexpr Known materials[] = {{"steel", {210e9, 0.30, 7850}},    {"stainless_steel", {193e9, 0.29, 8000}},
                               {"aluminium", {70e9, 0.33, 2700}}, {"titanium", {114e9, 0.34, 4430}},
                               {"magnesium", {45e9, 0.29, 1770}}, {"copper", {120e9, 0.34, 8960}},
                               {"brass", {103e9, 0.34, 8500}},    {"nylon", {2.8e9, 0.40, 1140}}};

/// Shear factor of a thin-walled section with two flanges and webs (Cowper): m the area of the flanges over that of the webs,
/// n width over height.
double box_shear_factor(double m, double n, double nu) {
  return 10 * (1 + nu) * (1 + 3 * m) * (1 + 3 * m) /
         (12 + 72 * m + 150 * m * m + 90 * m * m * m + nu * (11 + 66 * m + 135 * m * m + 90 * m * m * m) +
          10 * n * n * ((3 + nu) * m + 3 * m * m));
}
double i_shear_factor(double m, double n, double nu) {
  return 10 * (1 + nu) * (1 + 3 * m) * (1 + 3 * m) /
         (12 + 72 * m + 150 * m * m + 90 * m * m * m + nu * (11 + 66 * m + 135 * m * m + 90 * m * m * m) +
          30 * n * n * (m + m * m) + 5 * nu * n * n * (8 * m + 9 * m * m));
}

std::vector<Parameter> taper_keys() {
  std::vector<Parameter> keys;
  for (const char* key :
       {"width", "height", "radius_y", "radius_z", "outer_radius", "inner_radius", "wall", "flange", "web"})
    keys.push_back(number(key, "m", "of the shape, where the beam ends").positive().optional());
  for (const char* key : {"stiffness", "mass"})
    keys.push_back(number(key, "1", "where the beam ends, over what is given").positive().optional());
  return keys;
}

/// The solid ellipse that bends as easily, of what stretches as easily.
Scene::Outline alike(const Stiffness& s) {
  return {"ellipse", {2 * std::sqrt(s[5][5] / s[0][0]), 2 * std::sqrt(s[4][4] / s[0][0])}};
}

/// The section's numbers at a place along the line, with what `taper` changes.
class Numbers {
 public:
  Numbers(const Build& b, double place) : b_(b), place_(place) {}
  /// `rectangle.width`, for instance.
  double operator()(const std::string& shape, const std::string& key) const {
    const double here = b_.number(shape + "." + key);
    use(key);
    const std::string end = "taper." + key;
    return b_.has(end) ? here + place_ * (b_.number(end) - here) : here;
  }
  /// `stiffness` or `mass`: its factor.
  double factor(const std::string& key) const {
    use(key);
    const std::string end = "taper." + key;
    return b_.has(end) ? 1 + place_ * (b_.number(end) - 1) : 1;
  }
  void refuse_others() const {
    for (const Parameter& p : taper_keys())
      if (b_.has("taper." + p.key) && std::find(used_.begin(), used_.end(), p.key) == used_.end())
        b_.refuse("E-CHOICE", "taper." + p.key, "the section has no such number",
                  fmt::format("it has: {}", fmt::join(used_, ", ")));
  }

 private:
  void use(const std::string& key) const {
    if (std::find(used_.begin(), used_.end(), key) == used_.end()) used_.push_back(key);
  }

  const Build& b_;
  double place_;
  mutable std::vector<std::string> used_;
};

}  // namespace

Section rectangle(double width_y, double height_z, double nu) {
  const double a = std::max(width_y, height_z), c = std::min(width_y, height_z);
  // Σ tanh(nπa/2c)/n⁵ over odd n: what it falls short of Σ 1/n⁵ = 31/32 ζ(5) vanishes fast.
  double sum = 31.0 / 32 * 1.0369277551433699;
  for (int n = 1; n < 16; n += 2) sum -= 2 / (1 + std::exp(n * pi * a / c)) / std::pow(n, 5);
  const double torsion = a * c * c * c / 3 * (1 - 192 * c / (std::pow(pi, 5) * a) * sum);
  const double area = width_y * height_z, shear = 10 * (1 + nu) / (12 + 11 * nu) * area;
  return {area,
          shear,
          shear,
          torsion,
          width_y * std::pow(height_z, 3) / 12,
          height_z * std::pow(width_y, 3) / 12};
}

Section ellipse(double y, double z, double nu) {
  const double area = pi * y * z;
  const auto factor = [&](double along, double across) {  // half axes along and across the force
    const double a = along * along, c = across * across;
    return 12 * (1 + nu) * a * (3 * a + c) / ((40 + 37 * nu) * a * a + (16 + 10 * nu) * a * c + nu * c * c);
  };
  return {area,
          factor(y, z) * area,
          factor(z, y) * area,
          pi * std::pow(y * z, 3) / (y * y + z * z),
          pi * y * std::pow(z, 3) / 4,
          pi * z * std::pow(y, 3) / 4};
}

Section tube(double outer, double inner, double nu) {
  const double area = pi * (outer * outer - inner * inner),
               bending = pi / 4 * (std::pow(outer, 4) - std::pow(inner, 4));
  const double m = inner / outer, k = (1 + m * m) * (1 + m * m);
  const double shear = 6 * (1 + nu) * k / ((7 + 6 * nu) * k + (20 + 12 * nu) * m * m) * area;
  return {area, shear, shear, 2 * bending, bending, bending};
}

Section box(double width, double height, double wall, double nu) {
  const Section whole = rectangle(width, height, nu),
                hole = rectangle(width - 2 * wall, height - 2 * wall, nu);
  const double area = whole.area - hole.area, w = width - wall, h = height - wall;
  return {area,
          box_shear_factor(h / w, h / w, nu) * area,
          box_shear_factor(w / h, w / h, nu) * area,
          2 * wall * w * w * h * h / (w + h),
          whole.bending_y - hole.bending_y,
          whole.bending_z - hole.bending_z};
}

Section i_beam(double width, double height, double flange, double web, double nu) {
  const double between = height - 2 * flange, h = height - flange;
  const double area = 2 * width * flange + between * web;
  const double flanges = 2 * width * flange;
  return {area,
          10 * (1 + nu) / (12 + 11 * nu) * flanges,
          i_shear_factor(flanges / (h * web), width / h, nu) * area,
          (2 * width * std::pow(flange, 3) + h * std::pow(web, 3)) / 3,
          (width * std::pow(height, 3) - (width - web) * std::pow(between, 3)) / 12,
          (2 * flange * std::pow(width, 3) + between * std::pow(web, 3)) / 12};
}

Material read_material(const Build& b) {
  if (b.has("material")) {
    for (const char* key : {"youngs_modulus", "poisson_ratio", "density"})
      if (b.has(key)) b.refuse("E-CHOICE", key, "the material says that already", "remove it, or `material`");
    for (const Known& k : materials)
      if (b.text("material") == k.name) return k.material;
  }
  const bool none = !b.has("youngs_modulus") && !b.has("poisson_ratio") && !b.has("density");
  for (const char* key : {"youngs_modulus", "poisson_ratio", "density"})
    if (!b.has(key))
      b.refuse(
          "E-MISSING", "",
          none ? "`material` is missing (what the shape is made of)" : fmt::format("`{}` is missing", key),
          "material: steel, or youngs_modulus, poisson_ratio and density");
  return {b.number("youngs_modulus"), b.number("poisson_ratio"), b.number("density")};
}

void add_material_keys(ComponentType& type) {
  std::vector<std::string> names;
  for (const Known& k : materials) names.push_back(k.name);
  type.takes(choice("material", names, "what it is made of").optional());
  type.takes(number("youngs_modulus", "Pa", "instead of `material`").positive().optional());
  type.takes(number("poisson_ratio", "1", "instead of `material`").at_least(-0.99).at_most(0.5).optional());
  type.takes(number("density", "kg/m^3", "instead of `material`").positive().optional());
}

void add_section_keys(ComponentType& type) {
  const std::string set = "the section";
  const std::string about = "rotary inertia per length, about x, y and z through the centre of mass";
  const std::string product = "entry yz of the rotary inertia, with the sign of the tensor";
  const std::string centre = "the centre of mass, y and z from the line";
  type.takes(group("rectangle",
                   {number("width", "m", "along the section's y").positive(),
                    number("height", "m", "along its z").positive()},
                   "a solid rectangle")
                 .one_of(set));
  type.takes(group("ellipse",
                   {number("radius_y", "m", "half axis along y").positive(),
                    number("radius_z", "m", "half axis along z").positive()},
                   "a solid ellipse, or a circle")
                 .one_of(set));
  type.takes(group("tube",
                   {number("outer_radius", "m", "outside").positive(),
                    number("inner_radius", "m", "inside").at_least(0).otherwise("0 m")},
                   "a round tube, or a solid circle")
                 .one_of(set));
  type.takes(group("hollow_box",
                   {number("width", "m", "along y, outside").positive(),
                    number("height", "m", "along z, outside").positive(),
                    number("wall", "m", "thickness").positive()},
                   "a hollow box")
                 .one_of(set));
  type.takes(group("i_beam",
                   {number("width", "m", "of the flanges, along y").positive(),
                    number("height", "m", "over all, along z").positive(),
                    number("flange", "m", "thickness of the flanges").positive(),
                    number("web", "m", "thickness of the web").positive()},
                   "two flanges and a web")
                 .one_of(set));
  type.takes(
      group("properties",
            {number("axial", "N", "EA: force per strain").positive(),
             vector("shear", "N", 2, "GA of shear along y and z").positive(),
             number("torsion", "N*m^2", "GJ: moment per twist").positive(),
             vector("bending", "N*m^2", 2, "EI about y and z").positive(),
             number("mass", "kg/m", "per length").positive(), vector("inertia", "kg*m", 3, about).positive(),
             number("product", "kg*m", product).otherwise("0"),
             vector("centre", "m", 2, centre).otherwise("[0, 0]")},
            "stiffness and inertia themselves, instead of a shape and a material")
          .one_of(set));
  type.takes(
      group("stiffness",
            {matrix("matrix", "any", "6 × 6, SI: force and moment per strain and curvature"),
             number("mass", "kg/m", "per length").positive(), vector("inertia", "kg*m", 3, about).positive(),
             number("product", "kg*m", product).otherwise("0"),
             vector("centre", "m", 2, centre).otherwise("[0, 0]")},
            "a full stiffness: axial, shear y, shear z, torsion, bending y, bending z")
          .one_of(set));
  add_material_keys(type);
  type.takes(group("taper", taper_keys(),
                   "what is different where the beam ends; it changes evenly along the line"));
}

bool tapered(const Build& b) {
  for (const Parameter& p : taper_keys())
    if (b.has("taper." + p.key)) return true;
  return false;
}

namespace {

Stiffness diagonal_stiffness(const std::array<double, 6>& d) {
  Stiffness s{};
  for (int i = 0; i < 6; ++i) s[i][i] = d[i];
  return s;
}

/// Mass and inertia as they are given below `properties` or `stiffness`.
void read_mass(const Build& b, const Numbers& number, const std::string& prefix, Line& line) {
  const double factor = number.factor("mass");
  const auto &v = b.vector(prefix + ".inertia"), &centre = b.vector(prefix + ".centre");
  line.mass = factor * b.number(prefix + ".mass");
  line.inertia = diagonal(factor * v[0], factor * v[1], factor * v[2]);
  line.inertia.m[1][2] = line.inertia.m[2][1] = factor * b.number(prefix + ".product");
  if (v[1] * v[2] < std::pow(b.number(prefix + ".product"), 2))
    b.refuse("E-RANGE", prefix + ".product", "is too large: no section has such an inertia");
  line.centre = {{0, centre[0], centre[1]}};
  number.refuse_others();
}

Line line_of_properties(const Build& b, const Numbers& number) {
  Line line;
  const auto &shear = b.vector("properties.shear"), &bending = b.vector("properties.bending");
  const double f = number.factor("stiffness");
  line.stiffness = diagonal_stiffness({f * b.number("properties.axial"), f * shear[0], f * shear[1],
                                       f * b.number("properties.torsion"), f * bending[0], f * bending[1]});
  read_mass(b, number, "properties", line);
  line.outline = alike(line.stiffness);
  return line;
}

/// Cholesky's factorisation shows whether it is positive definite; entries of forces and of moments differ in size, so by pivots relative to their own.
void refuse_unless_positive(const Build& b, const MatrixValue& m) {
  double c[6][6] = {};
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j <= i; ++j) {
      const double scale = std::sqrt(std::abs(m(i, i) * m(j, j)));
      if (std::abs(m(i, j) - m(j, i)) > 1e-9 * std::max(scale, 1e-300))
        b.refuse("E-RANGE", "stiffness.matrix",
                 fmt::format("is not symmetric: entry {0}, {1} is {2:g}, entry {1}, {0} is {3:g}", i + 1,
                             j + 1, m(i, j), m(j, i)),
                 "the same number in both places");
      double sum = m(i, j);
      for (int k = 0; k < j; ++k) sum -= c[i][k] * c[j][k];
      if (i != j) {
        c[i][j] = sum / c[j][j];
        continue;
      }
      if (!(m(i, i) > 0))
        b.refuse("E-RANGE", "stiffness.matrix",
                 fmt::format("entry {0}, {0} is {1:g}, must be > 0: this deformation would cost no energy",
                             i + 1, m(i, i)));
      if (!(sum > 1e-12 * m(i, i)))
        b.refuse(
            "E-RANGE", "stiffness.matrix",
            fmt::format(
                "is not positive definite: row {} is coupled so strongly with those before it that some "
                "deformation would cost no energy",
                i + 1),
            "smaller entries beside the diagonal: each less than the root of the product of its two on the "
            "diagonal");
      c[i][i] = std::sqrt(sum);
    }
}

Line line_of_matrix(const Build& b, const Numbers& number) {
  const MatrixValue& m = b.matrix("stiffness.matrix");
  if (m.rows != 6 || m.columns != 6)
    b.refuse("E-RANGE", "stiffness.matrix", fmt::format("is {} × {}, needs 6 × 6", m.rows, m.columns));
  refuse_unless_positive(b, m);
  Line line;
  const double f = number.factor("stiffness");
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) line.stiffness[i][j] = f * m(i, j);
  read_mass(b, number, "stiffness", line);
  line.outline = alike(line.stiffness);
  return line;
}

/// The section that a shape has, and its outline.
Section section_of_shape(const Build& b, const Numbers& number, double nu, Scene::Outline& outline) {
  if (b.has("rectangle.width")) {
    const double width = number("rectangle", "width"), height = number("rectangle", "height");
    outline = {"rectangle", {width, height}};
    return rectangle(width, height, nu);
  }
  if (b.has("ellipse.radius_y")) {
    const double y = number("ellipse", "radius_y"), z = number("ellipse", "radius_z");
    outline = {"ellipse", {y, z}};
    return ellipse(y, z, nu);
  }
  if (b.has("tube.outer_radius")) {
    const double outer = number("tube", "outer_radius"), inner = number("tube", "inner_radius");
    if (inner >= outer)
      b.refuse("E-RANGE", "tube.inner_radius",
               fmt::format("is not less than the outer radius, {:g} m", outer), "0 m of a solid one");
    outline = {"tube", {outer, inner}};
    return tube(outer, inner, nu);
  }
  if (b.has("hollow_box.width")) {
    const double width = number("hollow_box", "width"), height = number("hollow_box", "height"),
                 wall = number("hollow_box", "wall");
    if (2 * wall >= std::min(width, height))
      b.refuse(
          "E-RANGE", "hollow_box.wall",
          fmt::format("leaves no room inside: must be less than half of {:g} m", std::min(width, height)),
          "rectangle: {width: …, height: …} of a solid one");
    outline = {"hollow_box", {width, height, wall}};
    return box(width, height, wall, nu);
  }
  const double width = number("i_beam", "width"), height = number("i_beam", "height"),
               flange = number("i_beam", "flange"), web = number("i_beam", "web");
  if (2 * flange >= height)
    b.refuse("E-RANGE", "i_beam.flange",
             fmt::format("leaves no room for the web: must be less than half of the height, {:g} m", height));
  if (web > width) b.refuse("E-RANGE", "i_beam.web", fmt::format("is wider than the flanges, {:g} m", width));
  outline = {"i_beam", {width, height, flange, web}};
  return i_beam(width, height, flange, web, nu);
}

Line line_of_shape(const Build& b, const Numbers& number) {
  const Material material = read_material(b);
  Line line;
  const Section s = section_of_shape(b, number, material.poisson_ratio, line.outline);
  const double E = material.youngs_modulus, G = material.shear_modulus(), rho = material.density;
  number.refuse_others();
  line.stiffness = diagonal_stiffness(
      {E * s.area, G * s.shear_y, G * s.shear_z, G * s.torsion, E * s.bending_y, E * s.bending_z});
  for (int i = 0; i < 6; ++i)
    if (const double k = line.stiffness[i][i]; !(k > 0 && std::isfinite(k)))
      b.refuse("E-RANGE", "",
               fmt::format("section and material give a stiffness of {:g}, which must be > 0 and finite", k),
               "lengths in m, the modulus in Pa: `height: 2 cm`, `youngs_modulus: 210 GPa`");
  line.mass = rho * s.area;
  line.youngs_modulus = E;
  line.inertia = diagonal(rho * (s.bending_y + s.bending_z), rho * s.bending_y, rho * s.bending_z);
  return line;
}

}  // namespace

Line read_line(const Build& b, double place) {
  const Numbers number(b, place);
  const bool properties = b.has("properties.axial"), matrix = b.has("stiffness.matrix");
  if (properties || matrix)
    for (const char* key : {"material", "youngs_modulus", "poisson_ratio", "density"})
      if (b.has(key)) b.refuse("E-CHOICE", key, "stiffness and mass are given themselves", "remove it");
  return properties ? line_of_properties(b, number)
         : matrix   ? line_of_matrix(b, number)
                    : line_of_shape(b, number);
}

}  // namespace escapement::beam
