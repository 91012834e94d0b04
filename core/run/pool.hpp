// One pool of threads for every kernel: started at its first use, restarted after a fork, never at import.
#pragma once

#include <cstdint>
#include <functional>

namespace deciban {

// Runs task(0) … task(count - 1), each once, on the pool and on the calling thread; returns when all
// have run. A call made while the pool is busy runs on the calling thread alone. The first exception
// that a task throws is thrown again here, after every task has ended. Where an Interrupt watches the calling thread,
// it watches the tasks, too.
void parallel_for(std::int64_t count, const std::function<void(std::int64_t)>& task);

// The same without an Interrupt. `idle`, which must not throw, is called on the calling thread from time to time while
// it waits for the others.
void run_on_pool(std::int64_t count, const std::function<void(std::int64_t)>& task, const std::function<void()>& idle);

// How many threads a call may use, the caller's own included.
int thread_count();
void set_thread_count(int count);

// Rows are cut into stripes whose number depends on the work alone, never on the threads, so that sums
// merged in stripe order come out the same on every machine.
struct Stripes {
  std::int64_t rows;
  std::int64_t count;

  std::int64_t begin(std::int64_t stripe) const { return rows * stripe / count; }
  std::int64_t end(std::int64_t stripe) const { return rows * (stripe + 1) / count; }
};

// bytes: the size of one stripe's own tables; work: the cost of a row, in units of about one element read.
Stripes stripes(std::int64_t rows, std::int64_t work, std::int64_t bytes);

}  // namespace deciban
