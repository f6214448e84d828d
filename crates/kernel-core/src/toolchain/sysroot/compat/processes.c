/* Numbers of the running thread and processor that older kernels have and older C libraries do not offer: glibc 2.30 added
 * gettid, and 2.29 getcpu. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

#include "hidden.h"

KERNEL_BUILDER_HIDDEN pid_t own_thread(void) __asm__("gettid");
pid_t own_thread(void) { return (pid_t)syscall(SYS_gettid); }

KERNEL_BUILDER_HIDDEN int own_processor(unsigned int *, unsigned int *) __asm__("getcpu");
int own_processor(unsigned int *processor, unsigned int *node) {
  return (int)syscall(SYS_getcpu, processor, node, (void *)0);
}
