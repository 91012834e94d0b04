// The binding of exact inference.
#pragma once

#include <nanobind/nanobind.h>

namespace deciban::bind {

void add_trees(nanobind::module_& m);

}  // namespace deciban::bind
