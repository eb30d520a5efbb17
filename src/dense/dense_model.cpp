// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <bifocal/colmap/model.hpp>
#include <bifocal/dense.hpp>
#include <bifocal/io.hpp>
#include <bifocal/version.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include "collection/colmap/model/photographs.hpp"
#include "dense/engine.hpp"
#include "dense/map_files.hpp"
#include "dense/patch_match.hpp"
#include "io/decode.hpp"
#include "io/file_descriptor.hpp"
#include "io/regular_file.hpp"
#include "io/reject.hpp"
#include "dense/cloud_writer.hpp"
#include "dense/photographs.hpp"
#include "runtime/hash.hpp"

namespace bifocal {
namespace fs = std::filesystem;
namespace dense {
namespace {

constexpr const char* kWork = ".dense";
constexpr const char* kCloud = "fused.ply";

// Folder of the cameras, and the files of an image.
fs::path cameras_folder(DenseMaps maps) { return maps == DenseMaps::colmap ? "sparse" : "cameras"; }
std::vector<fs::path> files_of(DenseMaps maps, const std::string& name) {
  if (maps == DenseMaps::npz) return {fs::path("depth") / (name + ".npz")};
  if (maps == DenseMaps::none) return {};
  const std::string file = name + ".geometric.bin";
  return {fs::path("stereo/depth_maps") / file, fs::path("stereo/normal_maps") / file,
          fs::path("images") / name};
}
// Lists of images in COLMAP's workspace.
std::vector<fs::path> lists_of(DenseMaps maps) {
  if (maps != DenseMaps::colmap) return {};
  return {"stereo/fusion.cfg", "stereo/patch-match.cfg"};
}

void check_files(const DenseFiles& files, const colmap::Model& model) {
  std::error_code ignored;
  if (!fs::is_directory(files.photographs, ignored))
    io::reject(files.photographs.string(), "is no folder of photographs");
  if (fs::exists(files.out, ignored) && !fs::is_directory(files.out, ignored))
    io::reject(files.out.string(), "is a file, no folder for depth maps");
  std::set<std::string> names;
  for (const colmap::ModelImage& image : model.images) {
    const fs::path name(image.name);
    if (!name.has_filename() || name.is_absolute() || name != name.lexically_normal() ||
        *name.begin() == fs::path("..") || *name.begin() == fs::path("."))
      throw Error(ErrorCode::usage, fmt::format("image {}: the name '{}' is no path below a folder",
                                                image.id, io::printable(image.name)));
    if (!names.insert(image.name).second)
      throw Error(ErrorCode::usage, fmt::format("image {}: there are two images with the name {}",
                                                image.id, image.name));
  }
  if (files.maps != DenseMaps::none)
    require_no_input(files.out / cameras_folder(files.maps), std::array{files.model});
  check_dense_folder(files, std::vector<std::string>(names.begin(), names.end()));
}

// Views and points of a model, in its order.
struct DenseScene {
  std::vector<Placed> views;
  std::vector<DensePoint> points;
};
DenseScene scene_of(const colmap::Model& model, const DensePhotographs& photographs) {
  DenseScene scene;
  std::map<colmap::Id, int> places;
  for (const colmap::ModelImage& image : model.images) {
    places.emplace(image.id, static_cast<int>(scene.views.size()));
    const colmap::ModelCamera& c = photographs.camera(image.camera_id);
    scene.views.push_back({{c.params[0], c.params[1], c.params[2], c.params[3]},
                           colmap::pose_of(image.cam_from_world),
                           {static_cast<int>(c.width), static_cast<int>(c.height)}});
  }
  for (const colmap::ModelPoint& point : model.points) {
    DensePoint out{point.xyz, {}, point.error};
    for (const colmap::TrackElement& e : point.track) out.views.push_back(places.at(e.image_id));
    std::ranges::sort(out.views);
    out.views.erase(std::ranges::unique(out.views).begin(), out.views.end());
    scene.points.push_back(std::move(out));
  }
  return scene;
}

// Everything on which planes depend: the photographs, their cameras, and the plan.
std::string key_of(const DenseFiles& files, const colmap::Model& model,
                   std::span<const PlannedView> plan, const std::string& device) {
  std::string text = fmt::format("{} {} {}\n", BIFOCAL_VERSION, device, files.dense.max_size);
  const auto add = [&](auto v) { text.append(reinterpret_cast<const char*>(&v), sizeof v); };
  for (const colmap::ModelCamera& camera :
       model.cameras) {  // lenses, which undistorted cameras lack
    add(camera.id), add(camera.model);
    for (const double v : camera.params) add(v);
  }
  for (std::size_t i = 0; i < plan.size(); ++i) {
    std::error_code none;
    const fs::path file = files.photographs / model.images[i].name;
    text += model.images[i].name;
    add(model.images[i].camera_id);
    add(fs::file_size(file, none));
    add(fs::last_write_time(file, none).time_since_epoch().count());
    const PlannedView& view = plan[i];
    add(view.placed.shape);
    add(view.placed.camera);
    add(view.placed.cam_from_world);
    for (const double v : {view.farthest, view.nearest, view.error_px}) add(v);
    for (const int source : view.sources) add(source);
  }
  return runtime::content_hash(text);
}

// Work that is not complete, in a hidden folder of the output.
class Work {
 public:
  Work(const fs::path& out, const std::string& key, std::span<const PlannedView> plan)
      : folder_(out / kWork), planes_(folder_ / key) {
    std::error_code failed;
    fs::create_directories(folder_, failed);
    lock(out);
    if (!fs::exists(planes_, failed)) {  // of other work
      std::vector<fs::path> others;
      for (const fs::directory_entry& other : fs::directory_iterator(folder_, failed))
        others.push_back(other.path());
      for (const fs::path& other : others) fs::remove_all(other, failed);
    }
    fs::create_directories(planes_, failed);
    if (failed) io::reject(out.string(), "can't be written to: {}", failed.message());
    fs::remove_all(staged(), failed);
    for (const PlannedView& view : plan) sizes_.push_back(kPlaneArrays * view.placed.shape.size());
  }

  [[nodiscard]] fs::path staged() const { return folder_ / "staged"; }
  [[nodiscard]] bool has_planes(int view, int pass) const {
    std::error_code none;
    const std::uintmax_t bytes = fs::file_size(file(view, pass), none);
    return !none && bytes == sizes_[static_cast<std::size_t>(view)] * sizeof(float);
  }
  void write_planes(int view, int pass, std::span<const float> planes) const {
    write_file(file(view, pass),
               {reinterpret_cast<const char*>(planes.data()), planes.size_bytes()});
  }
  void read_planes(int view, int pass, std::span<float> planes) const {
    io::read_all(file(view, pass), {reinterpret_cast<char*>(planes.data()), planes.size_bytes()});
  }
  // Moves the staged files to their places and removes the folder.
  void commit(const fs::path& out, const fs::path& cameras) const {
    std::vector<fs::path> names;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(staged()))
      if (!entry.is_directory()) names.push_back(entry.path().lexically_relative(staged()));
    for (const fs::path& name : names) {
      const fs::path place = out / name;
      std::error_code failed;
      fs::create_directories(place.parent_path(), failed);
      if (!failed) fs::rename(staged() / name, place, failed);
      if (failed) io::reject(place.string(), "can't be written: {}", failed.message());
    }
    if (std::ranges::find(names, cameras / "cameras.bin") != names.end())
      for (const std::string& old : colmap::model_file_names())  // of a replaced model
        if (std::error_code none; std::ranges::find(names, cameras / old) == names.end())
          fs::remove(out / cameras / old, none);
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

 private:
  [[nodiscard]] fs::path file(int view, int pass) const {
    return planes_ / fmt::format("{}-{}", view, pass);
  }

  // Two runs with one folder would remove each other's files. The lock ends with the process.
  void lock(const fs::path& out) {
    lock_ = io::FileDescriptor(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!lock_.valid()) io::reject(out.string(), "can't be written to: {}", std::strerror(errno));
    if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
      throw Error(ErrorCode::usage,
                  fmt::format("{}: another run writes to this folder", out.string()));
  }

  fs::path folder_, planes_;
  std::vector<std::size_t> sizes_;
  io::FileDescriptor lock_;
};

// Returns the first file by name below the folder, or "no file".
std::string first_file(const fs::path& folder) {
  std::string first;
  std::error_code failed;
  for (fs::recursive_directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (std::error_code none; !entry->is_regular_file(none)) continue;
    const std::string name = entry->path().lexically_relative(folder).string();
    if (first.empty() || name < first) first = name;
  }
  return first.empty() ? "no file" : first;
}

// Why photographs of the model can't be read, by the place of the image. Throws Error(input) if a
// photograph has another size than its camera, as far as its header says.
std::map<std::size_t, std::string> unreadable(const DenseFiles& files, const colmap::Model& model) {
  std::map<std::size_t, std::string> reasons;
  std::map<colmap::Id, const colmap::ModelCamera*> cameras;
  for (const colmap::ModelCamera& camera : model.cameras) cameras.emplace(camera.id, &camera);
  for (std::size_t i = 0; i < model.images.size(); ++i) {
    std::error_code none;
    const fs::path file = files.photographs / model.images[i].name;
    if (!fs::is_regular_file(file, none)) {
      reasons.emplace(i, "its photograph is missing");
    } else if (const auto head = io::read_head(file)) {
      const colmap::ModelCamera& camera = *cameras.at(model.images[i].camera_id);
      const std::string fault = colmap::model::size_fault(
          head->width, head->height, 1, {model.images[i].name, camera.width, camera.height});
      if (!fault.empty()) io::reject(file.string(), "{}", fault);
    }
  }
  if (!model.images.empty() && reasons.size() == model.images.size())
    io::reject((files.photographs / model.images.front().name).string(),
               "is missing, as are all photographs of the model; {} has {}",
               files.photographs.string(), first_file(files.photographs));
  return reasons;
}

// Takes views that can't be read out of the plan.
void leave_out(std::vector<PlannedView>& plan, const std::map<std::size_t, std::string>& reasons) {
  const auto is_out = [&](int view) { return reasons.contains(static_cast<std::size_t>(view)); };
  for (std::size_t i = 0; i < plan.size(); ++i) {
    std::erase_if(plan[i].sources, is_out);
    std::erase_if(plan[i].checks, is_out);
    if (const auto reason = reasons.find(i); reason != reasons.end())
      plan[i].fault = reason->second;
    else if (plan[i].sources.empty() && plan[i].fault.empty())
      plan[i].fault = "the photographs of all its neighbours are missing";
  }
}

// The undistorted cameras and the poses; with `has_points` also the points, from whose tracks
// COLMAP chooses neighbours. Observations that no pinhole sees keep their place in the list at
// -0.5.
colmap::Model cameras_of(const colmap::Model& model, const DensePhotographs& photographs,
                         bool has_points) {
  colmap::Model out;
  out.georeference = model.georeference;
  for (const colmap::ModelCamera& camera : model.cameras)
    out.cameras.push_back(photographs.camera(camera.id));
  for (colmap::ModelImage image : model.images) {
    if (!has_points) image.observations.clear();
    for (colmap::ModelObservation& o : image.observations) {
      const Vec2 px = photographs.place(image.camera_id, {o.x, o.y});
      const bool is_seen = std::isfinite(px[0]) && std::isfinite(px[1]);
      o.x = is_seen ? px[0] : -0.5, o.y = is_seen ? px[1] : -0.5;
    }
    out.images.push_back(std::move(image));
  }
  if (has_points) out.points = model.points;
  return out;
}

// Writes the files of an image below a folder. Images without depth have maps, too.
void write_map(const fs::path& folder, DenseMaps maps, const std::string& name, const DenseMap& map,
               const ImageU8& image) {
  const std::vector<fs::path> files = files_of(maps, name);
  for (const fs::path& file : files) fs::create_directories((folder / file).parent_path());
  if (maps == DenseMaps::npz) write_file(folder / files[0], npz_of(map));
  if (maps != DenseMaps::colmap) return;
  write_file(folder / files[0], colmap_depths_of(map));
  write_file(folder / files[1], colmap_normals_of(map));
  constexpr int kQuality = 95;
  const std::string ending = fs::path(name).extension().string();
  const bool is_jpeg = ending == ".jpg" || ending == ".jpeg" || ending == ".JPG";
  if (!map.reason.empty()) return;
  write_file(folder / files[2], is_jpeg ? encode_jpeg(image, kQuality) : encode_png(image));
}

// Writes the lists of images with depth. For patch-match.cfg COLMAP chooses neighbours itself.
void write_lists(const fs::path& folder, DenseMaps maps, const std::vector<DenseImage>& images) {
  const std::vector<fs::path> lists = lists_of(maps);
  if (lists.empty()) return;
  std::string fusion, matching;
  for (const DenseImage& image : images) {
    if (!image.reason.empty()) continue;
    fusion += image.name + "\n";
    matching += image.name + "\n__auto__, 20\n";
  }
  write_file(folder / lists[0], fusion);
  write_file(folder / lists[1], matching);
}

double known_share(const DenseMap& map) {
  const auto known = std::ranges::count_if(map.views.pixels, [](auto v) { return v > 0; });
  return static_cast<double>(known) / static_cast<double>(map.views.pixels.size());
}

}  // namespace
}  // namespace dense

void check_dense_folder(const DenseFiles& files, std::span<const std::string> names) {
  using namespace dense;
  const auto check = [&](const fs::path& file) {
    require_file_place(files.out / file);
    require_free(files.out / file, files.overwrite);
  };
  check(kCloud);
  for (const std::string& name : names)
    for (const fs::path& file : files_of(files.maps, name)) {
      require_no_input(files.out / file, std::array{files.photographs / name});
      check(file);
    }
  for (const fs::path& list : lists_of(files.maps)) check(list);
  if (files.maps != DenseMaps::none)
    colmap::check_model_folder(files.out / cameras_folder(files.maps), files.overwrite);
}

WrittenDense dense_model(Queue& queue, const DenseFiles& given) {
  using namespace dense;
  check_ranges(given.dense);
  DenseFiles files = given;
  files.model = colmap::model_folder(given.model);
  const colmap::Model model = colmap::read_model(files.model);
  check_files(files, model);
  const std::map<std::size_t, std::string> missing = unreadable(files, model);
  const DensePhotographs photographs(queue, model, files.photographs, files.dense.max_size);
  const DenseScene scene = scene_of(model, photographs);
  std::vector<PlannedView> plan = plan_views(scene.views, scene.points, files.dense);
  leave_out(plan, missing);
  const Work work(files.out, key_of(files, model, plan, queue.device().info().name), plan);
  WrittenDense out;
  CloudWriter cloud(work.staged() / kCloud);
  const auto image_of = [&](int i) -> const colmap::ModelImage& {
    return model.images[static_cast<std::size_t>(i)];
  };
  const Storage storage{
      .read = [&](int i) { return photographs.read(image_of(i)); },
      .undistort =
          [&](int i, ImageU8&& photograph) {
            return photographs.undistort(image_of(i).camera_id, std::move(photograph));
          },
      .has_planes =
          [&](int view, int pass) {
            const bool has = work.has_planes(view, pass);
            out.resumed += has && pass == 0 ? 1 : 0;
            return has;
          },
      .write_planes = [&](int view, int pass,
                          std::span<const float> planes) { work.write_planes(view, pass, planes); },
      .read_planes = [&](int view, int pass,
                         std::span<float> planes) { work.read_planes(view, pass, planes); },
      .write_map =
          [&](int i, const DenseMap& map, const ImageU8& image) {
            write_map(work.staged(), files.maps, image_of(i).name, map, image);
          },
      .take =
          [&](int i, DenseMap&& map, std::span<const FusedPoint> points) {
            cloud.add(points);
            out.images.push_back({image_of(i).name, known_share(map), std::move(map.reason)});
          }};
  run(queue, plan, storage, files.dense);
  out.points = cloud.finish();
  const fs::path cameras = cameras_folder(files.maps);
  if (files.maps != DenseMaps::none)
    colmap::write_model(work.staged() / cameras,
                        cameras_of(model, photographs, files.maps == DenseMaps::colmap),
                        colmap::ModelFormat::binary, true);
  write_lists(work.staged(), files.maps, out.images);
  work.commit(files.out, cameras);
  return out;
}

}  // namespace bifocal
