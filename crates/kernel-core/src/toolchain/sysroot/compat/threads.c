/* glibc 2.32 added a flag by which libstdc++'s reference counts skip atomic instructions while there is one thread.
 * A process that loads kernels has several, and the old system cannot tell: always count atomically. */
#include "hidden.h"

KERNEL_BUILDER_HIDDEN char __libc_single_threaded = 0;
