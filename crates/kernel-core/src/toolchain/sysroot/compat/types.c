/* std::make_shared without run-time type information (`-fno-rtti`) asks libstdc++ 3.4.26 whether a type is its own mark. A
 * std::type_info is the address of its functions and its name, which may begin with `*` (Itanium C++ ABI, section 2.9.4). */
#include <string.h>

#include "hidden.h"

struct type_information {
  const void *functions;
  const char *name;
};

/* std::_Sp_make_shared_tag::_S_eq(type) */
KERNEL_BUILDER_HIDDEN _Bool is_mark(const struct type_information *)
    __asm__("_ZNSt19_Sp_make_shared_tag5_S_eqERKSt9type_info");
_Bool is_mark(const struct type_information *type) {
  const char *name = type->name;
  return strcmp(*name == '*' ? name + 1 : name, "St19_Sp_make_shared_tag") == 0;
}
