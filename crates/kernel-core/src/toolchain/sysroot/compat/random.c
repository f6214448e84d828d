/* glibc 2.36 added arc4random, which the archive of a newer libstdc++ calls. The kernel's generator is as good. */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/random.h>

#include "hidden.h"

/* Like glibc's own: there is no way to report a failure, and going on without randomness would be worse. */
KERNEL_BUILDER_HIDDEN void arc4random_buf(void *buffer, size_t size) {
  unsigned char *next = buffer;
  while (size > 0) {
    ssize_t got = getrandom(next, size, 0);
    if (got < 0 && errno != EINTR) abort();
    if (got > 0) {
      next += got;
      size -= (size_t)got;
    }
  }
}

KERNEL_BUILDER_HIDDEN unsigned int arc4random(void) {
  unsigned int value;
  arc4random_buf(&value, sizeof value);
  return value;
}

/* Uniform below `bound`: values of the last, incomplete run of `bound` numbers are drawn again. */
KERNEL_BUILDER_HIDDEN unsigned int arc4random_uniform(unsigned int bound) {
  unsigned int skipped, value;
  if (bound < 2) return 0;
  skipped = -bound % bound;
  do value = arc4random();
  while (value < skipped);
  return value % bound;
}
