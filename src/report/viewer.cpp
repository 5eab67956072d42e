#include "report/viewer.hpp"

#ifdef ESCAPEMENT_VIEWER
// The file as it is, in the program's constant data.
asm(R"(
  .section .rodata
  .global escapement_viewer_begin
  .global escapement_viewer_end
escapement_viewer_begin:
  .incbin ")" ESCAPEMENT_VIEWER R"("
escapement_viewer_end:
  .byte 0
  .previous
)");
extern "C" const char escapement_viewer_begin[], escapement_viewer_end[];

std::string_view escapement::viewer_template() {
  return {escapement_viewer_begin, static_cast<std::size_t>(escapement_viewer_end - escapement_viewer_begin)};
}
#else
std::string_view escapement::viewer_template() { return {}; }
#endif
