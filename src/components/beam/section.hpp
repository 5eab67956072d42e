// Sections and materials of beams: what they give per length (T-beam-4).
#pragma once
#include "components/beam/segment.hpp"
#include "model/component.hpp"

namespace escapement::beam {

/// y and z are the section's axes, x along the beam.
struct Section {
  double area;              // m²
  double shear_y, shear_z;  // m², area that counts for shear along y and along z
  double torsion;           // m⁴, Saint-Venant's constant
  double bending_y;         // m⁴, ∫z² dA: bending about y
  double bending_z;         // m⁴, ∫y² dA
};

struct Material {
  double youngs_modulus, poisson_ratio, density;  // Pa, 1, kg/m³
  double shear_modulus() const { return youngs_modulus / (2 * (1 + poisson_ratio)); }
};

/// Shear factors after Cowper; the torsion of a rectangle by its series, of hollow boxes after Bredt, of I sections as thin strips.
Section rectangle(double width_y, double height_z, double poisson_ratio);
Section ellipse(double radius_y, double radius_z, double poisson_ratio);
Section tube(double outer_radius, double inner_radius, double poisson_ratio);
Section box(double width_y, double height_z, double wall, double poisson_ratio);
/// Flanges along y, web along z.
Section i_beam(double width_y, double height_z, double flange, double web, double poisson_ratio);

/// What a beam is made of, per length.
struct Line {
  Stiffness stiffness{};
  double mass = 0;    // kg/m
  Matrix3 inertia{};  // kg·m, about the centre of mass
  Vector3 centre{};   // m, of mass, from the line
  Scene::Outline outline;
  double youngs_modulus = 0;  // Pa; 0: not known
};

/// `material`, or its numbers.
void add_material_keys(ComponentType& type);
Material read_material(const Build& b);
/// Adds the keys of section and material.
void add_section_keys(ComponentType& type);
/// What they say, at this part (0 … 1) of the line.
Line read_line(const Build& b, double place);
/// Does it depend on the place?
bool tapered(const Build& b);

}  // namespace escapement::beam
