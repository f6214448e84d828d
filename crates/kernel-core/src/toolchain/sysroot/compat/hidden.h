/* Every definition here is for the kernel it is linked into and for nobody else. */
#ifndef KERNEL_BUILDER_HIDDEN
#define KERNEL_BUILDER_HIDDEN __attribute__((visibility("hidden")))
#endif
