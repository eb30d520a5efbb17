// SPDX-License-Identifier: BSD-3-Clause
// The geometry of two photographs, and its files.
#include <bifocal/jobs.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include "arrays.hpp"
#include "handles.hpp"
#include "jobs/output_folder.hpp"
#include "jobs/pair_files.hpp"

using namespace bifocal;
using namespace bifocal::c;

struct bf_pair {
  PairResult result;
  std::string doubt;
};

namespace {

ModelRequest request_of(std::string_view word) {
  const auto* const found = std::ranges::find(kModelRequestWords, word);
  if (found == std::end(kModelRequestWords))
    throw usage("kind = {}: must be one of {}", word, fmt::join(kModelRequestWords, ", "));
  return static_cast<ModelRequest>(found - std::begin(kModelRequestWords));
}

// Cameras of the options, otherwise of EXIF.
jobs::Cameras cameras_of(PairOptions& options, const jobs::PairPhotograph& first,
                         const jobs::PairPhotograph& second) {
  jobs::Cameras cameras = {options.camera1, options.camera2, "the options camera1 and camera2"};
  if (!cameras.known()) cameras.source.clear();
  if (!cameras.known() && first.exif && second.exif) {
    cameras = jobs::exif_cameras(*first.exif, *second.exif);
    options.lens_is_unknown = true;
  }
  options.camera1 = cameras.camera1;
  options.camera2 = cameras.camera2;
  return cameras;
}

bf_pair_info info_of(const bf_pair& pair) {
  const PairResult& r = pair.result;
  bf_pair_info info = {};
  info.kind = to_string(r.kind).data();
  info.outcome = to_string(r.outcome).data();
  info.reason = r.reason.c_str();
  info.doubt = pair.doubt.c_str();
  copy(r.estimate.model, info.model);
  if (std::ranges::all_of(info.model, [](double x) { return x == 0; })) set_unknown(info.model);
  const Pose pose = r.cam2_from_cam1.value_or(Pose{});
  copy(pose.R, info.R);
  copy(pose.t, info.t);
  if (!r.cam2_from_cam1) {
    set_unknown(info.R);
    set_unknown(info.t);
  }
  const bool has_deviation = r.pose_deviation.is_known;
  info.rotation_deviation = has_deviation ? r.pose_deviation.rotation_deg : kUnknown;
  info.direction_deviation = has_deviation ? r.pose_deviation.direction_deg : kUnknown;
  const bool has_focal = r.estimated_camera.focal_length > 0;
  info.focal_length = has_focal ? r.estimated_camera.focal_length : kUnknown;
  info.focal_deviation = has_focal ? r.estimated_camera.focal_deviation : kUnknown;
  info.median_parallax = r.cam2_from_cam1 ? r.median_parallax_deg : kUnknown;
  info.rms = r.estimate.num_inliers > 0 ? r.estimate.rms : kUnknown;
  info.num_inliers = r.estimate.num_inliers;
  info.points = columns_of(r.points, &PointPair::x1, 4);
  info.inliers = view(r.estimate.inliers);
  info.triangulated = {r.triangulated.empty() ? nullptr : r.triangulated.data(),
                       std::ssize(r.triangulated),
                       sizeof(Vec3),
                       3,
                       1,
                       BF_F64,
                       BF_HOST};
  if (r.dense) {
    const std::vector<CloudPoint>& cloud = r.dense->cloud;
    info.depth = view(ImageView<const float>(r.dense->depth.depth));
    info.cloud = columns_of(cloud, &CloudPoint::x, 3);
    info.cloud_colours = columns_of(cloud, &CloudPoint::r, 3);
  }
  return info;
}

}  // namespace

int bf_pair_photographs(bf_queue* queue, const char* file1, const char* file2, const char* kind,
                        const char* folder, const bf_options* options, bf_pair** out) {
  return guarded(__func__, [&] {
    bf_pair*& to = output(out);
    PairCall call = options_of<PairCall>(options);
    PairOptions& o = call.pair;
    Queue& q = need(queue, "queue").queue;
    o.kind = request_of(&need(kind, "kind"));
    const std::string name1 = &need(file1, "file1"), name2 = &need(file2, "file2");
    const Callbacks callbacks(options);
    o.progress = [&](std::string_view stage, double fraction) {
      callbacks.progress(stage, "%", std::lround(100 * fraction), 100);
    };
    std::optional<jobs::OutputFolder> files;
    if (folder)
      files.emplace(folder, jobs::OutputFiles{.names = jobs::pair_file_names(),
                                              .inputs = {name1, name2},
                                              .overwrite = call.overwrite,
                                              .argument = "folder"});
    const jobs::PairPhotograph first = jobs::read_photograph(name1),
                               second = jobs::read_photograph(name2);
    const jobs::Cameras cameras = cameras_of(o, first, second);
    PairResult result = estimate_pair(q, first.view(), second.view(), o);
    if (files)
      jobs::write_pair_files(
          {first, second, "", cameras, result, q.device().info().id, o.robust.seed, call.all_files},
          *files);
    std::string doubt = result.doubt;
    if (result.repetition.is_doubted)
      doubt += (doubt.empty() ? "" : "; ") + result.repetition.reason;
    if (!doubt.empty()) callbacks.note(doubt);
    to = new bf_pair{std::move(result), std::move(doubt)};
  });
}

int bf_pair_get(const bf_pair* pair, bf_pair_info* out) {
  return guarded(__func__, [&] { give(info_of(need(pair, "pair")), out); });
}

void bf_pair_free(bf_pair* pair) { delete pair; }
