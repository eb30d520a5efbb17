// SPDX-License-Identifier: BSD-3-Clause
// Detects or reads the features of photographs. While devices detect, the next photographs are read
// and decoded, and earlier results are written.
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>

#include <algorithm>
#include <cmath>
#include <future>

#include "collection/collect/given.hpp"
#include "collection/collect/masks.hpp"
#include "collection/collect/resident.hpp"
#include "collection/collect/stages.hpp"
#include "features/any_detector.hpp"
#include "io/decode.hpp"
#include "runtime/parallel.hpp"
#include "runtime/pipeline.hpp"

namespace bifocal::collection {
namespace {

constexpr int kMostAtOnce = 16, kFewOnCpu = 4;
constexpr const char* kMosaic =
    "looks like an orthomosaic: unlike the others it has neither a camera nor a position in EXIF, "
    "and other proportions";
constexpr std::size_t kExtraBatches = 2;  // batches: one in reading, one in writing

// A photograph between file and database.
struct Loaded {
  PhotographRow row;
  std::string bytes, mask_bytes;
  ReducedImage reduced;
  ImageU8 mask;  // empty without a mask
  ImageFeatures features;
  std::optional<DescriptorKind> kind;  // of given features
};
using Batch = std::vector<Loaded>;

// Marks a photograph as left out. The reason names it as the database does, independent of
// the folder's path.
void leave_out(Loaded& loaded, const std::string& reason) {
  const std::string file = loaded.row.file.string();
  loaded.row.state = PhotographState::left_out;
  loaded.row.reason =
      reason.starts_with(file) ? loaded.row.name + reason.substr(file.size()) : reason;
  loaded.bytes.clear();
  loaded.reduced = {};
}

bool all_on_cpu(const Job& job) {
  return std::ranges::all_of(job.devices.devices(),
                             [](const Device& d) { return d.info().kind == DeviceKind::cpu; });
}

class Loader {
 public:
  Loader(const Job& job, std::vector<PhotographRow> waiting)
      : job_(job),
        waiting_(std::move(waiting)),
        most_(all_on_cpu(job) ? std::clamp(runtime::thread_count(), kFewOnCpu, kMostAtOnce)
                              : kMostAtOnce),
        most_pixels_(host_memory(job) / 4 /
                     static_cast<std::int64_t>(job.devices.devices().size() + kExtraBatches) /
                     kBytesOfDecoding) {}

  // Reads and decodes the next batch; returns false at the end.
  bool next(Batch& batch) {
    batch.clear();
    std::int64_t pixels = 0;
    while (next_ < waiting_.size() && std::ssize(batch) < most_) {
      if (!held_) held_ = load(waiting_[next_]);
      const std::int64_t own = io::claimed_pixels(held_->bytes);
      if (!batch.empty() && pixels + own > most_pixels_) break;
      pixels += own;
      batch.push_back(std::move(*held_));
      held_.reset();
      ++next_;
    }
    runtime::parallel_each(batch.size(), [&](std::size_t i) { decode(batch[i]); });
    return !batch.empty();
  }

 private:
  [[nodiscard]] Loaded load(PhotographRow row) const {
    Loaded loaded;
    loaded.row = std::move(row);
    try {
      loaded.bytes = read_file(loaded.row.file, kMaxImageBytes);
      if (!loaded.row.mask.empty()) loaded.mask_bytes = read_file(loaded.row.mask, kMaxImageBytes);
      if (job_.mosaics.contains(loaded.row.name)) {
        loaded.row.content = content_of(loaded.bytes, loaded.mask_bytes);
        leave_out(loaded, kMosaic);
      }
    } catch (const Error& e) {
      leave_out(loaded, e.what());
    }
    return loaded;
  }

  // Decodes the whole photograph even if features are given: a damaged photograph is useless for
  // reconstruction from the database.
  void decode(Loaded& loaded) const {
    if (loaded.row.state == PhotographState::left_out) return;
    loaded.row.content = content_of(loaded.bytes, loaded.mask_bytes);
    try {
      Photograph photograph = decode_photograph(loaded.bytes, loaded.row.name);
      loaded.row.info = photograph.info;
      const int side = job_.options.max_side;
      if (job_.options.given.source.empty())
        loaded.reduced = reduce_to(std::move(photograph.grey), side > 0 ? side : kMaxSiftSide);
      std::string().swap(loaded.bytes);
      if (!loaded.row.mask.empty()) decode_mask(loaded);
    } catch (const Error& e) {
      leave_out(loaded, e.what());
    }
  }

  static void decode_mask(Loaded& loaded) {
    const std::string name = loaded.row.mask.string();
    loaded.mask = io::decode_mask(loaded.mask_bytes, name, kMaxImagePixels);
    std::string().swap(loaded.mask_bytes);
    const PhotographInfo& info = loaded.row.info;
    if (loaded.mask.width != info.width || loaded.mask.height != info.height)
      io::reject(name, "has {} x {} px, its photograph has {} x {}", loaded.mask.width,
                 loaded.mask.height, info.width, info.height);
  }

  const Job& job_;
  std::vector<PhotographRow> waiting_;
  const int most_;
  const std::int64_t most_pixels_;
  std::size_t next_ = 0;
  std::optional<Loaded> held_;  // already read, but too large for the last batch
};

class Detector {
 public:
  // Creates the first queue on a separate thread, so that the device starts while the first
  // photographs are decoded.
  Detector(const Job& job, const Device& device)
      : job_(job),
        kept_(job.kept_on(device)),
        needs_host_(needs_features_on_host(job)),
        starting_(std::async(std::launch::async, [device] { return Queue(device); })),
        memory_(std::min(memory_of_detector(job, device), device.info().memory) -
                (kept_ ? kept_->bytes() : 0)) {}

  void run(Batch& batch) {
    if (starting_.valid()) queue_.emplace(starting_.get());
    for (std::size_t first = 0; first < batch.size();) {
      const ImageU8& image = batch[first].reduced.image;
      std::size_t end = first + 1;
      while (end < batch.size() && batch[end].mask.empty() && batch[first].mask.empty() &&
             batch[end].reduced.image.width == image.width &&
             batch[end].reduced.image.height == image.height)
        ++end;
      if (!image.empty()) detect(std::span(batch).subspan(first, end - first));
      first = end;
    }
  }

 private:
  // Detects the features of images of equal size: one image with a mask, or several
  // images without masks.
  void detect(std::span<Loaded> photographs) {
    while (!photographs.empty()) {
      std::vector<Features> found;
      try {
        features::AnyDetector& detector = prepared_for(photographs[0]);
        std::vector<AnyImageView> images;
        for (const Loaded& p : photographs.first(std::min(at_once_, photographs.size())))
          images.emplace_back(p.reduced.image);
        found = detector(images);
      } catch (const Error& e) {
        if (e.code() == ErrorCode::device) throw;
        for (Loaded& p : photographs) leave_out(p, e.what());  // too large for any detector
        return;
      }
      const std::span<Loaded> done = photographs.first(found.size());
      runtime::parallel_each(done.size(), [&](std::size_t i) { take(done[i], found[i]); });
      keep(done);
      photographs = photographs.subspan(done.size());
    }
  }

  features::AnyDetector& prepared_for(const Loaded& p) {
    features::AnyDetector& detector = of_size(p.reduced.image.width, p.reduced.image.height);
    if (!mask_.empty() || !p.mask.empty())
      detector.set_mask(mask_ = reduced_mask(p.mask, p.reduced));
    return detector;
  }

  // Stores features in pixels of the file, in the format of the database.
  void take(Loaded& p, Features& found) const {
    for (Keypoint& k : found.keypoints) enlarge(k, p.reduced);
    if (is_filtered(p)) leave_out_masked(p.mask, found);
    p.features.keypoints = colmap::keypoints_of(found);
    if (job_.options.surf) {
      p.features.own_descriptors = std::move(found.descriptors);
    } else {
      p.features.descriptors = colmap::descriptors_of(found.descriptors);
    }
    p.row.features = found.size();
    p.row.state = PhotographState::done;
  }

  // Keeps the features of the detector's last images for the next stages, on the device if
  // possible.
  void keep(std::span<Loaded> photographs) {
    const FeatureSet* const found = detector_->found();
    for (std::size_t i = 0; kept_ && i < photographs.size(); ++i) {
      const Loaded& p = photographs[i];
      if (found && is_filtered(p)) continue;
      kept_->add(*queue_, p.row.number, stored_keypoints(p.features), descriptors_of(p.features),
                 found, static_cast<int>(i), !job_.options.surf);
    }
    runtime::parallel_each(photographs.size(), [&](std::size_t i) {
      Loaded& p = photographs[i];
      p.reduced = {};
      if (needs_host_ || !kept_ || !kept_->has(p.row.number))
        job_.found->add(p.row.number, p.features);
    });
  }

  // Returns whether features of a reduced photograph are left out by its mask.
  static bool is_filtered(const Loaded& p) { return is_reduced(p.reduced) && !p.mask.empty(); }

  static bool is_reduced(const ReducedImage& r) { return r.scale_x != 1 || r.scale_y != 1; }

  static void enlarge(Keypoint& k, const ReducedImage& reduced) {
    if (!is_reduced(reduced)) return;
    k.x = static_cast<float>((k.x + 0.5) * reduced.scale_x - 0.5);
    k.y = static_cast<float>((k.y + 0.5) * reduced.scale_y - 0.5);
    k.sigma *= static_cast<float>(std::sqrt(reduced.scale_x * reduced.scale_y));
  }

  features::AnyDetector& of_size(int width, int height) {
    if (!detector_ || width != width_ || height != height_) {
      detector_.reset();  // frees its memory before the allocation below
      mask_ = {};
      const features::Choice choice{job_.options.sift, job_.options.surf};
      const DeviceKind kind = queue_->device().info().kind;
      const std::int64_t batches = kind == DeviceKind::cpu ? 1 : 2;  // in memory at a time
      const std::int64_t bytes = batches * choice.bytes_of_pixel(kind) * width * height;
      const std::int64_t places = choice.places(width, height) * kBytesOfFeature;
      const auto fit = [&](std::int64_t each, int most) {
        return std::clamp<std::int64_t>(memory_ / 4 / std::max<std::int64_t>(each, 1), 1, most);
      };
      const std::int64_t least = choice.least_memory(width, height);
      at_once_ = static_cast<std::size_t>(kind == DeviceKind::cpu ? kMostAtOnce
                                                                  : fit(places, kMostAtOnce));
      const std::int64_t left = memory_ - static_cast<std::int64_t>(at_once_) * places;
      detector_.emplace(*queue_, width, height, choice,
                        static_cast<int>(fit(bytes, kMostAtOnce / 2)),
                        static_cast<std::size_t>(std::max(least, left)));
      width_ = width, height_ = height;
    }
    return *detector_;
  }

  const Job& job_;
  KeptFeatures* const kept_;  // may be null
  const bool needs_host_;
  std::future<Queue> starting_;
  std::optional<Queue> queue_;
  std::int64_t memory_;  // of the device, bytes
  std::optional<features::AnyDetector> detector_;
  std::size_t at_once_ = 1;  // images whose features are on the device at a time
  ImageU8 mask_;             // mask set in the detector
  int width_ = 0, height_ = 0;
};

class GivenReader {
 public:
  GivenReader(const Job& job, std::optional<DescriptorKind> kind)
      : source_(job.options.given.source, job.options.given.matches.empty()), kind_(kind) {}

  void read(Batch& batch) {
    for (Loaded& loaded : batch) read(loaded);
  }

 private:
  void read(Loaded& loaded) {
    if (loaded.row.state == PhotographState::left_out) return;
    try {
      const GivenImage given = source_.read(loaded.row.name, loaded.row.info);
      if (!kind_) kind_ = given.kind;
      if (given.kind != *kind_) {
        leave_out(loaded, fmt::format("{}: has descriptors of {}, those before have {}",
                                      loaded.row.name, to_string(given.kind), to_string(*kind_)));
        return;
      }
      loaded.features = rows_of(given);
      loaded.kind = given.kind;
      loaded.row.features = static_cast<int>(given.keypoints.size());
      loaded.row.state = PhotographState::done;
    } catch (const Error& e) {
      if (e.code() != ErrorCode::input) throw;
      leave_out(loaded, e.what());
    }
  }

  // Returns the rows for points of other tools. Only their positions exist. Descriptors are stored
  // only in SIFT's format, because the schema requires it.
  static ImageFeatures rows_of(const GivenImage& given) {
    ImageFeatures rows{{2, {}}, {}, {}};
    for (const Vec2& p : given.keypoints)
      rows.keypoints.data.insert(rows.keypoints.data.end(),
                                 {static_cast<float>(p[0]), static_cast<float>(p[1])});
    if (given.kind == DescriptorKind{kDescriptorBytes, true})
      rows.descriptors = colmap::Descriptors{
          0, kDescriptorBytes, {given.descriptors.begin(), given.descriptors.end()}};
    return rows;
  }

  const GivenSource source_;
  std::optional<DescriptorKind> kind_;  // of the first image
};

std::vector<runtime::PipelineWorker<Batch>> workers_of(const Job& job, const WorkDatabase& work) {
  if (!job.options.given.source.empty()) {
    const auto reader = std::make_shared<GivenReader>(job, work.given());
    return {{0, [reader](Batch& batch) { reader->read(batch); }}};
  }
  std::vector<runtime::PipelineWorker<Batch>> all;
  for (const Device& device : job.devices.devices()) {
    const auto detector = std::make_shared<Detector>(job, device);
    all.push_back({all.size(), [detector](Batch& batch) { detector->run(batch); }});
  }
  return all;
}

// Assigns cameras to the images and writes the rows of the database.
class Writer {
 public:
  Writer(WorkDatabase& work, const CollectCameras& cameras, std::span<const PhotographRow> before)
      : work_(work), cameras_(cameras, work.shares_unknown_cameras()), given_(work.given()) {
    for (const PhotographRow& r : before)
      if (r.state == PhotographState::done) (void)cameras_.of(r.info);
  }
  void write(const Batch& batch) {
    work_.together([&] {
      for (const Loaded& p : batch) write(p);
    });
  }

 private:
  void write(const Loaded& p) {
    if (p.row.state != PhotographState::done) return work_.add(p.row);
    if (!given_ && p.kind) work_.set_given(*p.kind);
    given_ = p.kind;
    const std::size_t known = cameras_.cameras().size();
    const colmap::Id camera = cameras_.of(p.row.info);
    if (cameras_.cameras().size() > known) work_.add(cameras_.cameras().back());
    work_.add(p.row, {image_id(p.row.number), p.row.name, camera}, p.features);
  }

  WorkDatabase& work_;
  CameraBook cameras_;
  std::optional<DescriptorKind> given_;
};

}  // namespace

void find_features(const Job& job, WorkDatabase& work, std::span<const PhotographRow> rows) {
  std::vector<PhotographRow> waiting;
  for (const PhotographRow& r : rows)
    if (r.state == PhotographState::waiting) waiting.push_back(r);
  StageProgress progress(job.options, "features", "photographs", std::ssize(rows),
                         std::ssize(rows) - std::ssize(waiting));
  if (waiting.empty()) return;
  Loader loader(job, std::move(waiting));
  Writer writer(work, job.options.cameras, rows);
  runtime::Pipeline<Batch> pipeline(
      workers_of(job, work), [&](Batch& batch) { return loader.next(batch); }, kExtraBatches);
  while (const Batch* batch = pipeline.next()) {
    writer.write(*batch);
    progress.add(std::ssize(*batch));
  }
}

}  // namespace bifocal::collection
