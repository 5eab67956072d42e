// Component types of one's own: an element with a name, a schema and a place in the registry, so that model files can use it.
//
//   ComponentType   name, what it takes (number, vector, table, expression …), connects to and gives; `build` makes its elements
//   Build           what `build` sees: checked values, nodes and signals by their keys; add(), channel()
//   Registry        of types; those of Escapement are standard_registry().types()
//
//   ComponentType type("my.hardening_spring", "A spring to ground that hardens.");
//   type.connects(at(Domain::translational));
//   type.takes(number("stiffness", "N/m", "at rest").positive());
//   type.takes(number("hardening", "1/m^2", "of it, per elongation squared").otherwise("0 1/m^2"));
//   type.build = [](Build& b) {
//     b.add(HardeningSpring{b.node<Position<1>>("at"), b.number("stiffness"), b.number("hardening")});
//   };
//   std::vector<ComponentType> types = standard_registry().types();
//   types.push_back(type);
//   const Registry registry(types, standard_registry().formats());
//
// Registry throws std::logic_error for a schema that contradicts itself. What only the component can know it refuses by
// b.refuse(code, key, cause, hint).
#pragma once
#include <escapement/element.hpp>
#include <escapement/model.hpp>

#include "model/component.hpp"
