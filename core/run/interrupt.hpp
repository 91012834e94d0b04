// Long work can be broken off. The core knows no signals: whoever calls it says how to ask, and asking is done on the
// caller's own thread, a few times a second; the other threads stop at their next check.
//
// All tasks of the pool are watched: those not begun when the work is broken off are left out. A task, or a loop, that
// may take longer than a moment calls check_interrupt() between its steps.
#pragma once

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
  // `ask` throws what the caller is to see. Without it nothing is ever broken off.
  explicit Interrupt(std::function<void()> ask = {}) : ask_(std::move(ask)) {}
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // The interrupt that watches what this thread does now, or null.
  static Interrupt* current() { return current_; }

  // Does the work under this watch, and throws what `ask` threw where it was broken off.
  template <class F>
  auto watch(F&& work) {
    const Watch now(this);
    try {
      return work();
    } catch (const Broken&) {
      std::rethrow_exception(reason_);
    }
  }

  // To be called in tasks, between pieces of work: throws where the work was broken off.
  void check() {
    if (is_owner() && ++calls_ % calls_a_look == 0) look();
    if (is_broken()) throw Broken();
  }
  // To be called on the caller's thread while it waits for others: never throws.
  void look() noexcept;
  bool is_broken() const { return broken_.load(std::memory_order_relaxed); }
  // Runs the tasks on the pool; those not begun when the work is broken off are left out, and `ask`'s throw is thrown.
  void run(std::int64_t count, const std::function<void(std::int64_t)>& task);

 private:
  struct Broken : std::exception {};
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint32_t calls_a_look = 16;

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

  std::function<void()> ask_;
  std::thread::id owner_ = std::this_thread::get_id();
  std::atomic<bool> broken_{false};
  std::exception_ptr reason_;  // read and written by the owner alone
  std::uint32_t calls_ = 0;
  Clock::time_point last_ = Clock::now();
};

// Ends the work of this thread where its caller wants no more of it.
inline void check_interrupt() {
  if (Interrupt* const now = Interrupt::current()) now->check();
}

}  // namespace deciban
