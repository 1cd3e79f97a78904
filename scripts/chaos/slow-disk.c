/* Preloaded into PostgreSQL: each flush to the disk takes as many milliseconds longer as the file
   named by HOLTER_SLOW_DISK says. Without the file nothing changes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static void wait_as_told(void) {
  const char *path = getenv("HOLTER_SLOW_DISK");
  int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0) return;
  char text[16] = {0};
  if (read(fd, text, sizeof text - 1) > 0) usleep((useconds_t)atoi(text) * 1000);
  close(fd);
}

int fdatasync(int fd) {
  wait_as_told();
  return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(fd);
}

int fsync(int fd) {
  wait_as_told();
  return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd);
}
