// The text kernels' part of the module.
#pragma once

#include <nanobind/nanobind.h>

namespace deciban::bind {

void register_words(nanobind::module_& m);

}  // namespace deciban::bind
