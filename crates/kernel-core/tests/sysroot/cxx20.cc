// Parts of C++20 whose implementation is newer than the libstdc++ of the oldest systems.
#include "checks.h"

#include <algorithm>
#include <any>
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <future>
#include <latch>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <ranges>
#include <semaphore>
#include <shared_mutex>
#include <span>
#include <sstream>
#include <stop_token>
#include <string>
#include <syncstream>
#include <thread>
#include <unordered_map>
#include <variant>
#include <vector>

using namespace std::chrono_literals;

static bool latches() {
  std::latch done(3);
  std::vector<std::jthread> workers;
  for (int i = 0; i < 3; i++) workers.emplace_back([&] { done.count_down(); });
  done.wait();
  return done.try_wait();
}

static bool barriers() {
  int phases = 0;
  std::barrier meet(2, [&]() noexcept { phases++; });
  {
    std::jthread one([&] { meet.arrive_and_wait(); meet.arrive_and_wait(); });
    std::jthread two([&] { meet.arrive_and_wait(); meet.arrive_and_wait(); });
  }
  return phases == 2;
}

static bool semaphores() {
  std::counting_semaphore<4> tokens(0);
  std::jthread giver([&] { tokens.release(2); });
  tokens.acquire();
  const bool second = tokens.try_acquire_for(5s);
  return second && !tokens.try_acquire_for(5ms);
}

static bool stops() {
  std::mutex mutex;
  std::condition_variable_any wake;
  bool stopped = false;
  {
    std::jthread worker([&](std::stop_token token) {
      std::unique_lock lock(mutex);
      wake.wait(lock, token, [] { return false; });
      stopped = token.stop_requested();
    });
    worker.request_stop();
  }
  return stopped;
}

static bool atomics() {
  std::atomic<int> value{0};
  std::jthread setter([&] {
    value = 1;
    value.notify_one();
  });
  value.wait(0);
  auto shared = std::make_shared<int>(5);
  std::atomic<std::shared_ptr<int>> atomic(shared);
  return value == 1 && *atomic.load() == 5;
}

static bool memory_resources() {
  std::pmr::monotonic_buffer_resource arena;
  std::pmr::unsynchronized_pool_resource pool(&arena);
  std::pmr::synchronized_pool_resource shared_pool;
  std::pmr::vector<std::pmr::string> words(&pool);
  std::pmr::vector<int> numbers(&shared_pool);
  for (int i = 0; i < 1000; i++) {
    words.emplace_back("a string that is too long to be stored inside");
    numbers.push_back(i);
  }
  bool refused = false;
  try {
    std::pmr::vector<int> none(std::pmr::null_memory_resource());
    none.push_back(1);
  } catch (const std::bad_alloc &) {
    refused = true;
  }
  return refused && words.size() == 1000 && numbers[999] == 999 && std::pmr::get_default_resource() == std::pmr::new_delete_resource();
}

static bool exception_pointers() {
  std::exception_ptr first;
  try {
    throw std::runtime_error("kept");
  } catch (...) {
    first = std::current_exception();
  }
  std::vector<std::exception_ptr> copies(100, first);
  first = nullptr;
  std::swap(copies.front(), copies.back());
  copies.resize(1);
  try {
    std::rethrow_exception(copies.front());
  } catch (const std::runtime_error &error) {
    return std::string(error.what()) == "kept";
  }
  return false;
}

static bool ranges() {
  std::string text;
  for (int number : std::views::iota(0, 10) | std::views::filter([](int i) { return i % 2 == 0; })) text += std::to_string(number);
  std::vector<int> values{3, 1, 2};
  std::ranges::sort(values);
  std::span<const int> view(values);
  return text == "02468" && view.front() == 1 && view.back() == 3;
}

static bool synchronised_streams() {
  std::ostringstream out;
  {
    std::osyncstream one(out);
    one << "one " << 1;
  }
  return out.str() == "one 1";
}

static bool string_streams() {
  std::ostringstream out(std::string("start"), std::ios::ate);
  out << " end";
  return out.view() == "start end" && std::move(out).str() == "start end";
}

static bool variants() {
  std::any any = std::string("text");
  std::variant<int, std::string> variant = 1;
  int caught = 0;
  try {
    std::any_cast<int>(any);
  } catch (const std::bad_any_cast &) {
    caught++;
  }
  try {
    std::get<std::string>(variant);
  } catch (const std::bad_variant_access &) {
    caught++;
  }
  try {
    std::optional<int>().value();
  } catch (const std::bad_optional_access &) {
    caught++;
  }
  return caught == 3;
}

static bool tasks() {
  std::packaged_task<int(int)> task([](int i) { return i * 2; });
  auto result = task.get_future();
  std::jthread worker(std::move(task), 21);
  return result.get() == 42;
}

static bool hashes() {
  std::unordered_map<std::string, int> counts;
  for (int i = 0; i < 500; i++) counts[std::to_string(i % 50)]++;
  return counts.size() == 50 && counts.at("7") == 10;
}

const char *run_checks(void (*other_thrower)()) {
  static std::string failed;
  Checks check;
  check("latches", latches);
  check("barriers", barriers);
  check("semaphores", semaphores);
  check("stops", stops);
  check("atomics", atomics);
  check("memory_resources", memory_resources);
  check("exception_pointers", exception_pointers);
  check("ranges", ranges);
  check("synchronised_streams", synchronised_streams);
  check("string_streams", string_streams);
  check("variants", variants);
  check("tasks", tasks);
  check("hashes", hashes);
  check("across_libraries", [&] { return catches(other_thrower); });
  failed = check.failed();
  return failed.c_str();
}

void throw_across() { throw std::out_of_range("from the other library"); }
