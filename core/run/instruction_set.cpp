#include "run/instruction_set.hpp"

#include <atomic>

namespace deciban {
namespace {

InstructionSet newest() {
  for (const InstructionSet set : {InstructionSet::v4, InstructionSet::v3}) {
    if (has_instruction_set(set)) return set;
  }
  return InstructionSet::baseline;
}

std::atomic<InstructionSet>& current() {
  static std::atomic<InstructionSet> set{newest()};
  return set;
}

}  // namespace

bool has_instruction_set(InstructionSet set) {
  if (set == InstructionSet::baseline) return true;
#if DECIBAN_X86
  // All processors with these have the rest of x86-64-v3 and v4, too.
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi2"))
    return false;
  if (set == InstructionSet::v3) return true;
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

InstructionSet instruction_set() {
  return current().load(std::memory_order_relaxed);
}

void set_instruction_set(InstructionSet set) {
  current().store(set, std::memory_order_relaxed);
}

}  // namespace deciban
