#include "run/interrupt.hpp"

#include "run/pool.hpp"

namespace deciban {

thread_local Interrupt* Interrupt::current_ = nullptr;

void Interrupt::look() noexcept {
  constexpr auto pause = std::chrono::milliseconds(50);
  if (!ask_ || is_broken() || Clock::now() - last_ < pause) return;
  last_ = Clock::now();
  try {
    ask_();
  } catch (...) {
    reason_ = std::current_exception();
    broken_.store(true, std::memory_order_relaxed);
  }
}

void Interrupt::run(std::int64_t count, const std::function<void(std::int64_t)>& task) {
  const auto unless_broken = [&](std::int64_t i) {
    if (is_owner()) look();
    if (is_broken()) return;
    const Watch now(this);
    try {
      task(i);
    } catch (const Broken&) {
      return;  // the reason is thrown below
    }
  };
  run_on_pool(count, unless_broken, [this] { look(); });
  if (!is_broken()) return;
  if (!is_owner()) throw Broken();  // tasks within a task: the owner knows the reason
  std::rethrow_exception(reason_);
}

}  // namespace deciban
