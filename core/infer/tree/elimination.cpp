#include "infer/tree/elimination.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "run/at.hpp"
#include "run/ties.hpp"

namespace deciban {
namespace {

// xorshift64*: the same numbers on every machine.
double uniform(std::uint64_t& state) {
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return static_cast<double>((state * 0x2545F4914F6CDD1DULL) >> 11) * 0x1p-53;
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
    near.erase(std::unique(near.begin(), near.end()), near.end());
  }
  return graph;
}

Greedy::Greedy(const Adjacency& graph, std::span<const double> cards)
    : nodes_(graph.size()),
      words_((graph.size() + 63) / 64),
      cards_(cards.begin(), cards.end()),
      start_bits_(nodes_ * words_) {
  for (const double card : cards_) logs_.push_back(std::log2(card));
  start_.fill.resize(nodes_);
  start_.weighted.resize(nodes_);
  start_.weight = logs_;
  for (std::size_t v = 0; v < nodes_; ++v) {
    start_.degree.push_back(static_cast<double>(graph[v].size()));
    for (const Node u : graph[v]) {
      put_bit(&start_bits_[v * words_], u);
      start_.weight[v] += logs_[at(u)];
    }
  }
  for (std::size_t v = 0; v < nodes_; ++v) {
    for (const Node a : graph[v]) {
      for (const Node b : graph[v]) {
        if (a >= b || has_bit(&start_bits_[at(a) * words_], b)) continue;
        start_.fill[v] += 1;
        start_.weighted[v] += cards_[at(a)] * cards_[at(b)];
      }
    }
  }
}

void Greedy::reset(Rule rule) {
  bits_ = start_bits_;
  now_ = start_;
  is_weighted_ = rule == Rule::weighted_fill;
  left_.resize(nodes_);
  std::iota(left_.begin(), left_.end(), Node{0});
}

// Adds an edge: a pair of neighbours that all common neighbours had to join, and new pairs at both ends.
void Greedy::join(Node a, Node b) {
  const double both = cards_[at(a)] * cards_[at(b)];
  const Word* const x = row(a);
  const Word* const y = row(b);
  for (std::size_t w = 0; w < words_; ++w) {
    const Word either = x[w] | y[w];
    for_each_bit(&either, 1, [&](Node bit) {
      const std::size_t u = at(bit) + w * 64;
      const bool is_a = (x[w] >> bit & 1) != 0;
      const bool is_b = (y[w] >> bit & 1) != 0;
      const std::size_t where = is_a && is_b ? u : is_a ? at(a) : at(b);
      now_.fill[where] += is_a && is_b ? -1 : 1;
      if (is_weighted_) now_.weighted[where] += is_a && is_b ? -both : cards_[u] * cards_[is_a ? at(b) : at(a)];
    });
  }
  put_bit(row(a), b);
  put_bit(row(b), a);
  now_.degree[at(a)] += 1;
  now_.degree[at(b)] += 1;
  now_.weight[at(a)] += logs_[at(b)];
  now_.weight[at(b)] += logs_[at(a)];
  work_ += static_cast<std::int64_t>(words_) + 8;
}

// Joins the neighbours, then removes the node and the pairs it made with theirs.
void Greedy::take(Node v) {
  near_.clear();
  for_each_bit(row(v), words_, [&](Node u) { near_.push_back(u); });
  for (std::size_t i = 0; i < near_.size(); ++i) {
    for (std::size_t j = i + 1; j < near_.size() && now_.fill[at(v)] > 0; ++j) {
      if (!has_bit(row(near_[i]), near_[j])) join(near_[i], near_[j]);
    }
  }
  const double held = static_cast<double>(near_.size());
  for (const Node u : near_) {
    drop_bit(row(u), v);
    now_.fill[at(u)] -= now_.degree[at(u)] - held;  // neighbours of u beside v and those of v, which are all u's
    now_.degree[at(u)] -= 1;
    now_.weight[at(u)] -= logs_[at(v)];
    for (std::size_t w = 0; w < words_ && is_weighted_; ++w) {
      Word only = row(u)[w] & ~row(v)[w];
      if (w == at(u) / 64) only &= ~(Word{1} << (at(u) % 64));
      for_each_bit(&only, 1, [&](Node x) { now_.weighted[at(u)] -= cards_[at(v)] * cards_[at(x) + w * 64]; });
    }
  }
  work_ += static_cast<std::int64_t>(near_.size() * (near_.size() / 4 + 1) + words_);
}

// The index in `left_` of the next node: the first without fill-in, or the one with the least perturbed score. Without
// noise, ties go to the smaller table.
std::size_t Greedy::choose(const Run& how, std::uint64_t& state) const {
  const Counts& now = now_;
  const std::vector<double>& key = how.rule == Rule::fill            ? now.fill
                                   : how.rule == Rule::size          ? now.degree
                                   : how.rule == Rule::weighted_fill ? now.weighted
                                                                     : now.weight;
  std::size_t best = 0;
  double least = INFINITY;
  for (std::size_t i = 0; i < left_.size(); ++i) {
    const std::size_t v = at(left_[i]);
    if (now.fill[v] == 0) return i;
    double score = how.rule == Rule::rest ? key[v] - logs_[v] : key[v];
    if (how.noise > 0) {
      const double draw = uniform(state);
      score = score * (1.0 + how.noise * draw) + 1e-9 * draw;
    }
    if (exceeds(score, least)) continue;
    if (!exceeds(least, score) && now.weight[v] >= now.weight[at(left_[best])]) continue;
    least = score;
    best = i;
  }
  return best;
}

std::vector<Node> Greedy::run(const Run& how) {
  reset(how.rule);
  std::vector<Node> order;
  order.reserve(nodes_);
  std::uint64_t state = how.seed * 0x9E3779B97F4A7C15ULL + 1;
  const double most = std::log2(how.most_cells);
  while (!left_.empty()) {
    work_ += static_cast<std::int64_t>(left_.size());
    const std::size_t index = choose(how, state);
    const Node v = left_[index];
    if (now_.weight[at(v)] > most) return {};
    take(v);
    left_[index] = left_.back();
    left_.pop_back();
    order.push_back(v);
  }
  return order;
}

}  // namespace deciban
