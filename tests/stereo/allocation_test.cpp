// SPDX-License-Identifier: BSD-3-Clause
// A StereoMatcher on the CPU allocates no memory after its first frame. Every operator new of this
// program is counted.
#include <bifocal/stereo.hpp>
#include <bifocal/device.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <random>

namespace {
std::atomic<long> allocations{0};

// Not inlined, because GCC would warn that memory from new is freed.
[[gnu::noinline]] void release(void* p) { std::free(p); }
[[gnu::noinline]] void* counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  void* p = nullptr;
  if (posix_memalign(&p, alignment, size > 0 ? size : 1) != 0) throw std::bad_alloc();
  return p;
}
}  // namespace

void* operator new(std::size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* p) noexcept { release(p); }
void operator delete(void* p, std::size_t) noexcept { release(p); }
void operator delete(void* p, std::align_val_t) noexcept { release(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { release(p); }

namespace bifocal {
namespace {

constexpr int kWidth = 150, kHeight = 90;

struct Pair {
  ImageU8 left{kWidth, kHeight}, right{kWidth, kHeight};
};

// Makes noise that is moved by 7 px, with regions that do not match.
Pair noise() {
  std::mt19937 random(1);
  Pair p;
  for (std::uint8_t& v : p.left.pixels) v = static_cast<std::uint8_t>(random());
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const bool copied = x + 7 < kWidth && random() % 8 > 0;
      p.right.at(x, y) = copied ? p.left.at(x + 7, y) : static_cast<std::uint8_t>(random());
    }
  }
  return p;
}

template <class Body>
long allocations_of(const Body& body) {
  const long before = allocations;
  body();
  return allocations - before;
}

template <class Options>
void check(const Options& options, const char* what) {
  SCOPED_TRACE(what);
  const Pair p = noise();
  for (const int threads : {1, 2}) {
    const ThreadLimit limit(threads);
    Queue queue;
    StereoMatcher matcher(queue, kWidth, kHeight, options);
    ImageF raw(kWidth, kHeight), filled(kWidth, kHeight);
    const auto run = [&] {
      matcher.run(p.left.pixels.data(), p.right.pixels.data(),
                  {.raw = raw.pixels.data(), .filled = filled.pixels.data()});
    };
    EXPECT_GT(allocations_of(run), 0) << "the first frame has memory to take";
    EXPECT_EQ(allocations_of(run), 0) << threads << " threads";

    // A stream keeps two maps and swaps them with the caller's maps.
    DisparityMap map;
    const auto submit = [&] { matcher.submit(p.left, p.right); };
    const auto frame = [&] {
      submit();
      matcher.next(map);
    };
    submit();
    for (int i = 0; i < 3; ++i) frame();
    EXPECT_EQ(allocations_of(frame), 0) << threads << " threads, two on their way";
    matcher.next(map);
    for (int i = 0; i < 2; ++i) frame();
    EXPECT_EQ(allocations_of(frame), 0) << threads << " threads, one after the other";
  }
}

TEST(Allocations, end_after_the_first_frame) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers allocate themselves";
#endif
  for (const Fill fill : {Fill::none, Fill::background, Fill::mean, Fill::planes}) {
    check(SgmOptions{.disparities = 32, .filter = {.fill = fill}}, "sgm");
    check(SsdOptions{.disparities = 32, .window = 7, .filter = {.speckle_size = 50, .fill = fill}},
          "ssd");
  }
  check(SgmOptions{.disparities = 40, .census = Census::full, .paths = 4}, "full census");
}

}  // namespace
}  // namespace bifocal
