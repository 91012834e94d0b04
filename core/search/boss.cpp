#include "search/boss.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <unordered_map>
#include <utility>

#include "run/at.hpp"
#include "run/interrupt.hpp"
#include "run/pool.hpp"
#include "run/ties.hpp"

namespace deciban {

namespace {

using Members = std::vector<std::int64_t>;

// Scores that one task computes: enough to share the work of the parents, few enough to keep all threads busy.
constexpr std::size_t scores_per_task = 64;

struct HashOfMembers {
  std::size_t operator()(const Members& members) const {
    std::uint64_t key = members.size();
    for (const std::int64_t member : members) {
      key = (key ^ static_cast<std::uint64_t>(member)) * 0x9E3779B97F4A7C15ULL;
      key ^= key >> 32;
    }
    return static_cast<std::size_t>(key);
  }
};

struct Node;

// A further parent that raises the score, and the node that it leads to.
struct Branch {
  double score;
  std::int64_t variable;
  Node* next = nullptr;
};

// What follows from a set of parents, whatever the way there: so the nodes of equal sets are one.
struct Node {
  Members parents;
  double score;
  std::vector<bool> is_known{};  // by variable: whether its score as a further parent is known
  std::int64_t unknown = 0;
  std::vector<Branch> branches{};  // the best first
  bool is_shrunk = false;
  Members kept{};  // of the parents, once those are removed without which the score is higher
  double kept_score = 0;
};

}  // namespace

class GrowShrinkTree {
 public:
  GrowShrinkTree(const LocalScores& scores, std::int64_t child, const ParentRules& rules, double root, double scale)
      : scores_(scores),
        child_(child),
        required_(rules.required[at(child)].begin(), rules.required[at(child)].end()),
        most_(at(rules.most)),
        scale_(scale),
        is_candidate_(at(scores.variables()), true) {
    is_candidate_[at(child)] = false;
    for (const std::int64_t v : rules.forbidden[at(child)]) is_candidate_[at(v)] = false;
    for (const std::int64_t v : required_) is_candidate_[at(v)] = false;
    root_ = &node(required_, root);
  }

  std::int64_t child() const { return child_; }
  Node& root() { return *root_; }

  // The variables of `among` whose scores as further parents are not known; they are taken for known from here on.
  template <class F>
  Members claim(Node& node, F&& is_wanted) const {
    Members out;
    if (node.unknown == 0) return out;
    for (std::size_t v = 0; v < node.is_known.size(); ++v) {
      if (node.is_known[v] || !is_wanted(static_cast<std::int64_t>(v))) continue;
      node.is_known[v] = true;
      --node.unknown;
      out.push_back(static_cast<std::int64_t>(v));
    }
    return out;
  }

  void grow(Node& node, std::span<const std::int64_t> further, std::span<const double> scores) const {
    for (std::size_t i = 0; i < further.size(); ++i) {
      if (exceeds(scores[i], node.score, scale_)) node.branches.push_back({scores[i], further[i]});
    }
  }

  // The best first; of those that are equal, the first by index.
  void sort(Node& node) const {
    auto& list = node.branches;
    std::ranges::sort(list, [](const Branch& a, const Branch& b) { return a.score > b.score; });
    for (auto head = list.begin(); head != list.end();) {
      const auto next =
          std::find_if(head, list.end(), [&](const Branch& b) { return exceeds(head->score, b.score, scale_); });
      std::ranges::sort(head, next, {}, &Branch::variable);
      head = next;
    }
  }

  Node& follow(const Node& from, Branch& branch) {
    if (branch.next == nullptr) {
      Members parents = from.parents;
      parents.insert(std::ranges::lower_bound(parents, branch.variable), branch.variable);
      branch.next = &node(std::move(parents), branch.score);
    }
    return *branch.next;
  }

  // Removes the parent without which the score is highest, until none raises it.
  void shrink(Node& node) const {
    node.kept = node.parents;
    node.kept_score = node.score;
    node.is_shrunk = true;
    for (bool removed = node.kept.size() > 1; removed;) {
      removed = false;
      Members best;
      for (std::size_t i = 0; i < node.kept.size(); ++i) {
        if (std::ranges::binary_search(required_, node.kept[i])) continue;
        Members fewer = node.kept;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        const double score = scores_.score(child_, fewer);
        if (!exceeds(score, node.kept_score, scale_)) continue;
        node.kept_score = score;
        best = std::move(fewer);
        removed = true;
      }
      if (removed) node.kept = std::move(best);
    }
  }

 private:
  Node& node(Members parents, double score) {
    std::unique_ptr<Node>& made = nodes_[parents];
    if (!made) {
      made = std::make_unique<Node>(Node{.parents = std::move(parents), .score = score});
      made->is_known.resize(is_candidate_.size());
      const bool is_full = made->parents.size() >= most_;
      for (std::size_t v = 0; v < is_candidate_.size(); ++v) {
        made->is_known[v] = is_full || !is_candidate_[v];
      }
      for (const std::int64_t v : made->parents) made->is_known[at(v)] = true;
      made->unknown = std::ranges::count(made->is_known, false);
    }
    return *made;
  }

  const LocalScores& scores_;
  std::int64_t child_;
  Members required_;
  std::size_t most_;
  double scale_;
  std::vector<bool> is_candidate_;
  std::unordered_map<Members, std::unique_ptr<Node>, HashOfMembers> nodes_;
  Node* root_;
};

// What a variable takes from those before it in the order, and the variables on whose presence that depends.
struct OrderSearch::Place {
  Node* node = nullptr;
  std::vector<bool> depends;
};

// The positions of the variables in an order: a prefix of length n holds those below n.
struct OrderSearch::View {
  std::vector<std::int64_t> position;
};

// What a variable takes from the prefixes of some lengths, as far as a node: from begin to end, at least one. Where it
// ends, `node` is its end.
struct OrderSearch::Walk {
  std::int64_t variable;
  const View* view;
  std::int64_t begin, end;
  bool is_whole;  // whether all scores of a node are wanted, those of later variables included
  Node* node = nullptr;
};

OrderSearch::OrderSearch(const LocalScores& scores, const ParentRules& rules, double scale)
    : scores_(scores), scale_(scale), required_children_(at(scores.variables())) {
  std::vector<Growth> alone;
  for (std::int64_t v = 0; v < scores.variables(); ++v) {
    const auto required = rules.required[at(v)];
    required_.emplace_back(required.begin(), required.end());
    for (const std::int64_t parent : required) required_children_[at(parent)].push_back(v);
    alone.push_back({v, required, {}});
  }
  std::vector<double> roots(alone.size());
  scores.score_all(alone, roots);
  for (std::int64_t v = 0; v < scores.variables(); ++v) {
    trees_.push_back(std::make_unique<GrowShrinkTree>(scores, v, rules, roots[at(v)], scale));
  }
}

OrderSearch::~OrderSearch() = default;

void OrderSearch::start(std::span<const std::int64_t> order) {
  order_.assign(order.begin(), order.end());
  places_.assign(order.size(), {});
  settle(order_);
}

std::vector<OrderMove> OrderSearch::sweep() {
  std::vector<OrderMove> moves;
  for (std::int64_t v = 0; std::cmp_less(v, order_.size()); ++v) {
    check_interrupt();
    OrderMove made{};
    if (move(v, made)) moves.push_back(made);
  }
  return moves;
}

NodeSets OrderSearch::parents() const {
  NodeSets out(static_cast<std::int64_t>(places_.size()));
  for (std::int64_t v = 0; v < out.nodes(); ++v) {
    for (const std::int64_t parent : places_[at(v)].node->kept) out.add(v, parent);
  }
  return out;
}

// Follows all walks to their ends, a node at a time, so that the scores that they want are computed together.
void OrderSearch::resolve(std::vector<Walk>& walks) {
  struct Request {
    GrowShrinkTree* tree;
    Node* node;
    Members further;
  };
  std::vector<Walk> open = std::exchange(walks, {});
  for (Walk& walk : open) walk.node = &trees_[at(walk.variable)]->root();
  while (!open.empty()) {
    std::vector<Request> requests;
    for (const Walk& walk : open) {
      GrowShrinkTree& tree = *trees_[at(walk.variable)];
      const std::vector<std::int64_t>& position = walk.view->position;
      const Members further =
          tree.claim(*walk.node, [&](std::int64_t v) { return walk.is_whole || position[at(v)] < walk.end - 1; });
      for (std::size_t i = 0; i < further.size(); i += scores_per_task) {
        const auto begin = further.begin() + static_cast<std::ptrdiff_t>(i);
        const auto end = begin + static_cast<std::ptrdiff_t>(std::min(scores_per_task, further.size() - i));
        requests.push_back({&tree, walk.node, Members(begin, end)});
      }
    }
    std::vector<Growth> growths;
    growths.reserve(requests.size());
    for (const Request& request : requests) {
      growths.push_back({request.tree->child(), request.node->parents, request.further});
    }
    std::vector<double> scores(scores_in(growths));
    scores_.score_all(growths, scores);
    std::span<const double> left(scores);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const Request& request = requests[i];
      request.tree->grow(*request.node, request.further, left.subspan(1));
      left = left.subspan(request.further.size() + 1);
      if (i + 1 == requests.size() || requests[i + 1].node != request.node) request.tree->sort(*request.node);
    }
    std::vector<Walk> next;
    for (const Walk& walk : open) {
      GrowShrinkTree& tree = *trees_[at(walk.variable)];
      // The best branch takes the prefixes that hold its variable: those that are longer than its position.
      std::int64_t end = walk.end;
      for (Branch& branch : walk.node->branches) {
        const std::int64_t first = std::max(walk.begin, walk.view->position[at(branch.variable)] + 1);
        if (first >= end) continue;
        next.push_back({walk.variable, walk.view, first, end, walk.is_whole, &tree.follow(*walk.node, branch)});
        end = first;
        if (end == walk.begin) break;
      }
      if (walk.begin < end) walks.push_back({walk.variable, walk.view, walk.begin, end, walk.is_whole, walk.node});
    }
    open = std::move(next);
  }
  std::vector<std::pair<GrowShrinkTree*, Node*>> ends;
  for (const Walk& walk : walks) {
    if (std::exchange(walk.node->is_shrunk, true)) continue;
    ends.emplace_back(trees_[at(walk.variable)].get(), walk.node);
  }
  parallel_for(static_cast<std::int64_t>(ends.size()),
               [&](std::int64_t i) { ends[at(i)].first->shrink(*ends[at(i)].second); });
}

// Finds what variables take in the order, and on what it depends.
void OrderSearch::settle(std::span<const std::int64_t> variables) {
  View view{Members(order_.size())};
  for (std::size_t i = 0; i < order_.size(); ++i) view.position[at(order_[i])] = static_cast<std::int64_t>(i);
  std::vector<Walk> walks;
  for (const std::int64_t v : variables) {
    const std::int64_t length = view.position[at(v)];
    walks.push_back({v, &view, length, length + 1, true});
  }
  resolve(walks);
  for (const Walk& walk : walks) {
    Place& place = places_[at(walk.variable)];
    place.node = walk.node;
    place.depends.assign(order_.size(), false);
    // The same way again: the first branch whose variable is there is taken; those before it would be, if theirs were.
    const Node* node = &trees_[at(walk.variable)]->root();
    for (bool is_end = false; !is_end;) {
      is_end = true;
      for (const Branch& branch : node->branches) {
        place.depends[at(branch.variable)] = true;
        if (view.position[at(branch.variable)] >= walk.begin) continue;
        node = branch.next;
        is_end = false;
        break;
      }
    }
  }
}

bool OrderSearch::move(std::int64_t variable, OrderMove& made) {
  const auto count = static_cast<std::int64_t>(order_.size());
  const std::int64_t from = std::ranges::find(order_, variable) - order_.begin();
  Members others = order_;
  others.erase(others.begin() + from);
  View without{Members(order_.size(), count)}, with{Members(order_.size(), 0)};
  for (std::int64_t i = 0; i < count - 1; ++i) {
    without.position[at(others[at(i)])] = i;
    with.position[at(others[at(i)])] = i + 1;
  }
  std::int64_t first = 0, last = count - 1;  // the positions that required arrows allow
  for (const std::int64_t v : required_[at(variable)]) first = std::max(first, without.position[at(v)] + 1);
  for (const std::int64_t v : required_children_[at(variable)]) last = std::min(last, without.position[at(v)]);

  std::vector<Walk> walks{{variable, &without, first, last + 1, false}};
  for (std::int64_t i = first; i < last; ++i) {
    const std::int64_t v = others[at(i)];
    if (!places_[at(v)].depends[at(variable)]) continue;
    const bool is_before = i < from;
    walks.push_back({v, is_before ? &with : &without, i + (is_before ? 1 : 0), i + (is_before ? 2 : 1), false});
  }
  resolve(walks);

  // What each position gains: what the variable does there, and what those do that it passes.
  const auto gain_of = [](double after, double before) { return after == before ? 0.0 : after - before; };
  std::vector<double> gains(order_.size(), 0.0), passed(order_.size(), 0.0);
  const double now = places_[at(variable)].node->kept_score;
  for (const Walk& walk : walks) {
    if (walk.variable == variable) {
      for (std::int64_t i = walk.begin; i < walk.end; ++i) gains[at(i)] = gain_of(walk.node->kept_score, now);
    } else {
      passed[at(without.position[at(walk.variable)])] =
          gain_of(walk.node->kept_score, places_[at(walk.variable)].node->kept_score);
    }
  }
  double sum = 0;
  for (std::int64_t i = from; i-- > first;) gains[at(i)] += sum += passed[at(i)];
  sum = 0;
  for (std::int64_t i = from; i < last; ++i) gains[at(i + 1)] += sum += passed[at(i)];

  std::int64_t to = from;
  for (std::int64_t i = first; i <= last; ++i) {
    if (exceeds(gains[at(i)], gains[at(to)], scale_)) to = i;
  }
  if (to == from) return false;
  others.insert(others.begin() + to, variable);
  const bool is_last = to == count - 1;
  made = {variable, others[at(is_last ? to - 1 : to + 1)], is_last, gains[at(to)]};
  Members changed{variable};
  for (std::int64_t i = std::min(from, to); i <= std::max(from, to); ++i) {
    const std::int64_t v = others[at(i)];
    if (v != variable && places_[at(v)].depends[at(variable)]) changed.push_back(v);
  }
  order_ = std::move(others);
  settle(changed);
  return true;
}

}  // namespace deciban
