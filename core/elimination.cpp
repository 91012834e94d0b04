#include "elimination.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace deciban {
namespace {

// xorshift64*: the same numbers on every machine.
double uniform(std::uint64_t& state) {
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return static_cast<double>((state * 0x2545F4914F6CDD1DULL) >> 11) * 0x1p-53;
}

std::size_t at(Node v) {
  return static_cast<std::size_t>(v);
}

template <class F>
void for_each_bit(const std::uint64_t* words, std::size_t count, F&& visit) {
  for (std::size_t w = 0; w < count; ++w) {
    for (std::uint64_t left = words[w]; left != 0; left &= left - 1) {
      visit(static_cast<Node>(w * 64 + static_cast<std::size_t>(std::countr_zero(left))));
    }
  }
}

void put_bit(std::uint64_t* words, Node v) {
  words[at(v) / 64] |= std::uint64_t{1} << (at(v) % 64);
}

void drop_bit(std::uint64_t* words, Node v) {
  words[at(v) / 64] &= ~(std::uint64_t{1} << (at(v) % 64));
}

bool has_bit(const std::uint64_t* words, Node v) {
  return (words[at(v) / 64] >> (at(v) % 64) & 1) != 0;
}

}  // namespace

Adjacency join_scopes(std::size_t nodes, std::span<const std::vector<Node>> scopes, std::span<const char> taken) {
  Adjacency graph(nodes);
  for (const std::vector<Node>& scope : scopes) {
    for (const Node a : scope) {
      if (taken[at(a)] != 0) continue;
      for (const Node b : scope) {
        if (a != b && taken[at(b)] == 0) graph[at(a)].push_back(b);
      }
    }
  }
  for (std::vector<Node>& near : graph) {
    std::ranges::sort(near);
    near.erase(std::ranges::unique(near).begin(), near.end());
  }
  return graph;
}

Greedy::Greedy(const Adjacency& graph, std::span<const double> cards)
    : nodes_(graph.size()),
      words_((graph.size() + 63) / 64),
      cards_(cards.begin(), cards.end()),
      start_bits_(nodes_ * words_),
      start_fill_(nodes_),
      start_weighted_(nodes_),
      start_weight_(nodes_) {
  for (const double card : cards_) logs_.push_back(std::log2(card));
  for (std::size_t v = 0; v < nodes_; ++v) {
    start_weight_[v] = logs_[v];
    for (const Node u : graph[v]) {
      put_bit(&start_bits_[v * words_], u);
      start_weight_[v] += logs_[at(u)];
    }
  }
  for (std::size_t v = 0; v < nodes_; ++v) {
    for (const Node a : graph[v]) {
      for (const Node b : graph[v]) {
        if (a >= b || has_bit(&start_bits_[at(a) * words_], b)) continue;
        ++start_fill_[v];
        start_weighted_[v] += cards_[at(a)] * cards_[at(b)];
      }
    }
  }
}

void Greedy::reset() {
  bits_ = start_bits_;
  fill_ = start_fill_;
  weighted_ = start_weighted_;
  weight_ = start_weight_;
  degree_.assign(nodes_, 0);
  left_.resize(nodes_);
  for (std::size_t v = 0; v < nodes_; ++v) {
    left_[v] = static_cast<Node>(v);
    for (std::size_t w = 0; w < words_; ++w) degree_[v] += std::popcount(bits_[v * words_ + w]);
  }
}

// Adds an edge: a pair of neighbours that all common neighbours had to join, and new pairs at both ends.
void Greedy::join(Node a, Node b) {
  const double both = cards_[at(a)] * cards_[at(b)];
  const auto gain = [&](Node end, Word only, std::size_t w, double card) {
    fill_[at(end)] += std::popcount(only);
    for_each_bit(&only, 1, [&](Node x) { weighted_[at(end)] += card * cards_[at(x) + w * 64]; });
  };
  for (std::size_t w = 0; w < words_; ++w) {
    const Word x = row(a)[w];
    const Word y = row(b)[w];
    const Word common = x & y;
    for_each_bit(&common, 1, [&](Node u) {
      --fill_[at(u) + w * 64];
      weighted_[at(u) + w * 64] -= both;
    });
    gain(a, x & ~y, w, cards_[at(b)]);
    gain(b, y & ~x, w, cards_[at(a)]);
  }
  put_bit(row(a), b);
  put_bit(row(b), a);
  ++degree_[at(a)];
  ++degree_[at(b)];
  weight_[at(a)] += logs_[at(b)];
  weight_[at(b)] += logs_[at(a)];
  work_ += static_cast<std::int64_t>(words_);
}

std::vector<Node> Greedy::neighbours(Node v) const {
  std::vector<Node> found;
  for_each_bit(row(v), words_, [&](Node u) { found.push_back(u); });
  return found;
}

// Joins the neighbours, then removes the node and the pairs it made with theirs.
void Greedy::take(Node v) {
  const std::vector<Node> near = neighbours(v);
  for (std::size_t i = 0; i < near.size(); ++i) {
    for (std::size_t j = i + 1; j < near.size() && fill_[at(v)] > 0; ++j) {
      if (!has_bit(row(near[i]), near[j])) join(near[i], near[j]);
    }
  }
  for (const Node u : near) {
    for (std::size_t w = 0; w < words_; ++w) {
      Word only = row(u)[w] & ~row(v)[w];
      if (w == at(v) / 64) only &= ~(Word{1} << (at(v) % 64));
      if (w == at(u) / 64) only &= ~(Word{1} << (at(u) % 64));
      fill_[at(u)] -= std::popcount(only);
      for_each_bit(&only, 1, [&](Node x) { weighted_[at(u)] -= cards_[at(v)] * cards_[at(x) + w * 64]; });
    }
    drop_bit(row(u), v);
    --degree_[at(u)];
    weight_[at(u)] -= logs_[at(v)];
  }
  work_ += static_cast<std::int64_t>(near.size() * (near.size() / 8 + words_));
  left_.erase(std::ranges::lower_bound(left_, v));
}

double Greedy::score(Node v, Rule rule) const {
  switch (rule) {
    case Rule::fill: return static_cast<double>(fill_[at(v)]);
    case Rule::weight: return weight_[at(v)];
    case Rule::size: return static_cast<double>(degree_[at(v)]);
    case Rule::weighted_fill: return weighted_[at(v)];
    case Rule::rest: return weight_[at(v)] - logs_[at(v)];
  }
  return 0.0;
}

Node Greedy::choose(const Run& how, std::uint64_t& state) const {
  Node best = left_.front();
  double least = INFINITY;
  for (const Node v : left_) {
    if (fill_[at(v)] == 0) return v;
    const double draw = uniform(state);
    const double blurred = score(v, how.rule) * (1.0 + how.noise * draw) + 1e-9 * draw;
    if (blurred < least) {
      least = blurred;
      best = v;
    }
  }
  return best;
}

std::vector<Node> Greedy::run(const Run& how) {
  reset();
  std::vector<Node> order;
  std::uint64_t state = how.seed * 0x9E3779B97F4A7C15ULL + 1;
  const double most = std::log2(how.most_cells);
  while (!left_.empty()) {
    work_ += static_cast<std::int64_t>(left_.size());
    const Node v = choose(how, state);
    if (weight_[at(v)] > most) return {};
    take(v);
    order.push_back(v);
  }
  return order;
}

}  // namespace deciban
