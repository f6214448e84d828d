/* glibc 2.33 turned the stat family from wrappers in libc_nonshared.a into exported functions. */
#include "hidden.h"

/* The version of the structure that __xstat and its kin fill in: the kernel's own layout on aarch64. */
#if defined(__x86_64__)
enum { stat_version = 1, node_version = 0 };
#elif defined(__aarch64__)
enum { stat_version = 0, node_version = 0 };
#else
#error "no stat version is known for this architecture"
#endif

extern int __xstat(int version, const char *path, void *status);
extern int __lxstat(int version, const char *path, void *status);
extern int __fxstat(int version, int file, void *status);
extern int __fxstatat(int version, int directory, const char *path, void *status, int flags);
extern int __xmknod(int version, const char *path, unsigned int mode, unsigned long *device);
extern int __xmknodat(int version, int directory, const char *path, unsigned int mode, unsigned long *device);

/* Structures with and without `64` are the same on 64-bit systems. */
KERNEL_BUILDER_HIDDEN int stat(const char *path, void *status) { return __xstat(stat_version, path, status); }
KERNEL_BUILDER_HIDDEN int stat64(const char *path, void *status) { return __xstat(stat_version, path, status); }
KERNEL_BUILDER_HIDDEN int lstat(const char *path, void *status) { return __lxstat(stat_version, path, status); }
KERNEL_BUILDER_HIDDEN int lstat64(const char *path, void *status) { return __lxstat(stat_version, path, status); }
KERNEL_BUILDER_HIDDEN int fstat(int file, void *status) { return __fxstat(stat_version, file, status); }
KERNEL_BUILDER_HIDDEN int fstat64(int file, void *status) { return __fxstat(stat_version, file, status); }

KERNEL_BUILDER_HIDDEN int fstatat(int directory, const char *path, void *status, int flags) {
  return __fxstatat(stat_version, directory, path, status, flags);
}

KERNEL_BUILDER_HIDDEN int fstatat64(int directory, const char *path, void *status, int flags) {
  return __fxstatat(stat_version, directory, path, status, flags);
}

KERNEL_BUILDER_HIDDEN int mknod(const char *path, unsigned int mode, unsigned long device) {
  return __xmknod(node_version, path, mode, &device);
}

KERNEL_BUILDER_HIDDEN int mknodat(int directory, const char *path, unsigned int mode, unsigned long device) {
  return __xmknodat(node_version, directory, path, mode, &device);
}
