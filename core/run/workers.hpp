// Workspaces that tasks borrow: as many as there are tasks at a time, each made when it is first needed.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace deciban {

template <class W>
class Workers {
 public:
  explicit Workers(std::function<std::unique_ptr<W>()> make) : make_(std::move(make)) {}

  // Returns the worker when it goes out of scope.
  class Loan {
   public:
    Loan(Workers& owner, W* worker) : owner_(owner), worker_(worker) {}
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    ~Loan() {
      const std::scoped_lock hold(owner_.lock_);
      owner_.free_.push_back(worker_);
    }
    W* operator->() const { return worker_; }
    W& operator*() const { return *worker_; }

   private:
    Workers& owner_;
    W* worker_;
  };

  Loan take() {
    const std::scoped_lock hold(lock_);
    if (free_.empty()) {
      all_.push_back(make_());
      free_.reserve(all_.size());
      return {*this, all_.back().get()};
    }
    W* const worker = free_.back();
    free_.pop_back();
    return {*this, worker};
  }

  const std::vector<std::unique_ptr<W>>& all() const { return all_; }

 private:
  std::function<std::unique_ptr<W>()> make_;
  std::mutex lock_;
  std::vector<std::unique_ptr<W>> all_;
  std::vector<W*> free_;
};

}  // namespace deciban
