// One build for every processor: a hot loop is compiled once for each instruction set, and chosen when it is called.
//
// The loop is a generic lambda whose argument says which vectors the instruction set has (run/lanes.hpp):
//
//     on_instruction_set([=](auto set) DECIBAN_INLINE_LAMBDA { add_terms<decltype(set)>(indices, amounts, sums); });
//
// All that it calls must be inlined (DECIBAN_INLINE), or it is compiled for the baseline. Every set adds in the same
// order, and the core is compiled without fused multiplications (CMakeLists.txt), so results are equal to the last bit.
#pragma once

#include <cstdint>

#include "run/compiler.hpp"
#include "run/lanes.hpp"

namespace deciban {

// Of x86-64: what every processor has, AVX2 (v3) and AVX-512 (v4). Other processors have their baseline only.
enum class InstructionSet : std::uint8_t { baseline, v3, v4 };

bool has_instruction_set(InstructionSet set);

// The newest that this processor has, unless another one was set.
InstructionSet instruction_set();
void set_instruction_set(InstructionSet set);

#if DECIBAN_X86

namespace on_set {

template <class F>
__attribute__((target("arch=x86-64-v4"), noinline)) auto v4(F loop) {
  return loop(V4());
}
template <class F>
__attribute__((target("arch=x86-64-v3"), noinline)) auto v3(F loop) {
  return loop(V3());
}
template <class F>
__attribute__((noinline)) auto baseline(F loop) {
  return loop(Baseline());
}

}  // namespace on_set

template <class F>
auto on_instruction_set(F loop) {
  switch (instruction_set()) {
    case InstructionSet::v4: return on_set::v4(loop);
    case InstructionSet::v3: return on_set::v3(loop);
    case InstructionSet::baseline: break;
  }
  return on_set::baseline(loop);
}

#else

template <class F>
auto on_instruction_set(F loop) {
  return loop(Baseline());
}

#endif

}  // namespace deciban
