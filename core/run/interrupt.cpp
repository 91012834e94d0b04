#include "run/interrupt.hpp"

#include "run/pool.hpp"

namespace deciban {

thread_local Interrupt* Interrupt::current_ = nullptr;

void Interrupt::poll_now() noexcept {
  constexpr auto pause = std::chrono::milliseconds(50);
  if (!poll_ || is_interrupted() || Clock::now() - last_ < pause) return;
  last_ = Clock::now();
  try {
    poll_();
  } catch (...) {
    reason_ = std::current_exception();
    interrupted_.store(true, std::memory_order_relaxed);
  }
}

void Interrupt::run(std::int64_t count, const std::function<void(std::int64_t)>& task) {
  const bool is_outer = is_owner() && current_ != this;  // tasks within a task are part of its work
  if (is_outer) {
    tasks_ = count;
    done_.store(0, std::memory_order_relaxed);
  }
  const auto unless_interrupted = [&](std::int64_t i) {
    if (is_owner()) poll_now();
    if (is_interrupted()) return;
    const Watch now(this);
    try {
      task(i);
      if (is_outer) done_.fetch_add(1, std::memory_order_relaxed);
    } catch (const Interrupted&) {
      return;  // the reason is thrown below
    }
  };
  run_on_pool(count, unless_interrupted, [this] { poll_now(); });
  if (!is_interrupted()) return;
  if (!is_owner()) throw Interrupted();  // tasks within a task: the owner knows the reason
  std::rethrow_exception(reason_);
}

}  // namespace deciban
