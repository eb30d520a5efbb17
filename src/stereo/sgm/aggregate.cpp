// SPDX-License-Identifier: BSD-3-Clause
// Twin: sgm_device.cpp (GPUs). Semi-global matching on CPUs.
//
// Two sweeps visit the rows. The downward sweep sums the paths from above and from the left, the
// upward sweep those from below and from the right. Both run concurrently, on half of the threads
// each: the first thread to reach a row sets its sums, the second adds to them and finds the
// winners. The sweeps therefore meet only once, in the middle. The rows of one sweep run on several
// threads, each slightly behind the thread of the preceding row.
// If all sums would take too much memory, the rows are cut into bands. A first upward sweep then
// keeps only the states at the ends of the bands, from which the upward sweep of each band resumes.
// Sums of integers are the same in any order.
#include "stereo/sgm/aggregate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <vector>

#include <bifocal/error.hpp>

#include "runtime/parallel.hpp"
#include "stereo/filter.hpp"
#include "stereo/rules.hpp"
#include "stereo/sgm/aggregate_memory.hpp"
#include "stereo/sgm/aggregate_row.hpp"
#include "stereo/sgm/census.hpp"
#include "stereo/sgm/cost.hpp"

namespace bifocal::stereo {
namespace {

constexpr int kPixelsToReport = 32;  // pixels between two progress reports of a thread
constexpr int kDown = 0, kUp = 1;

// Returns the number of states that a sweep keeps: one per row in progress, and one for the
// preceding row. A thread whose own sweep has ended helps with the opposite sweep.
int ring_size(int threads) { return threads == 1 ? 2 : (threads + 1) / 2 + 2; }

struct alignas(64) Progress {
  std::atomic<int> pixels{0};  // finished pixels of a row
};

// State of one sweep. Rows are numbered in the order in which the sweep visits them.
struct PathSweep {
  int step;                    // image rows per row of the sweep: 1 down, -1 up
  int first = 0;               // image row of row 0
  std::vector<SgmState> ring;  // row n is at n % size; the state before row 0 is at size - 1
  std::vector<Progress> done;

  PathSweep(int step_, const SgmSizes& sizes, int threads)
      : step(step_), done(static_cast<std::size_t>(sizes.height)) {
    for (int i = 0; i < ring_size(threads); ++i) ring.emplace_back(sizes);
  }
  [[nodiscard]] int size() const { return static_cast<int>(ring.size()); }
  [[nodiscard]] SgmState& state(int n) {
    return ring[static_cast<std::size_t>((n + size()) % size())];
  }
  // Makes the state after `rows` rows the state before the next band.
  void start_next_band(int rows) { std::swap(state(rows - 1), ring.back()); }
  [[nodiscard]] std::atomic<int>& pixels(int n) { return done[static_cast<std::size_t>(n)].pixels; }
};

void wait_for(const std::atomic<int>& done, int pixels) {
  int now = done.load(std::memory_order_acquire);
  for (int spins = 0; now < pixels; now = done.load(std::memory_order_acquire)) {
    // Sleeps after 1000 spins, because the awaited thread may have lost its core and need this one.
    if (++spins > 1000) done.wait(now, std::memory_order_acquire);
  }
}

// Counts the rows of a band that have been taken. Both sweeps share one number, so that exactly one
// of two threads that reach the same row is the second. The sweeps cannot deadlock, because each
// takes its rows in order.
class Claims {
 public:
  void clear(int rows) {
    rows_ = rows;
    taken_.store(0, std::memory_order_relaxed);
  }
  struct Row {
    int n;        // row number; the rows of the band or more: none is left
    bool second;  // the opposite sweep has taken the row before
  };
  Row take(int side) {
    const std::uint64_t before = taken_.fetch_add(side == kDown ? 1 : kUpOne);
    const int down = static_cast<int>(before % kUpOne), up = static_cast<int>(before / kUpOne);
    const int n = side == kDown ? down : up, other = side == kDown ? up : down;
    return {n, n >= rows_ - other};
  }

 private:
  static constexpr std::uint64_t kUpOne = std::uint64_t{1} << 32;
  int rows_ = 0;
  std::atomic<std::uint64_t> taken_{0};
};

}  // namespace

class SgmSearch::Work {
 public:
  Work(int width, int height, const SgmOptions& options, const SgmPlan& plan)
      : options_(options),
        sizes_(width, height, options),
        band_(plan.band),
        census_(width, height, width + sizes_.stride, options, plan.threads),
        sums_(sizes_.sums() * static_cast<std::size_t>(plan.band) + kWidestBytes),
        sweeps_{PathSweep{1, sizes_, plan.threads}, PathSweep{-1, sizes_, plan.threads}} {
    for (int g = 0; g < 256; ++g)
      jump_[static_cast<std::size_t>(g)] =
          static_cast<std::uint8_t>(Rules::jump_penalty(options.P2, options.P2_contrast, g));
    for (int t = 0; t < plan.threads; ++t) scratch_.emplace_back(sizes_);
    for (int b = 1; b < bands(); ++b) ends_.emplace_back(sizes_);
  }

  [[nodiscard]] const ImageU8& brightness() const { return census_.brightness(); }

  template <class T>
  void run(ImageView<const T> left, ImageView<const T> right, const SgmSink& sink) {
    threads_ = std::min(runtime::thread_count(), static_cast<int>(scratch_.size()));
    sink_ = &sink;
    census_.run(left, right);
    is_clear_ = census_.is_clear(options_.disparities);
    PathSweep &down = sweeps_[kDown], &up = sweeps_[kUp];
    up.ring.back().clear_all(sizes_);
    for (int b = bands() - 1; b > 0; --b) {
      sweep_states(band_end(b), b * band_);
      ends_[static_cast<std::size_t>(b) - 1].copy(sizes_, up.ring.back());
    }
    down.ring.back().clear_all(sizes_);
    for (int b = 0; b < bands(); ++b) {
      if (b < bands() - 1) {
        up.ring.back().copy(sizes_, ends_[static_cast<std::size_t>(b)]);
      } else {
        up.ring.back().clear_all(sizes_);
      }
      sweep_band(b * band_, band_end(b));
    }
  }

 private:
  enum class Goal { states, sums, winners };

  [[nodiscard]] int bands() const { return (sizes_.height + band_ - 1) / band_; }
  [[nodiscard]] int band_end(int b) const { return std::min(sizes_.height, (b + 1) * band_); }

  void begin(int from, int to) {
    band_begin_ = from;
    claims_.clear(to - from);
    sweeps_[kDown].first = from;
    sweeps_[kUp].first = to - 1;
    for (PathSweep& sweep : sweeps_) {
      for (int n = 0; n < to - from; ++n) sweep.pixels(n).store(0, std::memory_order_relaxed);
    }
  }

  // Cancellation is checked only here, because other threads may wait for a row that has
  // been taken.
  Claims::Row claim(int side) {
    check_cancelled();
    return claims_.take(side);
  }

  // Computes the states of an upward sweep from row `from` - 1 to row `to`.
  void sweep_states(int from, int to) {
    begin(to, from);
    const int rows = from - to;
    const auto work = [&](int worker) {
      for (int n = claim(kUp).n; n < rows; n = claim(kUp).n) row(kUp, n, Goal::states, worker);
    };
    runtime::parallel_for(threads_, std::ref(work));
    sweeps_[kUp].start_next_band(rows);
  }

  // Computes the sums and winners of rows [from, to).
  void sweep_band(int from, int to) {
    begin(from, to);
    const int rows = to - from;
    band_rows_ = rows;
    const auto sweep = [&](int side, int worker) {
      for (auto next = claim(side); next.n < rows; next = claim(side)) {
        row(side, next.n, next.second ? Goal::winners : Goal::sums, worker);
      }
    };
    const auto work = [&](int worker) {
      sweep(worker % 2, worker);
      sweep(other(worker % 2), worker);
    };
    runtime::parallel_for(threads_, std::ref(work));
    sweeps_[kDown].start_next_band(rows);
  }
  [[nodiscard]] PathSweep& sweep_of(int side) { return sweeps_[static_cast<std::size_t>(side)]; }
  static int other(int side) { return side == kDown ? kUp : kDown; }

  void costs(int y, SgmScratch& s) const {
    CostRow c;
    c.width = sizes_.width;
    c.disparities = sizes_.disparities;
    c.stride = sizes_.stride;
    c.rows_apart_penalty = Rules::ROWS_APART_PENALTY;
    c.cost = s.cost.get();
    for (int part = 0; part < 2; ++part) {
      c.left[part] = census_.left(part, y);
      for (int k = 0; k < 5; ++k) {
        const int apart = (k + 1) / 2, other_y = k % 2 == 1 ? y - apart : y + apart;
        const bool inside =
            apart <= options_.vertical_tolerance && other_y >= 0 && other_y < sizes_.height;
        c.right[k][part] = inside ? census_.right(part, other_y) : nullptr;
      }
    }
    cost_row(c);
  }

  // Processes row n of a sweep.
  void row(int side, int n, Goal goal, int worker) {
    PathSweep& sweep = sweep_of(side);
    SgmScratch& s = scratch_[static_cast<std::size_t>(worker)];
    const int y = sweep.first + n * sweep.step, before = y - sweep.step;
    costs(y, s);
    PathRow p;
    p.width = sizes_.width;
    p.disparities = sizes_.disparities;
    p.stride = sizes_.stride;
    p.sums_stride = goal == Goal::states ? 0 : sizes_.sums_stride;
    p.step = sweep.step;
    p.paths = sizes_.sweep_paths;
    p.cost = s.cost.get();
    p.brightness = census_.brightness().row(y);
    p.brightness_before =
        before >= 0 && before < sizes_.height ? census_.brightness().row(before) : p.brightness;
    p.jump = jump_.data();
    p.P1 = options_.P1;
    p.sums = sums_.get() +
             (goal == Goal::states ? 0 : static_cast<std::size_t>(y - band_begin_) * sizes_.sums());
    p.add = goal == Goal::winners;
    if (p.add) wait_for(sweep_of(other(side)).pixels(band_rows_ - 1 - n), sizes_.width);
    paths(p, sweep, n, s);
    if (goal == Goal::winners) winners(p.sums, y, s);
  }

  void paths(PathRow& p, PathSweep& sweep, int n, SgmScratch& s) {
    // This row's state replaces an older state, which must have been read completely.
    if (n >= sweep.size() - 1) wait_for(sweep.pixels(n - sweep.size() + 1), sizes_.width);
    const SgmState& before = sweep.state(n - 1);
    SgmState& now = sweep.state(n);
    p.before = before.data();
    p.now = now.data();
    p.least_before = before.minima.data();
    p.least_now = now.minima.data();
    p.along = s.along_data();
    for (int buffer = 0; buffer < 2; ++buffer)
      std::fill_n(s.along_data() + buffer * sizes_.stride, sizes_.disparities, std::uint8_t{0});
    s.along_least = 0;
    p.along_least = &s.along_least;
    for (int done = 0; done < sizes_.width; done += kPixelsToReport) {
      const int end = std::min(sizes_.width, done + kPixelsToReport);
      if (n > 0) wait_for(sweep.pixels(n - 1), std::min(sizes_.width, end + 1));
      if (sweep.step > 0) {
        path_row(p, done, end);
      } else {
        path_row(p, sizes_.width - end, sizes_.width - done);
      }
      sweep.pixels(n).store(end, std::memory_order_release);
      if (threads_ > 1) sweep.pixels(n).notify_all();
    }
  }

  void winners(const std::uint16_t* sums, int y, SgmScratch& s) {
    SumsRow w = s.row;
    w.width = sizes_.width;
    w.disparities = sizes_.disparities;
    w.min_disparity = options_.min_disparity;
    w.sums_stride = sizes_.sums_stride;
    w.sums = sums;
    winner_row(w);
    (*sink_)(y, disparity_row(w, is_clear_, options_.filter.uniqueness,
                              options_.paths * options_.P1, s.found));
  }

  SgmOptions options_;
  SgmSizes sizes_;
  int band_, threads_ = 1, band_begin_ = 0, band_rows_ = 0;
  bool is_clear_ = true;
  const SgmSink* sink_ = nullptr;
  std::array<std::uint8_t, 256> jump_{};
  CensusCoder census_;
  SgmSums sums_;
  std::array<PathSweep, 2> sweeps_;
  std::vector<SgmState> ends_;  // initial states of the upward sweep in each band but the last
  std::vector<SgmScratch> scratch_;
  Claims claims_;
};

SgmSearch::SgmSearch(ImageSize size, const SgmOptions& options, const SgmPlan& plan)
    : bytes_(plan.bytes), work_(std::make_unique<Work>(size.width, size.height, options, plan)) {}
SgmSearch::~SgmSearch() = default;

const ImageU8& SgmSearch::brightness() const { return work_->brightness(); }

void SgmSearch::run(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right,
                    const SgmSink& sink) {
  work_->run(left, right, sink);
}
void SgmSearch::run(ImageView<const std::uint16_t> left, ImageView<const std::uint16_t> right,
                    const SgmSink& sink) {
  work_->run(left, right, sink);
}

SgmPlan plan_sgm(ImageSize size, const SgmOptions& options, int threads) {
  const int width = size.width, height = size.height;
  threads = std::min(threads, height);
  const SgmSizes s(width, height, options);
  const auto rows = static_cast<std::size_t>(height);
  const std::size_t state = s.state_bytes();
  const std::size_t fixed =
      PostFilter::bytes(DeviceKind::cpu, size, options.filter, true) +
      rows * static_cast<std::size_t>(width) +  // confidence map
      CensusCoder::bytes(width, height, width + s.stride, options, threads) +
      static_cast<std::size_t>(threads) * s.scratch_bytes() +
      2 * (static_cast<std::size_t>(ring_size(threads)) * state + rows * sizeof(Progress));
  const auto bytes_of = [&](int band) {
    const auto bands = static_cast<std::size_t>((height + band - 1) / band);
    return fixed + static_cast<std::size_t>(band) * s.sums() * 2 + (bands - 1) * state;
  };
  SgmPlan plan{height, threads, bytes_of(height)};
  if (options.max_memory == 0 || plan.bytes <= options.max_memory) return plan;
  // Takes the largest band that fits. Small bands need memory for the states at their ends also.
  for (int bands = 2; bands <= height; ++bands) {
    const int band = (height + bands - 1) / bands;
    plan = {band, threads, bytes_of(band)};
    if (plan.bytes <= options.max_memory) return plan;
  }
  std::size_t least = bytes_of(height);
  for (int band = 1; band <= height; ++band) least = std::min(least, bytes_of(band));
  throw Error(
      ErrorCode::usage,
      fmt::format("max_memory = {} bytes: {} x {} pixels with {} disparities take at least {}",
                  options.max_memory, width, height, options.disparities, least));
}

}  // namespace bifocal::stereo
