/* Loads two libraries as Python loads kernels and runs the checks of each with the other's exception. */
#include <dlfcn.h>
#include <stdio.h>

typedef void (*thrower)(void);
typedef const char *(*runner)(thrower);

int main(int count, char **paths) {
  void *libraries[2];
  int failures = 0;
  if (count != 3) return 2;
  for (int i = 0; i < 2; i++) {
    libraries[i] = dlopen(paths[i + 1], RTLD_NOW | RTLD_LOCAL);
    if (!libraries[i]) {
      printf("%s\n", dlerror());
      return 1;
    }
  }
  for (int i = 0; i < 2; i++) {
    runner run = (runner)dlsym(libraries[i], "run_checks");
    thrower other = (thrower)dlsym(libraries[1 - i], "throw_across");
    if (!run || !other) return 3;
    const char *failed = run(other);
    failures += *failed != 0;
    printf("%s: %s\n", paths[i + 1], *failed ? failed : "PASS");
  }
  return failures != 0;
}
