/* libstdc++ 3.4.30 has a function for failed assertions of its headers (`-D_GLIBCXX_ASSERTIONS`, on by default in some
 * distributions). The archive's lies beside the locks of debug mode; this says the same and ends the process, too. */
#include <stdio.h>
#include <stdlib.h>

#include "hidden.h"

/* std::__glibcxx_assert_fail(file, line, function, condition) */
KERNEL_BUILDER_HIDDEN void assertion_failed(const char *, int, const char *, const char *)
    __asm__("_ZSt21__glibcxx_assert_failPKciS0_S0_") __attribute__((noreturn));
void assertion_failed(const char *file, int line, const char *function, const char *condition) {
  if (file && function && condition)
    dprintf(2, "%s:%d: %s: Assertion '%s' failed.\n", file, line, function, condition);
  abort();
}
