// Moments of columns within classes.
#pragma once

#include <nanobind/nanobind.h>

namespace deciban::bind {

void add_moments(nanobind::module_& m);

}  // namespace deciban::bind
