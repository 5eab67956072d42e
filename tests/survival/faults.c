/* Makes the n-th call fail that writes to a file below $FAULT_FOLDER (write, pwrite, fsync, rename, ftruncate), and all after it
 * for as long as FAULT_STAYS is set: a disk that becomes full. Loaded with LD_PRELOAD; FAULT_AT=n. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int concerns(int file) {
  char link[64], path[4096];
  const char *folder = getenv("FAULT_FOLDER");
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t n = readlink(link, path, sizeof path - 1);
  if (n <= 0 || !folder) return 0;
  path[n] = 0;
  return strncmp(path, folder, strlen(folder)) == 0;
}

static int fails(void) {
  static long calls = 0, at = -1;
  if (at < 0) at = getenv("FAULT_AT") ? atol(getenv("FAULT_AT")) : 0;
  if (at == 0) return 0;
  ++calls;
  return calls == at || (calls > at && getenv("FAULT_STAYS") != NULL);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int file, const void *data, size_t size) {
  if (concerns(file) && fails()) return errno = ENOSPC, -1;
  return NEXT(write)(file, data, size);
}
ssize_t pwrite(int file, const void *data, size_t size, off_t at) {
  if (concerns(file) && fails()) return errno = ENOSPC, -1;
  return NEXT(pwrite)(file, data, size, at);
}
ssize_t pwrite64(int file, const void *data, size_t size, off64_t at) {
  if (concerns(file) && fails()) return errno = ENOSPC, -1;
  return NEXT(pwrite64)(file, data, size, at);
}
int fsync(int file) {
  if (concerns(file) && fails()) return errno = EIO, -1;
  return NEXT(fsync)(file);
}
int ftruncate(int file, off_t size) {
  if (concerns(file) && fails()) return errno = ENOSPC, -1;
  return NEXT(ftruncate)(file, size);
}
int rename(const char *from, const char *to) {
  const char *folder = getenv("FAULT_FOLDER");
  if (folder && strncmp(to, folder, strlen(folder)) == 0 && fails()) return errno = ENOSPC, -1;
  return NEXT(rename)(from, to);
}
