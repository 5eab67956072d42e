// Makes the n-th allocation after the beginning of main fail, and all after it where ALLOCATION_STAYS is set. Loaded with
// LD_PRELOAD; ALLOCATION_AT=n. Where ALLOCATION_COUNT names a file, the number of allocations is written there at the end.
// Of the C allocations those fail that the program, KLU and libyaml ask for. HDF5 1.10 does not survive its own (it frees what it
// never had), so what it and the C library ask for is left out.
// With the address sanitizer (-DOPERATORS_ONLY) malloc is the sanitizer's: only C++ allocations fail.
#include <dlfcn.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <new>

namespace {

std::atomic<long> calls = 0;
std::atomic<long> at = 0;  // 0: none fails
bool counting = false;
bool stays = false;

/// Whether the code at this address belongs to what must cope.
bool copes(void* address) {
  Dl_info info;
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return true;
  for (const char* other : {"allocations.so", "libhdf5", "libsz", "libc.so", "libstdc++", "ld-linux"})
    if (std::strstr(info.dli_fname, other) != nullptr) return false;
  return true;
}

bool fails(void* caller = nullptr) {
  if (!counting || (caller != nullptr && !copes(caller))) return false;
  const long n = ++calls;
  return at > 0 && (n == at || (n > at && stays));
}

int (*true_main)(int, char**, char**) = nullptr;

int counted_main(int argc, char** argv, char** environment) {
  const char* number = std::getenv("ALLOCATION_AT");
  at = number != nullptr ? std::atol(number) : 0;
  stays = std::getenv("ALLOCATION_STAYS") != nullptr;
  counting = true;
  const int status = true_main(argc, argv, environment);
  counting = false;
  if (const char* path = std::getenv("ALLOCATION_COUNT"))
    if (std::FILE* file = std::fopen(path, "w")) {
      std::fprintf(file, "%ld\n", calls.load());
      std::fclose(file);
    }
  return status;
}

void* allocate(std::size_t size, std::size_t alignment) {
  if (fails()) return nullptr;
  return alignment == 0 ? std::malloc(size)
                        : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void* allocate_or_throw(std::size_t size, std::size_t alignment = 0) {
  void* const p = allocate(size == 0 ? 1 : size, alignment);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

}  // namespace

extern "C" {

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(), void (*fini)(),
                      void (*loader_fini)(), void* stack) {
  true_main = main;
  const auto next = reinterpret_cast<decltype(&__libc_start_main)>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return next(counted_main, argc, argv, init, fini, loader_fini, stack);
}

#ifndef OPERATORS_ONLY
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  return fails(__builtin_return_address(0)) ? (errno = ENOMEM, nullptr) : __libc_malloc(size);
}
void* calloc(std::size_t n, std::size_t size) {
  return fails(__builtin_return_address(0)) ? (errno = ENOMEM, nullptr) : __libc_calloc(n, size);
}
void* realloc(void* p, std::size_t size) {
  return fails(__builtin_return_address(0)) ? (errno = ENOMEM, nullptr) : __libc_realloc(p, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return fails(__builtin_return_address(0)) ? (errno = ENOMEM, nullptr) : __libc_memalign(alignment, size);
}
int posix_memalign(void** p, std::size_t alignment, std::size_t size) {
  if (fails(__builtin_return_address(0))) return ENOMEM;
  return (*p = __libc_memalign(alignment, size)) != nullptr ? 0 : ENOMEM;
}
#endif
}

void* operator new(std::size_t size) { return allocate_or_throw(size); }
void* operator new[](std::size_t size) { return allocate_or_throw(size); }
void* operator new(std::size_t size, std::align_val_t a) { return allocate_or_throw(size, std::size_t(a)); }
void* operator new[](std::size_t size, std::align_val_t a) { return allocate_or_throw(size, std::size_t(a)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 0); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 0); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
