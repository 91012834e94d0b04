// Kernels of single numeric columns.
#pragma once

#include <nanobind/nanobind.h>

namespace deciban::bind {

void add_numeric(nanobind::module_& m);

}  // namespace deciban::bind
