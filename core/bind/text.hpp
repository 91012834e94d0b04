// The part of deciban._core that reads documents.
#pragma once

#include <nanobind/nanobind.h>

namespace deciban::bind {

void add_text(nanobind::module_& m);

}  // namespace deciban::bind
