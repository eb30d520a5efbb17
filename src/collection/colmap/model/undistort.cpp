// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/colmap/undistort.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bifocal/camera.hpp>
#include <bifocal/colmap/bundle_adjust.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>
#include <bifocal/rectify.hpp>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <system_error>

#include "collection/colmap/model/photographs.hpp"
#include "collection/colmap/model/undistorted_view.hpp"
#include "io/decode.hpp"
#include "io/reject.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::colmap {
namespace fs = std::filesystem;
using model::undistorted;
using model::undistorted_camera;
using model::UndistortedView;
namespace {

std::string ending_of(const fs::path& name) {
  std::string ending = name.extension().string();
  std::ranges::transform(ending, ending.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}
bool is_jpeg(const fs::path& name) {
  return ending_of(name) == ".jpg" || ending_of(name) == ".jpeg";
}

void check_name(const ModelImage& image) {
  const fs::path name(image.name);
  if (name.empty() || name.is_absolute() || std::ranges::find(name, fs::path("..")) != name.end())
    throw Error(ErrorCode::usage, fmt::format("image {}: the name '{}' is no path below a folder",
                                              image.id, io::printable(image.name)));
}

// A hidden folder inside of the output, removed at the end and by the next call.
class ImageStaging {
 public:
  explicit ImageStaging(const fs::path& folder) : path_(folder / kUndistortedPart) {
    std::error_code failed;
    fs::remove_all(path_, failed);
    fs::create_directories(path_, failed);
    if (failed) io::reject(folder.string(), "can't be written to: {}", failed.message());
  }
  ~ImageStaging() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ImageStaging(const ImageStaging&) = delete;
  ImageStaging& operator=(const ImageStaging&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Writes the undistorted photographs of a model to a folder.
class PhotographWriter {
 public:
  PhotographWriter(const Model& model, fs::path photographs, fs::path out,
                   const UndistortOptions& options)
      : model_(model),
        photographs_(std::move(photographs)),
        out_(std::move(out)),
        options_(options) {
    for (const ModelCamera& camera : model.cameras) {
      UndistortedView view = model::undistorted_view(camera);
      if (view.lens.has_lens())
        view.map = sampling_map(view.lens, view.pinhole, view.width, view.height);
      views_.emplace(camera.id, std::move(view));
    }
    std::set<std::string> names;
    for (const ModelImage& image : model.images)
      if (!names.insert(name_of(image)).second)
        throw Error(ErrorCode::usage, fmt::format("image {}: there are two images for the file {}",
                                                  image.id, name_of(image)));
  }

  // Fills the list of images that can't be read.
  void write_all(std::vector<LeftOut>& left_out) {
    const std::size_t count = model_.images.size();
    std::vector<std::string> reasons(count);
    // Progress is reported after each step, so a step has one or two images of each thread.
    const std::size_t images_of_step = 2 * static_cast<std::size_t>(runtime::thread_count());
    for (std::size_t first = 0; first < count; first += images_of_step) {
      check_cancelled();
      const std::size_t step = std::min(images_of_step, count - first);
      runtime::parallel_each(step, [&](std::size_t i) { write(first + i, reasons[first + i]); });
      if (options_.progress)
        options_.progress(static_cast<std::int64_t>(first + step),
                          static_cast<std::int64_t>(count));
    }
    for (std::size_t i = 0; i < count; ++i)
      if (!reasons[i].empty()) left_out.push_back({model_.images[i].name, reasons[i]});
  }

  [[nodiscard]] const UndistortedView& view(Id camera) const { return views_.at(camera); }
  // Name of the written file.
  [[nodiscard]] std::string name_of(const ModelImage& image) const {
    const bool is_kept = !view(image.camera_id).lens.has_lens() || is_jpeg(image.name) ||
                         ending_of(image.name) == ".png";
    return is_kept ? image.name : image.name + ".png";
  }

 private:
  void write(std::size_t index, std::string& reason) const {
    const ModelImage& image = model_.images[index];
    std::string bytes;
    try {
      bytes = undistorted_file(image, photographs_ / image.name);
    } catch (const Error& e) {
      if (e.code() != ErrorCode::input) throw;
      reason = e.what();
      return;
    }
    const fs::path file = out_ / name_of(image);
    std::error_code failed;
    fs::create_directories(file.parent_path(), failed);
    if (failed)
      io::reject(file.parent_path().string(), "can't be written to: {}", failed.message());
    write_file(file, bytes);
  }

  [[nodiscard]] std::string undistorted_file(const ModelImage& image, const fs::path& file) const {
    const UndistortedView& v = view(image.camera_id);
    std::string bytes = read_file(file, kMaxImageBytes);
    AnyImage photograph;
    if (is_jpeg(image.name))
      photograph.shallow = io::decode_stored_8(bytes, file.string(), kMaxImagePixels);
    else
      photograph = io::decode_stored_image(bytes, file.string(), kMaxImagePixels);
    const auto& [shallow, deep] = photograph;
    const std::string fault = model::size_fault(std::max(shallow.width, deep.width),
                                                std::max(shallow.height, deep.height), 1,
                                                {image.name, v.lens.width(), v.lens.height()});
    if (!fault.empty()) io::reject(file.string(), "{}", fault);
    if (!v.lens.has_lens()) return bytes;
    Queue queue(Device("cpu"));
    const Remapper remapper(queue, v.map);
    if (shallow.empty()) return encode_png(remapper(queue, deep));
    const ImageU8 out = remapper(queue, shallow);
    return is_jpeg(image.name) ? encode_jpeg(out, options_.jpeg_quality) : encode_png(out);
  }

  const Model& model_;
  fs::path photographs_, out_;
  const UndistortOptions& options_;
  std::map<Id, UndistortedView> views_;
};

constexpr double kBorder = -0.5;  // left and upper end of an image, px

// Moves observations to undistorted pixels. Observations that no pinhole sees lose their point.
void move_observations(Model& model, const PhotographWriter& writer, UndistortResult& result) {
  for (ModelImage& image : model.images) {
    const UndistortedView& view = writer.view(image.camera_id);
    if (!view.lens.has_lens()) continue;
    const Intrinsics& K = view.lens.intrinsics();
    for (ModelObservation& o : image.observations) {
      const Vec2 px = undistorted(view.lens, {o.x, o.y});
      const bool is_seen = std::isfinite(px[0]) && std::isfinite(px[1]);
      o.x = is_seen ? px[0] - K.cx + view.pinhole.cx : kBorder;
      o.y = is_seen ? px[1] - K.cy + view.pinhole.cy : kBorder;
      if (o.point_id == kNoPoint) continue;
      const bool is_inside = o.x >= kBorder && o.y >= kBorder && o.x <= view.width + kBorder &&
                             o.y <= view.height + kBorder;
      result.outside += is_seen && !is_inside ? 1 : 0;
      if (!is_seen) o.point_id = kNoPoint;
    }
  }
}

void remove_images(Model& model, const std::vector<LeftOut>& left_out) {
  std::set<std::string> names;
  for (const LeftOut& image : left_out) names.insert(image.name);
  const auto is_gone = [&](const ModelImage& image) { return names.contains(image.name); };
  std::set<std::uint64_t> ids;
  for (const ModelImage& image : model.images)
    if (is_gone(image)) ids.insert(image.id);
  std::erase_if(model.images, is_gone);
  for (ModelFrame& frame : model.frames)
    std::erase_if(frame.data, [&](const FrameData& data) {
      return data.sensor.type == SensorType::camera && ids.contains(data.id);
    });
  std::erase_if(model.frames, [](const ModelFrame& frame) { return frame.data.empty(); });
}

// Removes observations that are no longer there from the tracks, and points that have fewer than
// two.
void update_tracks(Model& model) {
  std::map<Id, ModelImage*> images;
  for (ModelImage& image : model.images) images.emplace(image.id, &image);
  const auto is_gone = [&](const ModelPoint& point, const TrackElement& e) {
    const auto image = images.find(e.image_id);
    return image == images.end() || image->second->observations[e.observation].point_id != point.id;
  };
  for (ModelPoint& point : model.points) {
    std::erase_if(point.track, [&](const TrackElement& e) { return is_gone(point, e); });
    if (point.track.size() >= 2) continue;
    for (const TrackElement& e : point.track)
      images.at(e.image_id)->observations[e.observation].point_id = kNoPoint;
    point.track.clear();
  }
  std::erase_if(model.points, [](const ModelPoint& point) { return point.track.empty(); });
}

Model undistorted_model(const Model& model, const PhotographWriter& writer,
                        UndistortResult& result) {
  Model out = model;
  remove_images(out, result.left_out);
  move_observations(out, writer, result);
  update_tracks(out);
  for (ModelImage& image : out.images) image.name = writer.name_of(image);
  for (ModelCamera& camera : out.cameras)
    camera = undistorted_camera(camera, writer.view(camera.id));
  set_point_errors(out);
  return out;
}

// Returns the matches along the tracks, from each marked image to the next of the track.
std::vector<model::PhotographPair> pairs_of_tracks(const Model& model,
                                                   const std::vector<bool>& marked) {
  std::map<Id, std::size_t> places;
  for (std::size_t i = 0; i < model.images.size(); ++i) places.emplace(model.images[i].id, i);
  std::map<std::pair<std::size_t, std::size_t>, model::PhotographPair> pairs;
  for (const ModelPoint& point : model.points)
    for (std::size_t k = 1; k < point.track.size(); ++k) {
      const TrackElement &a = point.track[k - 1], &b = point.track[k];
      const std::size_t i = places.at(a.image_id), j = places.at(b.image_id);
      if (i == j || (!marked[i] && !marked[j])) continue;
      const ModelObservation &p = model.images[i].observations[a.observation],
                             &q = model.images[j].observations[b.observation];
      model::PhotographPair& pair = pairs[{i, j}];
      pair.image1 = i, pair.image2 = j;
      pair.points.push_back({p.x, p.y, q.x, q.y});
    }
  std::vector<model::PhotographPair> all;
  for (auto& [images, pair] : pairs) all.push_back(std::move(pair));
  return all;
}

void check_photographs_of(const Model& model, const fs::path& photographs) {
  std::map<Id, const ModelCamera*> cameras;
  for (const ModelCamera& camera : model.cameras) cameras.emplace(camera.id, &camera);
  std::vector<model::PhotographOfImage> images;
  for (const ModelImage& image : model.images) {
    const ModelCamera& camera = *cameras.at(image.camera_id);
    images.push_back({image.name, camera.width, camera.height});
  }
  model::check_photographs(photographs, images, [&](const std::vector<bool>& marked) {
    return pairs_of_tracks(model, marked);
  });
}

// Moves all files below `from` to the same places below `to`.
void move_images(const fs::path& from, const fs::path& to) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(from)) {
    const fs::path place = to / entry.path().lexically_relative(from);
    std::error_code failed;
    if (entry.is_directory()) continue;
    fs::create_directories(place.parent_path(), failed);
    if (!failed) fs::rename(entry.path(), place, failed);
    if (failed) io::reject(place.string(), "can't be written: {}", failed.message());
  }
}

bool is_inside(const fs::path& folder, const fs::path& of) {
  std::error_code ignored;
  const auto plain = [&](const fs::path& path) {
    const fs::path full = fs::weakly_canonical(path, ignored);
    return full.filename().empty() ? full.parent_path() : full;
  };
  const fs::path inner = plain(folder), outer = plain(of);
  return std::ranges::mismatch(outer, inner).in1 == outer.end();
}

}  // namespace

void check_undistorted_folder(const fs::path& photographs, std::span<const std::string> names,
                              const fs::path& out, bool overwrite) {
  std::error_code ignored;
  if (!fs::is_directory(photographs, ignored))
    io::reject(photographs.string(), "is no folder of photographs");
  if (fs::exists(out, ignored) && !fs::is_directory(out, ignored))
    io::reject(out.string(), "is a file, no folder for undistorted images");
  if (is_inside(photographs, out / "images") || is_inside(out / "images", photographs))
    throw Error(ErrorCode::usage,
                fmt::format("{}: undistorted images would be among the photographs of {}; choose "
                            "another folder",
                            (out / "images").string(), photographs.string()));
  check_model_folder(out / "sparse" / "0", overwrite);
  for (const std::string& name : names)
    for (const fs::path& file : {out / "images" / name, out / "images" / (name + ".png")}) {
      require_file_place(file);
      require_no_input(file, std::array{photographs / name});
      require_free(file, overwrite);
    }
}

UndistortResult undistort_model(const Model& model, const fs::path& photographs,
                                const fs::path& out, const UndistortOptions& options) {
  check_options(options);
  check_model(model);
  for (const ModelImage& image : model.images) check_name(image);
  std::vector<std::string> names;
  for (const ModelImage& image : model.images) names.push_back(image.name);
  check_undistorted_folder(photographs, names, out, options.overwrite);
  check_photographs_of(model, photographs);
  const ImageStaging staging(out);
  UndistortResult result;
  PhotographWriter writer(model, photographs, staging.path() / "images", options);
  writer.write_all(result.left_out);
  if (!model.images.empty() && result.left_out.size() == model.images.size())
    throw Error(ErrorCode::input, fmt::format("no photograph of the model can be read: {}",
                                              result.left_out.front().reason));
  result.model = undistorted_model(model, writer, result);
  if (fs::exists(staging.path() / "images")) move_images(staging.path() / "images", out / "images");
  write_model(out / "sparse" / "0", result.model, ModelFormat::binary, options.overwrite);
  return result;
}

}  // namespace bifocal::colmap
