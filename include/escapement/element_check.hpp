// The checker for elements: the one that Escapement's own must pass.
//
//   check_elements(system)   one sentence per fault, naming row and unknown; empty: everything holds
//
// At random states it compares tangents with central differences, what is written by hand with what is differentiated, and the
// power that an element takes in with its energy rate plus loss; and it looks at both sides of every kink.
//
//   for (const std::string& fault : check_elements(system)) std::puts(fault.c_str());
#pragma once
#include "core/element_check.hpp"
