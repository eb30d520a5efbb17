// SPDX-License-Identifier: BSD-3-Clause
// The order of work. A sweep down the rows sums the paths that come from above and from the left, a
// sweep up those from below and from the right, and finds the winners. Rows of a sweep run on
// several threads, each a little behind the row before it. With less memory than all sums take, the
// rows are cut into bands: a first sweep up keeps only the states at the bands' ends, from which
// each band's sweep up goes on later. Whole numbers make every way give the same.
#include "stereo/sgm.hpp"

#include <fmt/format.h>
#include <hwy/aligned_allocator.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include <bifocal/error.hpp>

#include "runtime/parallel.hpp"
#include "stereo/disparity_text.hpp"

namespace bifocal::stereo {
namespace {

using Text = disparity_text;
constexpr int kPlanes = 3;      // paths from the row before
constexpr int kPartOfRow = 32;  // pixels after which a thread tells how far its row is

template <class T>
class Aligned {
 public:
  Aligned() = default;
  Aligned(std::size_t count, T value) : data_(hwy::AllocateAligned<T>(count)) {
    if (!data_) throw std::bad_alloc();
    std::fill_n(data_.get(), count, value);
  }
  [[nodiscard]] T* get() const { return data_.get(); }

 private:
  hwy::AlignedFreeUniquePtr<T[]> data_;
};

// The sums: large and written whole before they are read. Large pages, where the system has them,
// spare a fault every 4 KiB, which took as long as the paths.
class Sums {
 public:
  explicit Sums(std::size_t count)
      : data_(static_cast<std::uint16_t*>(std::aligned_alloc(
            kPage, (count * sizeof(std::uint16_t) + kPage - 1) / kPage * kPage))) {
    if (!data_) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    (void)madvise(data_.get(), count * sizeof(std::uint16_t), MADV_HUGEPAGE);
#endif
  }
  [[nodiscard]] std::uint16_t* get() const { return data_.get(); }

 private:
  static constexpr std::size_t kPage = std::size_t{2} << 20;
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  std::unique_ptr<std::uint16_t[], Free> data_;
};

struct Sizes {
  int width, height, disparities, stride, sums_stride, sweep_paths;
  std::size_t state_bytes, minima_bytes;  // of one row

  Sizes(int w, int h, const SgmOptions& o)
      : width(w),
        height(h),
        disparities(o.disparities),
        stride((o.disparities + kWidestBytes - 1) / kWidestBytes * kWidestBytes + kGuard),
        sums_stride((o.disparities + kSumsBlock - 1) / kSumsBlock * kSumsBlock),
        sweep_paths(o.paths / 2),
        state_bytes(static_cast<std::size_t>(kPlanes) * (static_cast<std::size_t>(w) + 2) *
                    static_cast<std::size_t>(stride)),
        minima_bytes(static_cast<std::size_t>(kPlanes) * (static_cast<std::size_t>(w) + 2)) {}
  [[nodiscard]] std::size_t sums_row() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(sums_stride);
  }
};

// Path costs of one row: what outside the picture is, until a sweep writes them.
struct State {
  Aligned<std::uint8_t> costs;  // a guard in front
  std::vector<std::uint8_t> minima;

  State() = default;
  explicit State(const Sizes& s) : costs(kGuard + s.state_bytes, 255), minima(s.minima_bytes, 0) {
    for (int k = 0; k < kPlanes; ++k) {
      for (int x : {0, s.width + 1}) clear(s, k, x);
    }
  }
  void clear_all(const Sizes& s) {
    std::fill(minima.begin(), minima.end(), std::uint8_t{0});
    for (int k = 0; k < kPlanes; ++k) {
      for (int x = 0; x < s.width + 2; ++x) clear(s, k, x);
    }
  }
  void copy(const Sizes& s, const State& from) {
    std::memcpy(costs.get(), from.costs.get(), kGuard + s.state_bytes);
    minima = from.minima;
  }
  [[nodiscard]] std::uint8_t* data() const { return costs.get() + kGuard; }

 private:
  void clear(const Sizes& s, int plane, int x) const {
    const auto pixel = static_cast<std::size_t>(plane) * (static_cast<std::size_t>(s.width) + 2) +
                       static_cast<std::size_t>(x);
    std::fill_n(data() + pixel * static_cast<std::size_t>(s.stride), s.disparities,
                std::uint8_t{0});
  }
};

// What one thread works with.
struct Scratch {
  Aligned<std::uint8_t> cost, along;
  Aligned<std::uint16_t> winners, sums;
  WinnerRow16 row;

  explicit Scratch(const Sizes& s)
      : cost(static_cast<std::size_t>(s.width) * static_cast<std::size_t>(s.stride) + kWidestBytes,
             255),
        along(kGuard + 2 * static_cast<std::size_t>(s.stride), 255) {
    const auto width = static_cast<std::size_t>(s.width);
    const std::size_t right = width + static_cast<std::size_t>(s.sums_stride) + kSumsBlock;
    winners = Aligned<std::uint16_t>(5 * width + 2 * right, 0);
    std::uint16_t* p = winners.get();
    for (std::uint16_t** field : {&row.index, &row.best, &row.below, &row.above, &row.elsewhere}) {
      *field = p;
      p += width;
    }
    row.right_best = p;
    row.right_index = p + right;
  }
  [[nodiscard]] std::uint8_t* along_data() const { return along.get() + kGuard; }
};

class Matcher {
 public:
  Matcher(const CensusPicture& left, const CensusPicture& right, const SgmOptions& options,
          const SgmPlan& plan, const SgmSink& sink)
      : left_(left),
        options_(options),
        sizes_(left.width, left.height, options),
        sink_(sink),
        band_(plan.band),
        threads_(std::min(runtime::thread_count(), sizes_.height)),
        sums_(sizes_.sums_row() * static_cast<std::size_t>(plan.band) + kWidestBytes),
        progress_(static_cast<std::size_t>(sizes_.height)) {
    for (int g = 0; g < 256; ++g)
      jump_[static_cast<std::size_t>(g)] =
          static_cast<std::uint8_t>(Text::jump_penalty(options.P2, options.P2_contrast, g));
    reverse(right);
    for (int t = 0; t < threads_; ++t) scratch_.emplace_back(sizes_);
    for (int t = 0; t <= threads_; ++t) ring_.emplace_back(sizes_);
  }

  void run() {
    const int bands = (sizes_.height + band_ - 1) / band_;
    std::vector<State> ends;  // what the sweep up of each band but the last begins with
    if (bands > 1) {
      for (int b = 0; b < bands - 1; ++b) ends.emplace_back(sizes_);
      State state(sizes_);
      state.clear_all(sizes_);
      for (int b = bands - 1; b > 0; --b) {
        sweep(std::min(sizes_.height, (b + 1) * band_), b * band_, state, Goal::states);
        ends[static_cast<std::size_t>(b) - 1].copy(sizes_, state);
      }
    }
    State down(sizes_);
    down.clear_all(sizes_);
    for (int b = 0; b < bands; ++b) {
      const int begin = b * band_, end = std::min(sizes_.height, begin + band_);
      band_begin_ = begin;
      sweep(begin, end, down, Goal::sums);
      State up(sizes_);
      if (b < bands - 1) {
        up.copy(sizes_, ends[static_cast<std::size_t>(b)]);
      } else {
        up.clear_all(sizes_);
      }
      sweep(end, begin, up, Goal::winners);
    }
  }

 private:
  enum class Goal { states, sums, winners };

  // Codes of the right picture, rows reversed, for disparities that leave the picture too.
  void reverse(const CensusPicture& right) {
    const int reach = sizes_.width + sizes_.stride;
    for (int part = 0; part < (right.high.empty() ? 1 : 2); ++part) {
      auto& out = reversed_[static_cast<std::size_t>(part)];
      out = Image<std::uint32_t>(reach, sizes_.height);
      const auto& in = part == 0 ? right.low : right.high;
      runtime::parallel_for(sizes_.height, [&](int y) {
        for (int e = 0; e < reach; ++e) {
          const int x =
              std::clamp(sizes_.width - 1 - options_.min_disparity - e, 0, sizes_.width - 1);
          out.at(e, y) = in.at(x, y);
        }
      });
    }
  }

  // From row `from` on to row `to` (not included; down when it is larger, else up from from - 1),
  // beginning with `state` and leaving the last row's there.
  void sweep(int from, int to, State& state, Goal goal) {
    const int rows = std::abs(to - from), step = to > from ? 1 : -1;
    const int first = step > 0 ? from : from - 1;
    const int ring = threads_ + 1;
    ring_[static_cast<std::size_t>(ring - 1)].copy(sizes_, state);
    for (int n = 0; n < rows; ++n) progress_[static_cast<std::size_t>(n)].store(0);
    std::atomic<int> next{0};
    runtime::parallel_for(threads_, [&](int t) {
      for (int n = next++; n < rows; n = next++) {
        const State& before = ring_[static_cast<std::size_t>((n + ring - 1) % ring)];
        State& now = ring_[static_cast<std::size_t>(n % ring)];
        const int y = first + n * step;
        const bool has_before = y - step >= 0 && y - step < sizes_.height;
        row(y, has_before ? y - step : y, step, n, before, now,
            scratch_[static_cast<std::size_t>(t)], goal);
      }
    });
    state.copy(sizes_, ring_[static_cast<std::size_t>((rows - 1) % ring)]);
  }

  void costs(int y, Scratch& s) const {
    CostRow c;
    c.width = sizes_.width;
    c.disparities = sizes_.disparities;
    c.stride = sizes_.stride;
    c.rows_apart_penalty = Text::ROWS_APART_PENALTY;
    c.cost = s.cost.get();
    for (std::size_t part = 0; part < 2; ++part) {
      const bool has = !reversed_[part].empty();
      c.left[part] = has ? (part == 0 ? left_.low : left_.high).row(y) : nullptr;
      for (int k = 0; k < 5; ++k) {
        const int apart = (k + 1) / 2, other = k % 2 == 1 ? y - apart : y + apart;
        const bool inside =
            apart <= options_.vertical_tolerance && other >= 0 && other < sizes_.height;
        c.right[k][part] = has && inside ? reversed_[part].row(other) : nullptr;
      }
    }
    cost_row(c);
  }

  void row(int y, int y_before, int step, int n, const State& before, State& now, Scratch& s,
           Goal goal) {
    costs(y, s);
    PathRow p;
    p.width = sizes_.width;
    p.disparities = sizes_.disparities;
    p.stride = sizes_.stride;
    p.sums_stride = goal == Goal::states ? 0 : sizes_.sums_stride;
    p.step = step;
    p.paths = sizes_.sweep_paths;
    p.cost = s.cost.get();
    p.brightness = left_.brightness.row(y);
    p.brightness_before = left_.brightness.row(y_before);
    p.jump = jump_.data();
    p.P1 = options_.P1;
    p.before = before.data();
    p.now = now.data();
    p.least_before = before.minima.data();
    p.least_now = now.minima.data();
    p.along = s.along_data();
    for (int turn = 0; turn < 2; ++turn)
      std::fill_n(s.along_data() + turn * sizes_.stride, sizes_.disparities, std::uint8_t{0});
    int least = 0;
    p.along_least = &least;
    p.sums = sums_.get() + (goal == Goal::states ? 0 : static_cast<std::size_t>(y - band_begin_)) *
                               sizes_.sums_row();
    p.add = goal == Goal::winners;
    for (int done = 0; done < sizes_.width; done += kPartOfRow) {
      const int end = std::min(sizes_.width, done + kPartOfRow);
      if (n > 0) wait_for(n - 1, std::min(sizes_.width, end + 1));
      if (step > 0) {
        path_row(p, done, end);
      } else {
        path_row(p, sizes_.width - end, sizes_.width - done);
      }
      progress_[static_cast<std::size_t>(n)].store(end, std::memory_order_release);
      if (threads_ > 1) progress_[static_cast<std::size_t>(n)].notify_all();
    }
    if (goal != Goal::winners) return;
    WinnerRow16 w = s.row;
    w.width = sizes_.width;
    w.disparities = sizes_.disparities;
    w.min_disparity = options_.min_disparity;
    w.sums_stride = sizes_.sums_stride;
    w.sums = p.sums;
    winner_row(w);
    sink_(y, w);
  }

  void wait_for(int n, int pixels) const {
    const auto& done = progress_[static_cast<std::size_t>(n)];
    int now = done.load(std::memory_order_acquire);
    for (int spins = 0; now < pixels; now = done.load(std::memory_order_acquire)) {
      // The other thread may have lost its core: it needs this one.
      if (++spins > 1000) done.wait(now, std::memory_order_acquire);
    }
  }

  const CensusPicture& left_;
  const SgmOptions& options_;
  Sizes sizes_;
  const SgmSink& sink_;
  int band_, threads_, band_begin_ = 0;
  std::array<std::uint8_t, 256> jump_{};
  std::array<Image<std::uint32_t>, 2> reversed_;
  Sums sums_;
  std::vector<std::atomic<int>> progress_;
  std::vector<Scratch> scratch_;
  std::vector<State> ring_;
};

}  // namespace

SgmPlan plan_sgm(int width, int height, const SgmOptions& options, int threads) {
  const Sizes s(width, height, options);
  const auto pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  const std::size_t codes = options.census == Census::full ? 8 : 4;
  const std::size_t state = s.state_bytes + s.minima_bytes;
  // Pictures: smoothed, brightness, codes (the right one's reversed too); maps: steps, confidence
  // and what the filters keep.
  const std::size_t fixed =
      pixels * (2 * (2 + 1 + codes) + 12) +
      (static_cast<std::size_t>(width) + static_cast<std::size_t>(s.stride)) *
          static_cast<std::size_t>(height) * codes +
      static_cast<std::size_t>(threads) *
          (state + static_cast<std::size_t>(width) * static_cast<std::size_t>(s.stride)) +
      3 * state;
  const auto bytes_of = [&](int band) {
    const auto bands = static_cast<std::size_t>((height + band - 1) / band);
    return fixed + static_cast<std::size_t>(band) * s.sums_row() * 2 + (bands - 1) * state;
  };
  SgmPlan plan{height, bytes_of(height)};
  if (options.max_memory == 0 || plan.bytes <= options.max_memory) return plan;
  // The largest band that fits; the states at the ends of small ones take memory too.
  for (int bands = 2; bands <= height; ++bands) {
    const int band = (height + bands - 1) / bands;
    plan = {band, bytes_of(band)};
    if (plan.bytes <= options.max_memory) return plan;
  }
  std::size_t least = bytes_of(height);
  for (int band = 1; band <= height; ++band) least = std::min(least, bytes_of(band));
  throw Error(
      ErrorCode::usage,
      fmt::format("max_memory = {} bytes: {} x {} pixels with {} disparities take at least {}",
                  options.max_memory, width, height, options.disparities, least));
}

void sgm_winners(const CensusPicture& left, const CensusPicture& right, const SgmOptions& options,
                 const SgmPlan& plan, const SgmSink& sink) {
  Matcher(left, right, options, plan, sink).run();
}

}  // namespace bifocal::stereo
