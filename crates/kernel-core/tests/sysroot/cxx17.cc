// Parts of C++17 whose implementation lies in libstdc++ or that newer headers route through newer functions of glibc.
#include "checks.h"

#include <sys/stat.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <ctime>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <iomanip>
#include <iostream>
#include <locale>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <random>
#include <regex>
#include <shared_mutex>
#include <sstream>
#include <thread>
#include <vector>

namespace fs = std::filesystem;
using namespace std::chrono_literals;

static bool files() {
  const fs::path root = fs::temp_directory_path() / ("kernel-link-test-" + std::to_string(std::random_device{}()));
  fs::create_directories(root / "inner");
  { std::ofstream(root / "inner" / "text") << "pi " << std::setprecision(3) << 3.14159; }
  int regular = 0;
  for (const auto &entry : fs::recursive_directory_iterator(root)) regular += entry.is_regular_file();
  std::string word, number;
  std::ifstream(root / "inner" / "text") >> word >> number;
  fs::copy_file(root / "inner" / "text", root / "copy");
  struct stat status;
  const bool sized = ::stat((root / "copy").c_str(), &status) == 0 && status.st_size == 7 && fs::file_size(root / "copy") == 7;
  fs::rename(root / "copy", root / "renamed");
  const bool moved = !fs::exists(root / "copy") && fs::is_regular_file(root / "renamed");
  return fs::remove_all(root) == 4 && regular == 1 && word == "pi" && number == "3.14" && sized && moved;
}

static bool file_errors() {
  std::error_code quiet;
  (void)fs::file_size("/does/not/exist", quiet);
  try {
    (void)fs::file_size("/does/not/exist");
  } catch (const fs::filesystem_error &error) {
    return error.code() == std::errc::no_such_file_or_directory && quiet == error.code() && !error.path1().empty();
  }
  return false;
}

static bool threads() {
  std::mutex mutex;
  std::condition_variable ready;
  bool go = false;
  std::atomic<int> count{0};
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; i++) {
    workers.emplace_back([&] {
      std::unique_lock<std::mutex> lock(mutex);
      ready.wait(lock, [&] { return go; });
      count++;
    });
  }
  {
    std::lock_guard<std::mutex> lock(mutex);
    go = true;
  }
  ready.notify_all();
  for (auto &worker : workers) worker.join();
  return count == 4;
}

static bool waits() {
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock<std::mutex> lock(mutex);
  const auto start = std::chrono::steady_clock::now();
  const bool woken = never.wait_for(lock, 20ms, [] { return false; });
  // A steady wait may end late but never early.
  return !woken && std::chrono::steady_clock::now() - start >= 20ms;
}

static bool timed_locks() {
  std::timed_mutex held;
  std::shared_timed_mutex shared;
  std::lock_guard<std::timed_mutex> guard(held);
  std::shared_lock<std::shared_timed_mutex> reader(shared);
  bool locked = true, second_reader = false, writer = true, early = true;
  std::thread([&] {
    const auto start = std::chrono::steady_clock::now();
    locked = held.try_lock_for(10ms);
    writer = shared.try_lock_for(10ms);
    early = std::chrono::steady_clock::now() - start < 20ms;
    second_reader = shared.try_lock_shared_for(1s);
    if (second_reader) shared.unlock_shared();
  }).join();
  return !locked && !writer && !early && second_reader;
}

static bool futures() {
  std::promise<int> broken;
  auto failing = broken.get_future();
  broken.set_exception(std::make_exception_ptr(std::logic_error("broken")));
  bool threw = false;
  try {
    failing.get();
  } catch (const std::logic_error &) {
    threw = true;
  }
  std::promise<int> silent;
  const bool timed_out = silent.get_future().wait_for(5ms) == std::future_status::timeout;
  return threw && timed_out && std::async(std::launch::async, [] { return 7; }).get() == 7;
}

static bool once() {
  static std::once_flag flag;
  static int calls = 0;
  for (int i = 0; i < 3; i++) std::call_once(flag, [] { calls++; });
  return calls == 1;
}

static bool numbers() {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, 0.1);
  double value = 0;
  const auto read = std::from_chars(text, end.ptr, value);
  int scanned = 0;
  float fraction = 0;
  const int fields = std::sscanf("42 0.5", "%d %f", &scanned, &fraction);
  return read.ec == std::errc() && value == 0.1 && std::string(text, end.ptr) == "0.1" && fields == 2 && scanned == 42 &&
         fraction == 0.5f && std::stol("0x1f", nullptr, 16) == 31 && std::stoull(L"18446744073709551615") == ~0ull &&
         std::strtol("-7z", nullptr, 10) == -7;
}

static bool number_errors() {
  try {
    std::stoi("seven");
  } catch (const std::invalid_argument &) {
    try {
      std::stoi("99999999999999");
    } catch (const std::out_of_range &) {
      return true;
    }
  }
  return false;
}

static bool mathematics() {
  volatile double two = 2.0;
  return std::fabs(std::pow(two, 0.5) * std::pow(two, 0.5) - 2.0) < 1e-12 && std::fabs(std::log(std::exp(two)) - 2.0) < 1e-12 &&
         std::fmod(two + 3.0, two) == 1.0;
}

static bool streams() {
  const std::time_t epoch = 0;
  std::ostringstream out;
  out << std::hex << 255 << ' ' << std::fixed << std::setprecision(2) << 1.5 << ' ' << std::put_time(std::gmtime(&epoch), "%Y");
  std::istringstream in("12 words");
  int number;
  std::string word;
  in >> number >> word;
  std::wostringstream wide;
  wide << L"wide " << 1;
  std::cerr << std::flush;
  return out.str() == "ff 1.50 1970" && number == 12 && word == "words" && wide.str() == L"wide 1";
}

static bool locales() {
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  std::ostringstream out;
  out.imbue(std::locale(std::locale::classic(), new Comma));
  out << std::fixed << std::setprecision(1) << 1234567.5;
  bool unknown = false;
  try {
    std::locale("no such locale");
  } catch (const std::runtime_error &) {
    unknown = true;
  }
  return unknown && out.str() == "1.234.567,5" && std::isalpha('a', std::locale()) && std::toupper('a', std::locale()) == 'A';
}

static bool regular_expressions() {
  const std::regex pattern("([a-z]+)_(\\d{1,3})", std::regex::icase);
  std::smatch match;
  const std::string name = "Kernel_42";
  bool bad = false;
  try {
    std::regex("(");
  } catch (const std::regex_error &) {
    bad = true;
  }
  return bad && std::regex_match(name, match, pattern) && match[2] == "42" &&
         std::regex_replace(name, std::regex("_"), "-") == "Kernel-42";
}

// Clang lets `new` refuse the length where GCC calls a function that says why.
static bool array_length() {
  long length = -1;
  opaque(length);
  try {
    int *array = new int[length];
    opaque(array);
    delete[] array;
  } catch (const std::bad_alloc &) {
    return true;
  }
  return false;
}

static bool allocator_length() {
  std::size_t length = ~std::size_t(0);
  opaque(length);
  try {
    int *array = std::allocator<int>().allocate(length);
    opaque(array);
  } catch (const std::bad_array_new_length &) {
    return true;
  }
  return false;
}

static bool allocation() {
  std::size_t size = ~std::size_t(0) / 4;
  opaque(size);
  try {
    char *memory = new char[size];
    opaque(memory);
    delete[] memory;
  } catch (const std::bad_alloc &) {
    struct alignas(64) Line { char bytes[64]; };
    std::unique_ptr<Line> line(new Line);
    return reinterpret_cast<std::size_t>(line.get()) % 64 == 0;
  }
  return false;
}

static bool exceptions() {
  std::exception_ptr kept;
  try {
    (void)std::vector<int>().at(3);
  } catch (...) {
    kept = std::current_exception();
  }
  std::exception_ptr copy = kept;
  kept = nullptr;
  try {
    std::rethrow_exception(copy);
  } catch (const std::out_of_range &) {
    try {
      std::function<int(int)>()(1);
    } catch (const std::bad_function_call &) {
      return true;
    }
  }
  return false;
}

static bool shared_pointers() {
  auto shared = std::make_shared<std::map<std::string, int>>();
  (*shared)["a"] = 1;
  std::weak_ptr<std::map<std::string, int>> weak = shared;
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; i++) {
    workers.emplace_back([copy = shared] {
      for (int j = 0; j < 1000; j++) auto another = copy;
    });
  }
  for (auto &worker : workers) worker.join();
  const bool alone = shared.use_count() == 1;
  shared.reset();
  return alone && weak.expired();
}

static bool randomness() {
  std::random_device device;
  std::mt19937_64 engine(device());
  const int value = std::uniform_int_distribution<int>(1, 6)(engine);
  return value >= 1 && value <= 6 && std::generate_canonical<double, 53>(engine) < 1.0;
}

const char *run_checks(void (*other_thrower)()) {
  static std::string failed;
  Checks check;
  check("files", files);
  check("file_errors", file_errors);
  check("threads", threads);
  check("waits", waits);
  check("timed_locks", timed_locks);
  check("futures", futures);
  check("once", once);
  check("numbers", numbers);
  check("number_errors", number_errors);
  check("mathematics", mathematics);
  check("streams", streams);
  check("locales", locales);
  check("regular_expressions", regular_expressions);
  check("array_length", array_length);
  check("allocator_length", allocator_length);
  check("allocation", allocation);
  check("exceptions", exceptions);
  check("shared_pointers", shared_pointers);
  check("randomness", randomness);
  check("across_libraries", [&] { return catches(other_thrower); });
  failed = check.failed();
  return failed.c_str();
}

void throw_across() { throw std::out_of_range("from the other library"); }
