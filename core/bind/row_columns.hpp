// Columns of rows that come one at a time, as Python dicts: the values of Python in, counts and log-likelihoods out.
//
// The usual values are read here: str, int, float, bool and None. All others go to a function of Python, which also
// raises the errors.
#pragma once

#include <nanobind/stl/vector.h>

#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "rows/bins.hpp"
#include "rows/labels.hpp"
#include "rows/normal.hpp"

namespace deciban::bind {

inline constexpr double missing = std::numeric_limits<double>::quiet_NaN();

// What was read of a value: a number or the code of a state, NaN where it is missing; and an object that belongs to it.
struct Cell {
  double number = missing;
  nb::object held;
};

class RowColumn {
 public:
  RowColumn() = default;
  RowColumn(const RowColumn&) = delete;
  RowColumn& operator=(const RowColumn&) = delete;
  virtual ~RowColumn() = default;

  // The number of classes; 0 where any number will do.
  virtual std::size_t classes() const = 0;
  // Reads a value that will be added. The counts stay as they are.
  virtual void read(nb::handle value, Cell& cell) = 0;
  // Reads a value that will be scored.
  virtual void look_up(nb::handle value, Cell& cell) = 0;
  // True where all that was added must be counted now.
  virtual bool add(Cell& cell, std::size_t j) = 0;
  // out[j] += weight·log P(value | j)
  virtual void add_logs(const Cell& cell, double weight, std::span<double> out) = 0;
};

// A column that counts how often it is missing, where that is evidence of its own.
class CountedColumn : public RowColumn {
 public:
  void count_missing(const Table& counts, const Doubles& pseudo);
  nb::object presence() const;

  bool add(Cell& cell, std::size_t j) final;
  void add_logs(const Cell& cell, double weight, std::span<double> out) final;

 protected:
  virtual bool add_known(Cell& cell, std::size_t j) = 0;
  virtual void add_known_logs(const Cell& cell, double weight, std::span<double> out) = 0;

 private:
  std::optional<LivePresence> presence_;
};

// A column of states: states × classes counts, and a function of Python that gives the pseudo-counts of so many states.
class StateColumn : public CountedColumn {
 public:
  StateColumn(const Table& counts, std::size_t size, nb::callable pseudocounts);

  nb::object counts() const;
  std::size_t classes() const final { return counts_.classes(); }

 protected:
  std::size_t states() const { return counts_.states(); }
  void grow();
  bool add_known(Cell& cell, std::size_t j) override;
  void add_known_logs(const Cell& cell, double weight, std::span<double> out) final;

 private:
  nb::callable pseudocounts_;
  LiveLabels counts_;
};

// Labels, by their codes in a dict. `read_other` and `look_up_other` take values that are not in it: they return a
// code, None for a value that is not counted, or, to be added, a tuple with a new label.
class LabelColumn final : public StateColumn {
 public:
  LabelColumn(const Table& counts, std::size_t size, nb::dict codes, nb::list labels, nb::callable pseudocounts,
              nb::callable read_other, nb::callable look_up_other);

  void read(nb::handle value, Cell& cell) override { find(value, cell, read_other_); }
  void look_up(nb::handle value, Cell& cell) override { find(value, cell, look_up_other_); }

 protected:
  bool add_known(Cell& cell, std::size_t j) override;

 private:
  void find(nb::handle value, Cell& cell, const nb::callable& other) const;
  double code_of(nb::handle found) const;

  nb::dict codes_;
  nb::list labels_;
  nb::callable read_other_, look_up_other_;
};

// Present or not: the codes of both, by a threshold. `read_other` and `look_up_other` take values that are neither
// bool, int nor float, and all where `has_markers`; they return a bool, or None for a missing value.
class PresenceColumn final : public StateColumn {
 public:
  PresenceColumn(const Table& counts, std::pair<std::size_t, std::size_t> codes, double threshold, bool has_markers,
                 nb::callable pseudocounts, nb::callable read_other, nb::callable look_up_other);

  void read(nb::handle value, Cell& cell) override { find(value, cell, read_other_); }
  void look_up(nb::handle value, Cell& cell) override { find(value, cell, look_up_other_); }

 private:
  void find(nb::handle value, Cell& cell, const nb::callable& other) const;

  double absent_, present_, threshold_;
  bool has_markers_;
  nb::callable read_other_, look_up_other_;
};

// How numbers are read: `read_other` takes other values than finite floats and ints, and returns a number, or None for
// a missing one; `markers` are numbers that are missing, too; `refuse_missing`, where it is not None, raises an error.
struct NumberReader {
  NumberReader(nb::callable read_other, const Doubles& markers, nb::object refuse_missing);

  double number(nb::handle value) const;
  double number_to_add(nb::handle value) const;

  nb::callable read_other;
  std::vector<double> markers;
  nb::object refuse_missing;
};

class NumberColumn : public CountedColumn {
 public:
  explicit NumberColumn(NumberReader reader) : reader_(std::move(reader)) {}

  void read(nb::handle value, Cell& cell) final { cell.number = reader_.number_to_add(value); }
  void look_up(nb::handle value, Cell& cell) final { cell.number = reader_.number(value); }

 private:
  NumberReader reader_;
};

class NormalColumn final : public NumberColumn {
 public:
  NormalColumn(const Table& moments, bool is_tied, double strength, NumberReader reader);

  // Weight, mean and sum of squared deviations × classes.
  void reset(const Table& moments);
  // The numbers that were added since the last reset, and their classes.
  nb::tuple pending() const;
  std::size_t classes() const override { return normal_.classes(); }

 protected:
  bool add_known(Cell& cell, std::size_t j) override;
  void add_known_logs(const Cell& cell, double weight, std::span<double> out) override {
    normal_.add_logs(cell.number, weight, out);
  }

 private:
  LiveNormal normal_;
};

// What is kept of a column in bins: values, values × classes counts, and how many bits each value leaves open.
LiveHistogram histogram_of(const Doubles& values, const Table& counts, const std::optional<Sizes>& dropped);

class BinColumn final : public NumberColumn {
 public:
  BinColumn(LiveHistogram histogram, BinRule rule, std::size_t number, std::vector<double> given, bool is_whole,
            const nb::callable& pseudocounts, NumberReader reader);

  void reset(LiveHistogram histogram) { bins_.reset(std::move(histogram)); }
  // Values, counts and dropped bits, and the numbers and classes that are not in them.
  nb::tuple histogram() const;
  std::size_t classes() const override { return bins_.classes(); }

 protected:
  bool add_known(Cell& cell, std::size_t j) override;
  void add_known_logs(const Cell& cell, double weight, std::span<double> out) override {
    bins_.add_logs(cell.number, weight, out);
  }

 private:
  LiveBins bins_;
};

// Any other column: three functions of Python, and nothing at all for a column that is ignored.
class OtherColumn final : public RowColumn {
 public:
  OtherColumn(nb::object read, nb::object add, nb::object score)
      : read_(std::move(read)), add_(std::move(add)), score_(std::move(score)) {}

  std::size_t classes() const override { return 0; }
  void read(nb::handle value, Cell& cell) override;
  void look_up(nb::handle value, Cell& cell) override;
  bool add(Cell& cell, std::size_t j) override;
  void add_logs(const Cell& cell, double weight, std::span<double> out) override;

 private:
  nb::object read_, add_, score_;
};

}  // namespace deciban::bind
