// SPDX-License-Identifier: BSD-3-Clause
#include "collection/colmap/pipeline.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "collection/colmap/decide.hpp"
#include "collection/colmap/thread_name.hpp"
#include "runtime/cancel.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::colmap {
namespace {

// Pieces that are decided at the same time. One alone leaves most of a GPU idle, and its copies all
// of it.
constexpr std::size_t kPiecesOnGpu = 6;
constexpr std::chrono::milliseconds kBetweenQuestions(20);  // whether the caller wants it to end
// Besides those that are decided: one is read, one is written, and for each device one waits; where
// devices differ, for the slowest one too.
std::size_t pieces_beside(const DeviceSet& devices) {
  return 3 + devices.devices().size() + (devices.is_mixed() ? 16 : 0);
}

void set_geometries(Piece& piece) {
  const Chunk& chunk = piece.chunk;
  piece.geometries.resize(chunk.pairs.size());
  runtime::parallel_for(static_cast<int>(chunk.pairs.size()), [&](int pair) {
    const auto k = static_cast<std::size_t>(pair);
    const DecidedPair& from = piece.decided.pairs[k];
    TwoViewGeometry& g = piece.geometries[k];
    g.configuration = from.configuration;
    g.F = from.F, g.E = from.E, g.H = from.H;
    g.cam2_from_cam1 = from.cam2_from_cam1;
    g.inliers.clear();
    g.inliers.reserve(static_cast<std::size_t>(from.inlier_count));
    for (auto i = static_cast<std::size_t>(chunk.offsets[k]);
         i < static_cast<std::size_t>(chunk.offsets[k + 1]); ++i)
      if (piece.decided.inliers[i]) g.inliers.push_back(chunk.matches[i]);
  });
}

// Decides one piece after another.
class Lane {
 public:
  // `number`: the place of the device in the set.
  Lane(const Device& device, std::size_t number)
      : queue_(device), decider_(queue_), device_(number) {}
  [[nodiscard]] std::size_t device() const { return device_; }

  void decide(Piece& piece, const VerifyOptions& options) {
    const Chunk& chunk = piece.chunk;
    points_.gather(chunk);
    piece.decided = decider_.decide(
        {points_.points(), points_.undistorted(), chunk.offsets, chunk.cameras1, chunk.cameras2},
        options);
    set_geometries(piece);
    piece.device = device_;
  }

 private:
  Queue queue_;
  ChunkPoints points_;
  BatchDecider decider_;
  std::size_t device_;
};

class Pipeline {
 public:
  Pipeline(const DeviceSet& devices, ChunkReader& reader, const VerifyOptions& options)
      : reader_(reader), options_(options) {
    for (const Device& device : devices.devices()) {
      const std::size_t lanes = device.info().kind == DeviceKind::cpu ? 1 : kPiecesOnGpu;
      for (std::size_t k = 0; k < lanes; ++k) lanes_.emplace_back(device, most_.size());
      most_.push_back(lanes);
      busy_.push_back(0);
    }
    works_.resize(lanes_.size() + pieces_beside(devices));
    for (Work& work : works_) free_.push_back(&work);
    const auto start = [this](const char* name, const auto& body) {
      threads_.emplace_back([this, name, body] {
        name_thread(name);
        const runtime::CancelledBy scope(scope_);
        body();
      });
    };
    start("read", [this] { read(); });
    for (Lane& lane : lanes_) start("decide", [this, &lane] { decide(lane); });
  }
  ~Pipeline() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  // The next piece in their order, decided; null after the last one. It stays until the next call.
  const Piece* next() {
    std::unique_lock lock(mutex_);
    if (given_) free_.push_back(std::exchange(given_, nullptr));
    changed_.notify_all();
    while (!decided_.contains(written_)) {
      if (!scope_) {
        changed_.wait(lock);
        continue;
      }
      changed_.wait_for(lock, kBetweenQuestions);
      lock.unlock();
      check_cancelled();
      lock.lock();
    }
    Work* work = decided_.extract(written_).mapped();
    if (work->failure) std::rethrow_exception(work->failure);
    if (work->piece.chunk.is_end()) return nullptr;
    ++written_;
    given_ = work;
    return &work->piece;
  }

 private:
  struct Work {
    std::size_t number = 0;
    Piece piece;
    std::exception_ptr failure;
  };

  void read() {
    for (std::size_t number = 0;; ++number) {
      Work* work = take(free_);
      if (!work) return;
      work->number = number;
      try {
        reader_.next(work->piece.chunk);
      } catch (...) {
        work->failure = std::current_exception();
      }
      const bool is_last = work->failure || work->piece.chunk.is_end();
      give(work, is_last);
      if (is_last) return;
    }
  }

  void decide(Lane& lane) {
    while (Work* work = take_read(lane.device())) {
      try {
        lane.decide(work->piece, options_);
      } catch (...) {
        work->failure = std::current_exception();
      }
      {
        const std::lock_guard lock(mutex_);
        --busy_[lane.device()];
      }
      give(work, true);
    }
  }

  // Null when the work is to end.
  Work* take(std::deque<Work*>& from) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stop_ || !from.empty(); });
    return stop_ ? nullptr : pop(from);
  }
  Work* take_read(std::size_t device) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stop_ || (!read_.empty() && is_next(device)); });
    if (stop_) return nullptr;
    ++busy_[device];
    changed_.notify_all();  // now it may be another one's turn
    return pop(read_);
  }
  static Work* pop(std::deque<Work*>& from) {
    Work* work = from.front();
    from.pop_front();
    return work;
  }
  // Few pieces go to as many devices as there are.
  [[nodiscard]] bool is_next(std::size_t device) const {
    for (std::size_t d = 0; d < busy_.size(); ++d)
      if (busy_[d] < most_[d] && busy_[d] < busy_[device]) return false;
    return true;
  }

  void give(Work* work, bool is_decided) {
    {
      const std::lock_guard lock(mutex_);
      if (is_decided)
        decided_.emplace(work->number, work);
      else
        read_.push_back(work);
    }
    changed_.notify_all();
  }

  ChunkReader& reader_;
  const VerifyOptions& options_;
  CancelScope::State* const scope_ = runtime::cancel_state();  // of the caller's thread
  std::deque<Lane> lanes_;
  std::deque<Work> works_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work*> free_, read_;
  std::vector<std::size_t> most_, busy_;  // of each device: pieces that it decides at a time, now
  std::map<std::size_t, Work*> decided_;  // by number
  Work* given_ = nullptr;
  std::size_t written_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace

void run_pipeline(const DeviceSet& devices, ChunkReader& reader, const VerifyOptions& options,
                  const PieceWriter& write, VerifyProgress& progress,
                  const std::function<bool(const VerifyProgress&)>& report) {
  progress.by_device.assign(devices.devices().size(), 0);
  if (report && !report(progress)) return;
  OddRows odd_rows;
  odd_rows.add(progress.odd_rows);
  Pipeline pipeline(devices, reader, options);
  while (const Piece* piece = pipeline.next()) {
    write(*piece);
    const auto pairs = static_cast<std::int64_t>(piece->chunk.pairs.size());
    progress.done += pairs;
    progress.by_device[piece->device] += pairs;
    progress.left_out += static_cast<std::int64_t>(piece->chunk.left_out.size());
    if (!piece->chunk.odd_rows.rows().empty()) {
      odd_rows.add(piece->chunk.odd_rows.rows());
      progress.odd_rows = odd_rows.rows();
    }
    for (const DecidedPair& pair : piece->decided.pairs) {
      ++progress.configurations[static_cast<std::size_t>(pair.configuration)];
      progress.inliers += pair.inlier_count;
    }
    if (report && !report(progress)) return;
  }
}

}  // namespace bifocal::colmap
