// Vectors whose memory, where it is large, lies in large pages: fewer page faults and fewer TLB misses.
#pragma once

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <cstddef>
#include <new>
#include <vector>

namespace deciban {

template <class T>
struct PageAllocator {
  using value_type = T;

  PageAllocator() = default;
  template <class U>
  explicit PageAllocator(const PageAllocator<U>&) {}

  T* allocate(std::size_t count) {
    void* memory = ::operator new(count * sizeof(T), alignment(count));
#ifdef MADV_HUGEPAGE
    if (alignment(count) == large_page) madvise(memory, count * sizeof(T), MADV_HUGEPAGE);
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) { ::operator delete(memory, alignment(count)); }
  bool operator==(const PageAllocator&) const = default;

 private:
  static constexpr std::align_val_t large_page{2 << 20};
  static constexpr std::align_val_t cache_line{64};

  static std::align_val_t alignment(std::size_t count) {
    return count * sizeof(T) < static_cast<std::size_t>(large_page) ? cache_line : large_page;
  }
};

template <class T>
using Pages = std::vector<T, PageAllocator<T>>;

// The same, but numbers are not initialized: for memory that is filled right after, on all threads.
template <class T>
struct RawPageAllocator : PageAllocator<T> {
  RawPageAllocator() = default;
  template <class U>
  explicit RawPageAllocator(const RawPageAllocator<U>&) {}
  template <class U>
  struct rebind {
    using other = RawPageAllocator<U>;
  };

  void construct(T* at) { ::new (static_cast<void*>(at)) T; }
};

template <class T>
using RawPages = std::vector<T, RawPageAllocator<T>>;

}  // namespace deciban
