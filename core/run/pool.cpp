#include "run/pool.hpp"

#if !defined(_WIN32)
#include <pthread.h>
#endif
#if defined(__linux__)
#include <sched.h>
#endif

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "run/interrupt.hpp"

namespace deciban {
namespace {

int usable_cores() {
  if (const char* requested = std::getenv("DECIBAN_THREADS")) {
    int count = 0;
    std::from_chars(requested, requested + std::strlen(requested), count);
    if (count > 0) return count;
  }
#ifdef __linux__
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

struct Job {
  const std::function<void(std::int64_t)>* task = nullptr;
  std::int64_t count = 0;
  std::atomic<std::int64_t> next{0};
  std::mutex failure_lock;
  std::exception_ptr failure;

  void run() {
    for (;;) {
      const std::int64_t i = next.fetch_add(1, std::memory_order_relaxed);
      if (i >= count) return;
      try {
        (*task)(i);
      } catch (...) {
        const std::scoped_lock hold(failure_lock);
        if (!failure) failure = std::current_exception();
      }
    }
  }
};

class Pool {
 public:
  explicit Pool(int requested) : requested_(requested) {
    for (int i = 0; i < requested; ++i) {
      try {
        threads_.emplace_back([this] { serve(); });
      } catch (const std::system_error&) {
        break;  // the system has no more threads to give: the existing ones and the caller do the work
      }
    }
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  ~Pool() {
    {
      const std::scoped_lock hold(lock_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  int requested() const { return requested_; }

  void run(Job& job, const std::function<void()>& idle) {
    {
      const std::scoped_lock hold(lock_);
      job_ = &job;
      ++ticket_;
      busy_ = static_cast<int>(threads_.size());
    }
    wake_.notify_all();
    job.run();
    std::unique_lock hold(lock_);
    const auto is_done = [this] { return busy_ == 0; };
    while (idle && !done_.wait_for(hold, std::chrono::milliseconds(50), is_done)) {
      hold.unlock();
      idle();
      hold.lock();
    }
    done_.wait(hold, is_done);
    job_ = nullptr;
  }

 private:
  void serve() {
    std::uint64_t seen = 0;
    std::unique_lock hold(lock_);
    for (;;) {
      wake_.wait(hold, [&] { return stopping_ || ticket_ != seen; });
      if (stopping_) return;
      seen = ticket_;
      Job& job = *job_;
      hold.unlock();
      job.run();
      hold.lock();
      if (--busy_ == 0) done_.notify_one();
    }
  }

  int requested_;
  std::vector<std::thread> threads_;
  std::mutex lock_;
  std::condition_variable wake_;
  std::condition_variable done_;
  Job* job_ = nullptr;
  std::uint64_t ticket_ = 0;
  int busy_ = 0;
  bool stopping_ = false;
};

// The pool, and the lock that one caller at a time holds to use it. A forked child has neither the
// parent's threads nor a lock in a known state, so it makes new ones and does not touch the old ones.
struct Shared {
  std::mutex in_use;
  std::unique_ptr<Pool> pool;
};

std::atomic<int> wanted{0};

Shared*& shared() {
  static Shared* current = [] {
#if !defined(_WIN32)
    pthread_atfork(nullptr, nullptr, [] { shared() = std::make_unique<Shared>().release(); });
#endif
    return std::make_unique<Shared>().release();
  }();
  return current;
}

}  // namespace

int thread_count() {
  const int count = wanted.load();
  if (count > 0) return count;
  static const int cores = usable_cores();
  return cores;
}

void set_thread_count(int count) {
  wanted.store(std::max(0, count));
}

void parallel_for(std::int64_t count, const std::function<void(std::int64_t)>& task) {
  if (Interrupt* const watching = Interrupt::current()) {
    watching->run(count, task);
  } else {
    run_on_pool(count, task, {});
  }
}

void run_on_pool(std::int64_t count, const std::function<void(std::int64_t)>& task, const std::function<void()>& idle) {
  Job job;
  job.task = &task;
  job.count = count;
  const int helpers = static_cast<int>(std::min<std::int64_t>(thread_count(), count)) - 1;
  if (helpers <= 0) {
    job.run();
  } else {
    Shared& ours = *shared();
    std::unique_lock hold(ours.in_use, std::try_to_lock);
    if (hold.owns_lock()) {
      const int size = thread_count() - 1;
      if (!ours.pool || ours.pool->requested() != size) {
        ours.pool.reset();
        ours.pool = std::make_unique<Pool>(size);
      }
      ours.pool->run(job, idle);
    } else {
      job.run();
    }
  }
  if (job.failure) std::rethrow_exception(job.failure);
}

Stripes stripes(std::int64_t rows, std::int64_t work, std::int64_t bytes) {
  constexpr std::int64_t smallest_stripe = 1 << 16;  // elements: below this, waking a thread costs more
  constexpr std::int64_t most_stripes = 32;
  constexpr std::int64_t table_budget = 64 << 20;
  const std::int64_t by_work = rows * std::max<std::int64_t>(work, 1) / smallest_stripe;
  const std::int64_t by_bytes = table_budget / std::max<std::int64_t>(bytes, 1);
  const std::int64_t count = std::min({by_work, by_bytes, most_stripes, rows});
  return {rows, std::max<std::int64_t>(count, 1)};
}

}  // namespace deciban
