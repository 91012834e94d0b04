// Long work can be interrupted. The core handles no signals itself: the caller passes a function that checks for them,
// which is called on the caller's own thread a few times a second; the other threads stop at their next check.
//
// All tasks of the pool are watched: tasks that have not started when the work is interrupted are skipped. A task or
// loop that may take longer than some milliseconds calls check_interrupt() between its steps.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <utility>

namespace deciban {

class Interrupt {
 public:
  // `poll` throws the exception that the caller is to see. Without it the work is never interrupted.
  explicit Interrupt(std::function<void()> poll = {}) : poll_(std::move(poll)) {}
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // The interrupt that watches what this thread does now, or null.
  static Interrupt* current() { return current_; }

  // Runs `work` under this watch; throws what `poll` threw where the work was interrupted.
  template <class F>
  auto watch(F&& work) {
    const Watch now(this);
    try {
      return work();
    } catch (const Interrupted&) {
      std::rethrow_exception(reason_);
    }
  }

  // To be called in tasks, between pieces of work: throws where the work was interrupted.
  void check() {
    if (is_owner() && ++calls_ % calls_per_poll == 0) poll_now();
    if (is_interrupted()) throw Interrupted();
  }
  // To be called on the caller's thread while it waits for others: never throws.
  void poll_now() noexcept;
  bool is_interrupted() const { return interrupted_.load(std::memory_order_relaxed); }
  // Of the tasks that run now, those that are done: for `poll`, which may tell the caller.
  double share() const {
    const auto done = static_cast<double>(done_.load(std::memory_order_relaxed));
    return done / static_cast<double>(std::max<std::int64_t>(tasks_, 1));
  }
  // Runs the tasks on the pool; tasks not started when the work is interrupted are skipped, and what `poll` threw is
  // thrown again.
  void run(std::int64_t count, const std::function<void(std::int64_t)>& task);

 private:
  struct Interrupted : std::exception {};
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint32_t calls_per_poll = 16;

  class Watch {
   public:
    explicit Watch(Interrupt* now) : before_(std::exchange(current_, now)) {}
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch() { current_ = before_; }

   private:
    Interrupt* before_;
  };

  bool is_owner() const { return std::this_thread::get_id() == owner_; }

  static thread_local Interrupt* current_;

  std::function<void()> poll_;
  std::thread::id owner_ = std::this_thread::get_id();
  std::atomic<bool> interrupted_{false};
  std::atomic<std::int64_t> done_{0};
  std::int64_t tasks_ = 0;     // written by the owner alone
  std::exception_ptr reason_;  // read and written by the owner alone
  std::uint32_t calls_ = 0;
  Clock::time_point last_ = Clock::now();
};

// Throws on this thread where its caller has interrupted the work.
inline void check_interrupt() {
  if (Interrupt* const now = Interrupt::current()) now->check();
}

}  // namespace deciban
