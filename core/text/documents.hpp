// A batch of documents. Text that must be copied before it is read is copied a few megabytes at a time.
#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "text/scan/scan.hpp"

namespace deciban {

struct Run {
  std::size_t begin;
  std::size_t end;
};

class Documents {
 public:
  Documents() = default;
  Documents(const Documents&) = delete;
  Documents& operator=(const Documents&) = delete;
  virtual ~Documents() = default;

  std::size_t count() const { return views_.size(); }
  std::string_view operator[](std::size_t document) const { return views_[document]; }
  virtual Encoding encoding(std::size_t /*document*/) const { return Encoding::text; }

  // Splits the batch into runs with about the same amount of text each, to be read in parallel.
  void split(std::size_t parts);
  std::span<const Run> parts() const { return parts_; }

  // Makes the next documents of each part readable, and those of the last call unreadable. False when all were read.
  bool advance(std::vector<Run>& runs);

 protected:
  // Prepares documents from the start of the run, at least one, up to about `bytes` of text; returns the first that is
  // not prepared.
  virtual std::size_t prepare(Run run, std::size_t bytes) = 0;
  virtual void release() = 0;

  std::vector<std::string_view> views_;

 private:
  std::vector<Run> parts_;
  std::vector<std::size_t> reached_;
};

// What is counted: the tokens that a scanner finds, or those written in the document one after the other (four bytes
// of length, then the token's); and the sequences of first … last tokens.
struct TextRules {
  std::optional<ScanRules> scan;
  std::size_t first = 1;
  std::size_t last = 1;
};

class Tokenizer {
 public:
  explicit Tokenizer(const TextRules& rules);
  // Valid until the next call.
  std::span<const std::string_view> read(const Documents& documents, std::size_t document);

 private:
  std::optional<Scanner> scanner_;
  std::vector<std::string_view> tokens_;
};

}  // namespace deciban
