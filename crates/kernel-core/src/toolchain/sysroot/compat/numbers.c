/* glibc 2.38 gave the number parsers a second set of names, for the binary numbers (`0b101`) of C23; its headers send
 * every program of C++ there. On an old system they parse what they always did, without binary numbers. */
#include <stdarg.h>
#include <stddef.h>

#include "hidden.h"

/* The old name through an assembler label: a header, or the compiler's own idea of `strtol`, must not come between. */
#define PARSE(result, name, character)                                                              \
  extern result old_##name(const character *, character **, int) __asm__(#name);                    \
  extern result old_##name##_l(const character *, character **, int, void *) __asm__(#name "_l");   \
  KERNEL_BUILDER_HIDDEN result __isoc23_##name(const character *text, character **end, int base) {  \
    return old_##name(text, end, base);                                                             \
  }                                                                                                 \
  KERNEL_BUILDER_HIDDEN result __isoc23_##name##_l(const character *text, character **end, int base, void *locale) { \
    return old_##name##_l(text, end, base, locale);                                                 \
  }

#define PARSE_GREATEST(result, name, character)                                                     \
  extern result old_##name(const character *, character **, int) __asm__(#name);                    \
  KERNEL_BUILDER_HIDDEN result __isoc23_##name(const character *text, character **end, int base) {  \
    return old_##name(text, end, base);                                                             \
  }

PARSE(long, strtol, char)
PARSE(unsigned long, strtoul, char)
PARSE(long long, strtoll, char)
PARSE(unsigned long long, strtoull, char)
PARSE(long, wcstol, wchar_t)
PARSE(unsigned long, wcstoul, wchar_t)
PARSE(long long, wcstoll, wchar_t)
PARSE(unsigned long long, wcstoull, wchar_t)
PARSE_GREATEST(long, strtoimax, char)
PARSE_GREATEST(unsigned long, strtoumax, char)
PARSE_GREATEST(long, wcstoimax, wchar_t)
PARSE_GREATEST(unsigned long, wcstoumax, wchar_t)

#define SCAN_LIST(name, source, character)                                                          \
  extern int old_##name(source, const character *, va_list) __asm__("__isoc99_" #name);             \
  KERNEL_BUILDER_HIDDEN int __isoc23_##name(source from, const character *format, va_list list) {   \
    return old_##name(from, format, list);                                                          \
  }

#define SCAN(name, source, character)                                                               \
  KERNEL_BUILDER_HIDDEN int __isoc23_##name(source from, const character *format, ...) {            \
    va_list list;                                                                                   \
    int result;                                                                                     \
    va_start(list, format);                                                                         \
    result = old_v##name(from, format, list);                                                       \
    va_end(list);                                                                                   \
    return result;                                                                                  \
  }

SCAN_LIST(vsscanf, const char *, char)
SCAN_LIST(vfscanf, void *, char)
SCAN_LIST(vswscanf, const wchar_t *, wchar_t)
SCAN_LIST(vfwscanf, void *, wchar_t)
SCAN(sscanf, const char *, char)
SCAN(fscanf, void *, char)
SCAN(swscanf, const wchar_t *, wchar_t)
SCAN(fwscanf, void *, wchar_t)
