// Motors and voice coils, which differ in what they call things.
#pragma once

namespace escapement {
class Build;
struct ComponentType;
}  // namespace escapement

namespace escapement::electric {

void add_machine_keys(ComponentType& type);
void build_machine(Build& b, const char* shaft, const char* constant, const char* inertia,
                   const char* effort);

}  // namespace escapement::electric
