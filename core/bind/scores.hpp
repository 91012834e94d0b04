// Scores of families of variables.
#pragma once

#include <nanobind/nanobind.h>

namespace deciban::bind {

void add_scores(nanobind::module_& m);

}  // namespace deciban::bind
