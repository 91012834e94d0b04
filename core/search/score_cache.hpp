// Scores by lists of variables, in parts with a lock each, so that threads seldom wait for one another.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace deciban {

class ScoreCache {
 public:
  using Key = std::vector<std::int32_t>;

  std::optional<double> find(const Key& key) {
    Shard& shard = shard_of(key);
    const std::scoped_lock hold(shard.lock);
    const auto known = shard.scores.find(key);
    return known == shard.scores.end() ? std::nullopt : std::optional(known->second);
  }
  void keep(Key key, double score) {
    Shard& shard = shard_of(key);
    const std::scoped_lock hold(shard.lock);
    shard.scores.emplace(std::move(key), score);
  }

 private:
  struct Hash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t hash = 0;
      for (const std::int32_t part : key) {  // the steps of splitmix64
        hash += 0x9E3779B97F4A7C15ULL + static_cast<std::uint64_t>(part);
        hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9ULL;
        hash ^= hash >> 27;
      }
      return static_cast<std::size_t>(hash);
    }
  };
  static constexpr std::size_t shards = 64;
  struct Shard {
    std::mutex lock;
    std::unordered_map<Key, double, Hash> scores;
  };

  Shard& shard_of(const Key& key) { return shards_[(Hash{}(key) >> 20) % shards]; }

  std::array<Shard, shards> shards_;
};

}  // namespace deciban
