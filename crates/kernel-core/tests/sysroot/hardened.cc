// What flags that harden or slim a library make compilers and headers call.
#include "checks.h"

#include <csignal>
#include <cstdint>
#include <cstring>
#include <memory>
#include <sched.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

static bool shares_without_types() {
  auto value = std::make_shared<std::string>("shared");
  std::weak_ptr<std::string> weak = value;
  value.reset();
  return weak.expired();
}

// In a process of its own, whose words nobody has to read.
static bool assertions_end_the_process() {
  pid_t child = fork();
  if (child == 0) {
    close(2);
    std::vector<int> values(10);
    volatile std::size_t beyond = 10;
    volatile int value = values[beyond];
    _exit(value == 0 ? 0 : 1);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static bool tells_thread_and_processor() {
  unsigned int processor = ~0u, node = ~0u;
  return gettid() == getpid() && getcpu(&processor, &node) == 0 && processor < 1u << 16;
}

// gcc has the type since version 13.
#if defined(__BFLT16_MAX__) || defined(__clang__)
#define HAS_BRAIN_FLOATS
template <class Number> static std::uint16_t brain(Number number) {
  opaque(number);
  __bf16 rounded = static_cast<__bf16>(number);
  std::uint16_t bits;
  std::memcpy(&bits, &rounded, sizeof bits);
  return bits;
}

// Halves go to the even one; a double just above a half goes up, although the nearest float is the half itself.
static bool rounds_to_brain_floats() {
  return brain(1.0f) == 0x3f80 && brain(1.00390625f) == 0x3f80 && brain(1.01171875f) == 0x3f82 &&
         brain(-3.5f) == 0xc060 && brain(1.00390625) == 0x3f80 && brain(1.00390625 + 1e-12) == 0x3f81 &&
         brain(0.0) == 0;
}
#endif

const char *run_checks(void (*other_thrower)()) {
  static std::string failed;
  Checks check;
  check("shares_without_types", shares_without_types);
  check("assertions_end_the_process", assertions_end_the_process);
  check("tells_thread_and_processor", tells_thread_and_processor);
#ifdef HAS_BRAIN_FLOATS
  check("rounds_to_brain_floats", rounds_to_brain_floats);
#endif
  check("across_libraries", [&] { return catches(other_thrower); });
  failed = check.failed();
  return failed.c_str();
}

void throw_across() { throw std::out_of_range("from the other library"); }
