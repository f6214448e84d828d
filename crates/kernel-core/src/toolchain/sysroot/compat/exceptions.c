/* Calls into libstdc++'s exception support that newer compilers and headers make. Each is done through what the shared
 * libstdc++ of the target exports, because exception objects and their counts must have one owner in a process; members
 * of the static archive would bring a second. The names below are those of the Itanium C++ ABI. */
#include "hidden.h"

/* std::__throw_bad_array_new_length(), called for a negative or too large array size. */
extern void throw_length(void) __asm__("__cxa_throw_bad_array_new_length") __attribute__((noreturn));
KERNEL_BUILDER_HIDDEN void throw_bad_length(void) __asm__("_ZSt28__throw_bad_array_new_lengthv");
void throw_bad_length(void) { throw_length(); }

/* __cxa_call_terminate(exception): an exception met a noexcept boundary. */
extern void *__cxa_begin_catch(void *exception);
extern void terminate(void) __asm__("_ZSt9terminatev") __attribute__((noreturn));
KERNEL_BUILDER_HIDDEN void __cxa_call_terminate(void *exception) {
  if (exception) __cxa_begin_catch(exception);
  terminate();
}

/* std::exception_ptr is one pointer. Newer headers copy and destroy it inline and call these two for the count, which
 * older libraries keep to themselves; their copy constructor and destructor count all the same. Both are asked for by
 * version: unoptimised code has inline functions of these names, which would call back. */
struct exception_pointer {
  void *object;
};
__asm__(".symver shared_copy, _ZNSt15__exception_ptr13exception_ptrC1ERKS0_@CXXABI_1.3.3\n"
        ".symver shared_destroy, _ZNSt15__exception_ptr13exception_ptrD1Ev@CXXABI_1.3.3");
extern void copy(struct exception_pointer *to, const struct exception_pointer *from) __asm__("shared_copy");
extern void destroy(struct exception_pointer *pointer) __asm__("shared_destroy");

KERNEL_BUILDER_HIDDEN void add_reference(struct exception_pointer *pointer)
    __asm__("_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv");
void add_reference(struct exception_pointer *pointer) {
  struct exception_pointer kept = {0};
  /* The copy is never destroyed: its count is the one to add. */
  if (pointer->object) copy(&kept, pointer);
}

KERNEL_BUILDER_HIDDEN void release(struct exception_pointer *pointer)
    __asm__("_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv");
void release(struct exception_pointer *pointer) {
  if (!pointer->object) return;
  destroy(pointer);
  pointer->object = 0;
}
