/* Loads two libraries as Python loads kernels and runs the checks of each with the other's exception. Libraries named before
   those two are loaded first: what Python has loaded when it comes to a kernel. */
#include <dlfcn.h>
#include <stdio.h>

/* What every exported name begins with. */
#ifndef PREFIX
#define PREFIX ""
#endif

typedef void (*thrower)(void);
typedef const char *(*runner)(thrower);

int main(int count, char **paths) {
  void *libraries[2];
  int failures = 0;
  if (count < 3) return 2;
  for (; count > 3; count--) {
    if (!dlopen(*++paths, RTLD_NOW | RTLD_LOCAL)) {
      printf("%s\n", dlerror());
      return 1;
    }
  }
  for (int i = 0; i < 2; i++) {
    libraries[i] = dlopen(paths[i + 1], RTLD_NOW | RTLD_LOCAL);
    if (!libraries[i]) {
      printf("%s\n", dlerror());
      return 1;
    }
  }
  for (int i = 0; i < 2; i++) {
    runner run = (runner)dlsym(libraries[i], PREFIX "run_checks");
    thrower other = (thrower)dlsym(libraries[1 - i], PREFIX "throw_across");
    if (!run || !other) return 3;
    const char *failed = run(other);
    failures += *failed != 0;
    printf("%s: %s\n", paths[i + 1], *failed ? failed : "PASS");
  }
  return failures != 0;
}
