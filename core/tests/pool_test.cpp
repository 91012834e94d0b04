// The pool under a thread sanitizer: every task runs once, errors come back, callers may come at once, forks work.
#include "run/pool.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

int failures = 0;

void check(bool holds, const char* what) {
  if (holds) return;
  std::printf("FAILED: %s\n", what);
  ++failures;
}

bool each_runs_once(std::int64_t count) {
  std::vector<std::atomic<int>> runs(static_cast<std::size_t>(count));
  deciban::parallel_for(count, [&](std::int64_t i) { ++runs[static_cast<std::size_t>(i)]; });
  for (const auto& run : runs) {
    if (run != 1) return false;
  }
  return true;
}

bool error_comes_back() {
  std::atomic<int> ran{0};
  try {
    deciban::parallel_for(20, [&](std::int64_t i) {
      ++ran;
      if (i == 7) throw std::runtime_error("seven");
    });
  } catch (const std::runtime_error&) {
    return ran == 20;
  }
  return false;
}

bool callers_at_once() {
  std::atomic<int> good{0};
  std::vector<std::thread> callers;
  callers.reserve(4);
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int k = 0; k < 50; ++k) good += each_runs_once(13) ? 1 : 0;
    });
  }
  for (std::thread& caller : callers) caller.join();
  return good == 200;
}

bool child_has_a_pool() {
  const pid_t child = fork();
  if (child == 0) _exit(each_runs_once(64) ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  return status == 0;
}

}  // namespace

int main(int argc, char**) {
  deciban::set_thread_count(4);
  check(each_runs_once(0) && each_runs_once(1) && each_runs_once(1000), "each task runs once");
  check(error_comes_back(), "an error comes back after every task has run");
  check(callers_at_once(), "several callers at once");
  deciban::set_thread_count(2);
  check(each_runs_once(100), "after a change of the number of threads");
  if (argc == 1) check(child_has_a_pool(), "a forked child");  // thread sanitizers do not follow threads of a fork
  std::printf("%d passed, %d failed\n", 5 - failures, failures);
  return failures == 0 ? 0 : 1;
}
