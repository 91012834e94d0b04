#include "interrupt.hpp"

#include "pool.hpp"

namespace deciban {

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
    if (is_broken()) return;
    try {
      task(i);
    } catch (const Broken&) {
      return;  // the reason is thrown below
    }
  };
  parallel_for(count, unless_broken, [this] { look(); });
  if (reason_) std::rethrow_exception(reason_);
}

}  // namespace deciban
