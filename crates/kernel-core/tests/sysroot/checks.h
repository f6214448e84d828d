// What both test libraries export: a run of named checks, and an exception for the other library to catch.
#pragma once

#include <stdexcept>
#include <string>

// Keeps the compiler from reasoning about the value: a probe that it can prove away proves nothing.
template <class T> inline void opaque(T &value) { asm volatile("" : "+r"(value) : : "memory"); }

// Names of the checks that failed, each followed by a blank.
class Checks {
 public:
  template <class Check> void operator()(const char *name, Check check) {
    bool passed = false;
    try {
      passed = check();
    } catch (...) {
    }
    if (!passed) failed_ += std::string(name) + ' ';
  }
  const std::string &failed() const { return failed_; }

 private:
  std::string failed_;
};

// Whether `thrower`, in another library, throws an exception that this library sees as what it is.
inline bool catches(void (*thrower)()) {
  try {
    thrower();
  } catch (const std::out_of_range &error) {
    return std::string(error.what()) == "from the other library";
  }
  return false;
}

extern "C" __attribute__((visibility("default"))) const char *run_checks(void (*other_thrower)());
extern "C" __attribute__((visibility("default"))) void throw_across();
