// Everything of Escapement for C++: the headers below, each of which may be included alone (docs/cpp.md). All numbers are in SI
// units and radians; all names are in namespace escapement.
#pragma once
#include <escapement/component.hpp>
#include <escapement/element.hpp>
#include <escapement/element_check.hpp>
#include <escapement/elements.hpp>
#include <escapement/equilibrium.hpp>
#include <escapement/error.hpp>
#include <escapement/generalized_alpha.hpp>
#include <escapement/math.hpp>
#include <escapement/model.hpp>
#include <escapement/modes.hpp>
#include <escapement/results.hpp>
#include <escapement/simulate.hpp>
#include <escapement/stepped_model.hpp>
#include <escapement/stepper.hpp>
#include <escapement/system.hpp>
#include <escapement/variational.hpp>
