// SPDX-License-Identifier: BSD-3-Clause
// Photographs to features: the next ones are read and decoded and the last ones written while the
// device detects.
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>

#include <algorithm>
#include <cmath>
#include <future>

#include "collection/collect/stages.hpp"
#include "features/any_detector.hpp"
#include "io/decode.hpp"
#include "runtime/background.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::collection {
namespace {

constexpr std::int64_t kBytesOfDecoding = 6;  // a pixel: colours and grey, and some of the file
constexpr int kMostAtOnce = 16;

// A photograph on its way.
struct Loaded {
  PhotographRow row;
  std::string bytes;
  ReducedImage reduced;
  Features features;
};
using Batch = std::vector<Loaded>;

void leave_out(Loaded& photograph, const std::string& reason) {
  photograph.row.state = PhotographState::left_out;
  photograph.row.reason = reason;
  photograph.bytes.clear();
  photograph.reduced = {};
}

// Names the photograph as the database does, wherever the folder lies.
std::string of_name(std::string message, const std::string& file, const std::string& name) {
  return message.starts_with(file) ? name + message.substr(file.size()) : message;
}

class Loader {
 public:
  Loader(const Job& job, std::vector<PhotographRow> waiting)
      : job_(job), waiting_(std::move(waiting)) {}

  // The next few, decoded; empty at the end. Any thread may ask.
  Batch next() {
    Batch batch = read();
    runtime::parallel_for(static_cast<int>(batch.size()),
                          [&](int i) { decode(batch[static_cast<std::size_t>(i)]); });
    return batch;
  }

 private:
  Batch read() {
    const std::lock_guard lock(mutex_);
    Batch batch;
    std::int64_t pixels = 0;
    const std::int64_t most = host_memory(job_) / 4 / 2 / kBytesOfDecoding;
    while (next_ < waiting_.size() && batch.size() < kMostAtOnce) {
      if (!held_) held_ = load(waiting_[next_]);
      const std::int64_t own = io::claimed_pixels(held_->bytes);
      if (!batch.empty() && pixels + own > most) break;
      pixels += own;
      batch.push_back(std::move(*held_));
      held_.reset();
      ++next_;
    }
    return batch;
  }

  Loaded load(PhotographRow row) const {
    Loaded loaded{std::move(row), {}, {}, {}};
    const auto& file = job_.photographs.files[static_cast<std::size_t>(loaded.row.number)].file;
    try {
      loaded.bytes = read_file(file, kMaxPictureBytes);
    } catch (const Error& e) {
      leave_out(loaded, of_name(e.what(), file.string(), loaded.row.name));
    }
    return loaded;
  }

  void decode(Loaded& loaded) const {
    if (loaded.row.state == PhotographState::left_out) return;
    try {
      Photograph photograph = decode_photograph(loaded.bytes, loaded.row.name);
      loaded.row.info = photograph.info;
      const int side = job_.options.max_side;
      loaded.reduced = reduce_to(std::move(photograph.grey), side > 0 ? side : kMaxSiftSide);
      std::string().swap(loaded.bytes);
    } catch (const Error& e) {
      leave_out(loaded, e.what());
    }
  }

  const Job& job_;
  std::mutex mutex_;
  std::vector<PhotographRow> waiting_;
  std::size_t next_ = 0;
  std::optional<Loaded> held_;  // read, but too large for the last batch
};

class Detector {
 public:
  Detector(const Job& job, const Device& device)
      : job_(job), queue_(device), max_memory_(memory_of(job, device)) {}

  void run(Batch& batch) {
    for (std::size_t first = 0; first < batch.size();) {
      const ImageU8& image = batch[first].reduced.image;
      std::size_t end = first + 1;
      while (end < batch.size() && batch[end].reduced.image.width == image.width &&
             batch[end].reduced.image.height == image.height)
        ++end;
      if (!image.empty()) detect(std::span(batch).subspan(first, end - first));
      first = end;
    }
  }

 private:
  // Images of one size.
  void detect(std::span<Loaded> photographs) {
    std::vector<PictureView> images;
    for (const Loaded& p : photographs) images.emplace_back(p.reduced.image);
    std::vector<Features> found;
    try {
      found = of_size(images[0].width(), images[0].height())(images);
    } catch (const Error& e) {
      if (e.code() == ErrorCode::device) throw;
      for (Loaded& p : photographs) leave_out(p, e.what());  // too large for any detector
      return;
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      Loaded& p = photographs[i];
      for (Keypoint& k : found[i].keypoints) enlarge(k, p.reduced);
      p.features = std::move(found[i]);
      p.row.features = p.features.size();
      p.row.state = PhotographState::done;
      p.reduced = {};
    }
  }

  static void enlarge(Keypoint& k, const ReducedImage& reduced) {
    if (reduced.scale_x == 1 && reduced.scale_y == 1) return;
    k.x = static_cast<float>((k.x + 0.5) * reduced.scale_x - 0.5);
    k.y = static_cast<float>((k.y + 0.5) * reduced.scale_y - 0.5);
    k.sigma *= static_cast<float>(std::sqrt(reduced.scale_x * reduced.scale_y));
  }

  features::AnyDetector& of_size(int width, int height) {
    if (!detector_ || width != width_ || height != height_) {
      detector_.reset();  // its memory first
      const features::Choice choice{job_.options.sift, job_.options.surf};
      const std::int64_t bytes =  // of two batches in turn
          std::int64_t{2} * choice.bytes_of_pixel() * width * height;
      const std::int64_t fit = max_memory_ / 4 / std::max<std::int64_t>(bytes, 1);
      const int batch = static_cast<int>(std::clamp<std::int64_t>(fit, 1, kMostAtOnce / 2));
      detector_.emplace(queue_, width, height, choice, batch);
      width_ = width, height_ = height;
    }
    return *detector_;
  }

  const Job& job_;
  Queue queue_;
  std::int64_t max_memory_;
  std::optional<features::AnyDetector> detector_;
  int width_ = 0, height_ = 0;
};

}  // namespace

void find_features(const Job& job) {
  WorkFile work(job.work_file, WorkFile::Mode::open);
  std::vector<PhotographRow> rows = work.photographs();
  const auto all = static_cast<std::int64_t>(rows.size());
  std::erase_if(rows, [](const PhotographRow& r) { return r.state != PhotographState::waiting; });
  const auto before = all - static_cast<std::int64_t>(rows.size());
  StageProgress progress(job.options, "features", "photographs", all, before);
  if (rows.empty()) return;
  Loader loader(job, std::move(rows));
  runtime::Background writer(1);
  const auto load = [&] { return std::async(std::launch::async, [&] { return loader.next(); }); };
  DeviceTeam team(job.devices);
  team.run([&](const Device& device) {
    Detector detector(job, device);
    for (auto next = load(); !team.has_failed();) {
      auto batch = std::make_shared<Batch>(next.get());
      if (batch->empty()) break;
      next = load();
      detector.run(*batch);
      writer.run([&work, batch] {
        work.together([&] {
          for (const Loaded& p : *batch) work.finish(p.row, p.features);
        });
      });
      progress.add(static_cast<std::int64_t>(batch->size()));
    }
  });
  writer.finish();
}

}  // namespace bifocal::collection
