// numpy arrays in and out of the core. Every size is checked here, once, before a kernel sees it.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "read/matrix.hpp"
#include "read/ragged_list.hpp"
#include "run/fault.hpp"
#include "run/interrupt.hpp"

namespace deciban::bind {

namespace nb = nanobind;

using AnyMatrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;
using AnyColumn = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;
using AnyVector = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Labels = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Sizes = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline void require(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(message);
}

// Runs Python's signal handlers, such as that of Ctrl-C: throws what a handler raised.
inline void poll_signals() {
  const nb::gil_scoped_acquire hold;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

// Every kernel runs here: other Python threads can run meanwhile, and Ctrl-C interrupts it.
template <class F>
auto without_gil(F&& kernel) {
  Interrupt interrupt(poll_signals);
  const nb::gil_scoped_release release;
  return interrupt.watch(std::forward<F>(kernel));
}

inline std::size_t size(std::int64_t n) {
  return static_cast<std::size_t>(n);
}

template <class A>
auto span_of(const A& array) {
  return std::span(array.data(), array.size());
}

inline std::span<const double> span_of(const std::optional<Doubles>& array) {
  return array ? span_of(*array) : std::span<const double>{};
}

Kind kind_of(nb::dlpack::dtype dtype);

// A dense matrix, a list of columns, or the (values, indices, starts, columns) of a CSR one.
Matrix matrix_of(const nb::object& x);

// Labels of every row, each in [0, classes).
void check_labels(const Labels& y, const Matrix& x, std::int64_t classes);
void check_weights(const std::optional<Doubles>& weights, const Matrix& x);

// Lists whose starts rise from 0 to the number of values, with all values in [0, end); `message` says that one is not.
template <class T>
void check_ragged(const RaggedList<T>& lists, std::size_t end, const char* message) {
  require(lists.is_well_formed(), "starts must rise from 0 to the number of values");
  require(std::ranges::all_of(lists.values, [end](T value) { return value >= 0 && std::cmp_less(value, end); }),
          message);
}

// Hands a vector over to numpy without a copy.
template <class T, class A>
nb::object to_numpy(std::vector<T, A>&& values, std::initializer_list<std::size_t> shape) {
  using Vector = std::vector<T, A>;
  auto kept = std::make_unique<Vector>(std::move(values));
  T* data = kept->data();
  nb::capsule owner(kept.release(),
                    [](void* p) noexcept { const std::unique_ptr<Vector> last(static_cast<Vector*>(p)); });
  return nb::cast(nb::ndarray<nb::numpy, T>(data, shape, owner));
}

// None, or (what, row, column).
nb::object fault_of(const Fault& fault);

}  // namespace deciban::bind
