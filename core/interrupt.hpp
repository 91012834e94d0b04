// Long work can be broken off. The core knows no signals: whoever calls it says how to ask, and asking is done on the
// caller's own thread, a few times a second; the other threads stop at their next check.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>

namespace deciban {

class Interrupt {
 public:
  // `ask` throws what the caller is to see. Without it nothing is ever broken off.
  explicit Interrupt(std::function<void()> ask = {}) : ask_(std::move(ask)) {}
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // To be called in tasks, between pieces of work: throws where the work was broken off.
  void check() {
    if (std::this_thread::get_id() == owner_ && ++calls_ % calls_a_look == 0) look();
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

  std::function<void()> ask_;
  std::thread::id owner_ = std::this_thread::get_id();
  std::atomic<bool> broken_{false};
  std::exception_ptr reason_;
  std::uint32_t calls_ = 0;
  Clock::time_point last_ = Clock::now();
};

}  // namespace deciban
