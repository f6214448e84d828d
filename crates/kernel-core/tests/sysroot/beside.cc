// One of two kernels that use the parts of libstdc++ whose state a process must have once, beside Torch's own use of them.
#include <iostream>
#include <iomanip>
#include <locale>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>

struct Grouped : std::numpunct<char> {
  char do_thousands_sep() const override { return SEPARATOR; }
  std::string do_grouping() const override { return "\3"; }
};

// Each kernel's own, although both have it under one name.
struct Counter {
  static inline int calls = 0;
};

static int count() {
  static int counted = 0;
  return ++counted + ++Counter::calls;
}

#define EXPORT extern "C" __attribute__((visibility("default")))

// Formats the number in `text` with this kernel's separator and writes it to std::cout.
EXPORT int kernel_run(const char *text, char *result, int size) {
  std::smatch match;
  const std::string input = text;
  if (!std::regex_search(input, match, std::regex("([[:digit:]]+)", std::regex::icase))) return -1;
  std::ostringstream out;
  out.imbue(std::locale(std::locale::classic(), new Grouped));
  out << std::stoll(match[1]);
  std::cout << SEPARATOR << std::setw(12) << out.str() << std::endl;
  std::string copy = out.str();
  if (static_cast<int>(copy.size()) >= size) return -2;
  copy.copy(result, copy.size());
  result[copy.size()] = 0;
  return count();
}

EXPORT int kernel_bad_pattern() {
  try {
    std::regex("[z-a]");
  } catch (const std::regex_error &error) {
    return error.code() == std::regex_constants::error_range;
  }
  return 0;
}
