#include <algorithm>
#include <array>

#include "chains/chains.hpp"
#include "count/cells.hpp"
#include "run/instruction_set.hpp"
#include "run/pool.hpp"
#include "score/averaged.hpp"

namespace deciban {
namespace {

constexpr std::int64_t block = 512;

std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

// The entries of a chain, `width` apart, and where those of a block's rows are added: `out` is the first row's group,
// and rows lie `apart` doubles apart.
struct Entries {
  const double* table;
  const std::uint32_t* index;
  std::int64_t rows, classes, width, apart;
  double* out;
};

// C: the number of classes where it is small, so that the loop over them is unrolled; 0 for any number.
template <std::int64_t C>
DECIBAN_INLINE void add_of_classes(const Entries& at) {
  const std::int64_t classes = C > 0 ? C : at.classes, width = C > 0 ? averaged_width(C) : at.width;
  for (std::int64_t r = 0; r < at.rows; ++r) {
    const double* entry = at.table + width * static_cast<std::int64_t>(at.index[r]);
    double* to = at.out + r * at.apart;
    for (std::int64_t c = 0; c < classes; ++c) to[c] += entry[c];
  }
}

void add_entries(const Entries& of_block) {
  on_instruction_set([at = of_block](auto) DECIBAN_INLINE_LAMBDA {
    switch (at.classes) {
      case 2: return add_of_classes<2>(at);
      case 3: return add_of_classes<3>(at);
      case 4: return add_of_classes<4>(at);
      case 5: return add_of_classes<5>(at);
      case 6: return add_of_classes<6>(at);
      case 7: return add_of_classes<7>(at);
      case 8: return add_of_classes<8>(at);
      default: return add_of_classes<0>(at);
    }
  });
}

// Rows of a block whose values in a chain are not all known: they have the entry of the level before.
class Unknown {
 public:
  Unknown(const CodeColumns& codes, const Chains& chains) : codes_(codes), chains_(chains), has_(at(codes.cols)) {}

  void look_at(std::int64_t begin, std::int64_t count) {
    for (std::int32_t c = 0; c < codes_.cols; ++c) {
      const auto states = static_cast<std::uint32_t>(chains_.sizes[at(c)]);
      has_[at(c)] = codes_.with_column(c, [=](const auto* column) {
        bool found = false;
        for (std::int64_t r = begin; r < begin + count; ++r) found |= column[r] >= states;
        return found;
      });
    }
  }

  void correct(std::size_t chain, std::int64_t begin, std::int64_t count, std::uint32_t* index) const {
    const auto columns = chains_.columns[chain];
    if (std::ranges::none_of(columns, [this](std::int32_t c) { return has_[at(c)]; })) return;
    for (std::int64_t r = 0; r < count; ++r) {
      const auto entry = entry_of(columns, chain, begin + r);
      if (entry.has_unknown) index[r] = static_cast<std::uint32_t>(entry.index);
    }
  }

 private:
  struct Entry {
    bool has_unknown;
    std::size_t index;
  };

  Entry entry_of(std::span<const std::int32_t> columns, std::size_t chain, std::int64_t row) const {
    const auto code_of = [&](std::int32_t c) {
      return codes_.with_column(c, [=](const auto* column) { return static_cast<std::size_t>(column[row]); });
    };
    const auto states_of = [&](std::int32_t c) { return at(chains_.sizes[at(c)]); };
    const std::size_t depth = columns.size(), x = code_of(columns.back());
    if (x == states_of(columns.back())) return {true, chains_.entries(chain, depth) - 1};
    std::size_t known = 0, parents = 0;
    for (; known + 1 < depth && code_of(columns[known]) < states_of(columns[known]); ++known) {
      parents = parents * states_of(columns[known]) + code_of(columns[known]);
    }
    std::size_t start = 0;  // the entries of the higher levels come first
    for (std::size_t levels = depth; levels > known + 1; --levels) start += chains_.cells(chain, levels);
    return {known + 1 < depth, start + parents * states_of(columns.back()) + x};
  }

  const CodeColumns& codes_;
  const Chains& chains_;
  std::vector<char> has_;
};

}  // namespace

void add_chains(const CodeColumns& codes, const Chains& chains, std::span<const double> table,
                std::span<const std::int32_t> groups, std::int64_t group_count, std::span<double> out) {
  const std::int64_t classes = chains.classes, width = averaged_width(classes), apart = group_count * classes;
  std::vector<std::size_t> starts{0};
  for (std::size_t i = 0; i < chains.size(); ++i) {
    starts.push_back(starts.back() + chains.entries(i, chains.columns.length(i)) * at(width));
  }
  const std::int64_t blocks = (codes.rows + block - 1) / block;
  parallel_for(blocks, [&](std::int64_t task) {
    std::array<std::uint32_t, block> index;
    const std::int64_t begin = task * block, rows = std::min(block, codes.rows - begin);
    double* first = out.data() + begin * apart;
    std::fill_n(first, rows * apart, 0.0);
    Unknown unknown(codes, chains);
    unknown.look_at(begin, rows);
    for (std::size_t i = 0; i < chains.size(); ++i) {
      index.fill(0);
      const auto columns = chains.columns[i];
      std::int64_t stride = 1;
      for (std::size_t k = columns.size(); k-- > 0; stride *= chains.sizes[at(columns[k])]) {
        add_to_index(codes, columns[k], begin, rows, static_cast<std::uint32_t>(stride), index.data());
      }
      unknown.correct(i, begin, rows, index.data());
      add_entries({table.data() + starts[i], index.data(), rows, classes, width, apart, first + groups[i] * classes});
    }
  });
}

}  // namespace deciban
