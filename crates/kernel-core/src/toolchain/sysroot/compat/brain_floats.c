/* Rounding to bfloat16, which compilers with the type `__bf16` call and libgcc has since version 13. The result travels as any
 * number of 16 bits does, so the other such type stands for it here; compilers without that one do not have `__bf16` either. */
#ifdef __FLT16_MAX__
#include "hidden.h"

static _Float16 as_number(unsigned short bits) {
  _Float16 number;
  __builtin_memcpy(&number, &bits, sizeof number);
  return number;
}

static unsigned int bits_of(float number) {
  unsigned int bits;
  __builtin_memcpy(&bits, &number, sizeof bits);
  return bits;
}

/* To the nearest, and to the even one of two; a NaN stays one. */
static unsigned short rounded(unsigned int bits) {
  if ((bits & 0x7fffffffu) > 0x7f800000u) return (unsigned short)(bits >> 16 | 0x40);
  return (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

KERNEL_BUILDER_HIDDEN _Float16 __truncsfbf2(float number) { return as_number(rounded(bits_of(number))); }

/* In two steps, of which the first keeps in the last bit whether anything was lost. */
KERNEL_BUILDER_HIDDEN _Float16 __truncdfbf2(double number) {
  float near = (float)number;
  unsigned int bits = bits_of(near);
  if (number == number && (double)near != number) {
    if (__builtin_fabs((double)near) > __builtin_fabs(number)) bits--;
    bits |= 1;
  }
  return as_number(rounded(bits));
}
#else
typedef int no_such_type;
#endif
