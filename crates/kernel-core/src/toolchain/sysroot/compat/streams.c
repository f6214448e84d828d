/* GCC 13 moved the initialisation of std::cout and its kin from every file that includes <iostream> into libstdc++, and
 * marks such files with a reference to the function below. An older libstdc++ initialises the streams when the first
 * std::ios_base::Init is made; it counts them, so that one per kernel is what it expects. */
#include "hidden.h"

extern void construct(void *init) __asm__("_ZNSt8ios_base4InitC1Ev");
extern void destroy(void *init) __asm__("_ZNSt8ios_base4InitD1Ev");

/* An object of an empty class; only the library's count matters. */
static char init;

KERNEL_BUILDER_HIDDEN void library_init(void) __asm__("_ZSt21ios_base_library_initv");
void library_init(void) {}

/* Before every initialiser of the kernel's own and after all its destructors; lower priorities are reserved. */
__attribute__((constructor(101))) static void open_streams(void) { construct(&init); }
__attribute__((destructor(101))) static void close_streams(void) { destroy(&init); }
