// Ready-made elements, for systems put together by SystemBuilder. Each is a struct whose members come in the order: nodes, other
// unknowns, numbers (SI units); `{}` as a node is ground.
//
//   translational::  Mass, Spring, Damper, Force, Friction, Transmission (lever, gear), Gap (end stop), MotionByReference:
//                    on Position<1>, of a slider or a shaft
//   planar::         Mass, Body, Spring, Damper, Distance, KnifeEdge: on Position<2> and Position<3>
//   body::           Rigid, of a Pose; MassProperties of box, cylinder, tube, sphere …
//   joint::          Joint<n>; spherical(), revolute(); Coordinate, for what acts on the angle or displacement of a joint
//   force::          SpringDamper, PointLoad, Bushing, Torsion: between Poses
//   beam::           Segment, ElementInertia: a beam between two Poses
//   electric::       Resistor, Capacitor, Coil, VoltageSource, CurrentSource, Diode, Switch, Machine …: on Terminals
//   control::        TimeSource, Map (any function of one signal), Function (of several), StateSpace
//   math::           equations(), constraint(), slip_constraint(): rows written as lambdas
//
//   const auto x = builder.position<1>("mass.position");
//   builder.add(translational::Mass{x, 2.0});           // kg
//   builder.add(translational::Spring{{}, x, 50.0});    // N/m
//
// All components with their names, units and checks belong to the model: model.hpp.
#pragma once
#include <escapement/element.hpp>

#include "components/beam/inertia.hpp"
#include "components/beam/segment.hpp"
#include "components/body/mass_properties.hpp"
#include "components/body/rigid.hpp"
#include "components/control/function.hpp"
#include "components/control/map.hpp"
#include "components/control/state_space.hpp"
#include "components/control/time_source.hpp"
#include "components/electric/junction.hpp"
#include "components/electric/machine.hpp"
#include "components/electric/passive.hpp"
#include "components/electric/sources.hpp"
#include "components/electric/switch.hpp"
#include "components/force/bushing.hpp"
#include "components/force/point.hpp"
#include "components/force/spring.hpp"
#include "components/force/torsion.hpp"
#include "components/joint/coordinate.hpp"
#include "components/joint/joint.hpp"
#include "components/math/equations.hpp"
#include "components/planar/body.hpp"
#include "components/planar/damper.hpp"
#include "components/planar/distance.hpp"
#include "components/planar/knife_edge.hpp"
#include "components/planar/mass.hpp"
#include "components/planar/spring.hpp"
#include "components/translational/damper.hpp"
#include "components/translational/end_stop.hpp"
#include "components/translational/force.hpp"
#include "components/translational/friction.hpp"
#include "components/translational/lever.hpp"
#include "components/translational/mass.hpp"
#include "components/translational/motion.hpp"
#include "components/translational/spring.hpp"
