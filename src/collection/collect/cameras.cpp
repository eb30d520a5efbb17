// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "collection/collect/stages.hpp"
#include "collection/colmap/focal_factors.hpp"
#include "collection/colmap/pair.hpp"
#include "collection/colmap/rows_of_pairs.hpp"

namespace bifocal::collection {
namespace {

// Returns the sharing key of a photograph: photographs with equal keys share a camera. An empty key
// means a camera for this photograph only.
std::string key_of(const PhotographInfo& info, const CollectCameras& options, bool shares_unknown) {
  const std::string size = fmt::format("{}x{}", info.width, info.height);
  if (options.intrinsics || options.sharing == CameraSharing::single) return size;
  const bool is_known = shares_unknown || !info.camera.starts_with(kUnknownCamera);
  return options.sharing == CameraSharing::automatic && is_known ? info.camera : std::string();
}

colmap::ModelCamera camera_of(const PhotographInfo& info, const CollectCameras& options) {
  if (const auto& K = options.intrinsics) {
    return {0,           colmap::model_number("PINHOLE"), info.width,
            info.height, {K->fx, K->fy, K->cx, K->cy},    true};
  }
  return colmap::camera_without_lens(options.model, info.width, info.height, info.focal_length);
}

// Photographs without make and model that were given one camera.
struct Sharing {
  colmap::ModelCamera camera;
  std::vector<const PhotographRow*> photographs;
  std::vector<colmap::Id> cameras;  // one a photograph
};

// All such cameras. After a division a camera has several numbers, of which the first is kept.
std::vector<Sharing> shared_cameras(const WorkDatabase& work, std::span<const PhotographRow> rows) {
  std::map<std::string, Sharing> by_key;
  std::map<colmap::Id, colmap::ModelCamera> cameras;
  for (colmap::ModelCamera& camera : work.database().cameras()) {
    const colmap::Id id = camera.id;
    cameras.emplace(id, std::move(camera));
  }
  std::map<colmap::Id, colmap::Id> camera_of_image;
  for (const colmap::Image& image : work.database().images())
    camera_of_image.emplace(image.id, image.camera_id);
  for (const PhotographRow& r : rows) {
    if (r.state != PhotographState::done || !r.info.camera.starts_with(kUnknownCamera)) continue;
    const auto camera = cameras.find(camera_of_image.at(image_id(r.number)));
    if (camera == cameras.end()) continue;
    Sharing& sharing = by_key[r.info.camera];
    if (sharing.photographs.empty() || camera->first < sharing.camera.id)
      sharing.camera = camera->second;
    sharing.photographs.push_back(&r);
    sharing.cameras.push_back(camera->first);
  }
  std::vector<Sharing> out;
  for (auto& [key, sharing] : by_key)
    if (sharing.photographs.size() > 1) out.push_back(std::move(sharing));
  return out;
}

// Pairs with depth of photographs of one camera, for each camera.
std::vector<std::vector<colmap::FocalPair>> focal_pairs(const WorkDatabase& work,
                                                        const std::vector<Sharing>& shared) {
  struct Place {
    std::size_t camera = 0, photograph = 0;
  };
  std::map<colmap::Id, Place> places;
  std::vector<Intrinsics> K;
  for (std::size_t c = 0; c < shared.size(); ++c) {
    K.push_back(colmap::lens_camera_of(shared[c].camera).intrinsics());
    for (std::size_t i = 0; i < shared[c].photographs.size(); ++i)
      places[image_id(shared[c].photographs[i]->number)] = {c, i};
  }
  std::vector<std::vector<colmap::FocalPair>> pairs(shared.size());
  if (shared.empty()) return pairs;
  const colmap::Database& database = work.database();
  for (const colmap::VerifiedMatrix& m : colmap::rows_of_pairs(
           database.file(), colmap::all_pair_ids(database), colmap::verified_matrices)) {
    const auto one = places.find(m.image1), two = places.find(m.image2);
    if (one == places.end() || two == places.end() || !colmap::has_depth(m.configuration) ||
        one->second.camera != two->second.camera)
      continue;
    const std::size_t c = one->second.camera;
    pairs[c].push_back(colmap::focal_pair(one->second.photograph, two->second.photograph, m.F, K[c],
                                          K[c], static_cast<std::size_t>(m.inliers)));
  }
  check_cancelled();
  return pairs;
}

}  // namespace

void unite_unknown_cameras(WorkDatabase& work, std::span<const PhotographRow> rows) {
  if (!work.shares_unknown_cameras()) return;
  work.together([&] {
    std::set<colmap::Id> unused;
    for (const Sharing& sharing : shared_cameras(work, rows))
      for (std::size_t i = 0; i < sharing.cameras.size(); ++i) {
        if (sharing.cameras[i] == sharing.camera.id) continue;
        work.set_camera(sharing.photographs[i]->number, sharing.camera.id);
        unused.insert(sharing.cameras[i]);
      }
    for (const colmap::Id camera : unused) work.remove_camera(camera);
  });
}

std::vector<std::string> divide_unknown_cameras(WorkDatabase& work,
                                                std::span<const PhotographRow> rows) {
  std::vector<std::string> notes;
  if (!work.shares_unknown_cameras()) return notes;
  colmap::Id last = 0;
  for (const colmap::ModelCamera& camera : work.database().cameras())
    last = std::max(last, camera.id);
  const std::vector<Sharing> shared = shared_cameras(work, rows);
  const std::vector<std::vector<colmap::FocalPair>> pairs = focal_pairs(work, shared);
  work.together([&] {
    for (std::size_t c = 0; c < shared.size(); ++c) {
      const Sharing& sharing = shared[c];
      const colmap::FocalGroups found = colmap::focal_groups(sharing.photographs.size(), pairs[c]);
      const std::vector<int>& groups = found.groups;
      const std::size_t added = found.logs.size() - 1;
      if (added == 0) continue;
      for (std::size_t group = 1; group <= added; ++group) {
        colmap::ModelCamera camera = sharing.camera;
        camera.id = last + static_cast<colmap::Id>(group);
        if (std::abs(found.logs[group]) > colmap::kLeastFocalStep)
          camera.has_prior_focal_length = false;  // its pairs contradict EXIF
        work.add(camera);
      }
      for (std::size_t i = 0; i < groups.size(); ++i)
        if (groups[i] > 0)
          work.set_camera(sharing.photographs[i]->number,
                          last + static_cast<colmap::Id>(groups[i]));
      last += static_cast<colmap::Id>(added);
      const auto first = std::ranges::find_if(groups, [](int group) { return group > 0; });
      notes.push_back(fmt::format(
          "{} of {} photographs without make and model, the first {}, contradict the focal length "
          "of the others; they have {} of their own",
          std::ranges::count_if(groups, [](int group) { return group > 0; }), groups.size(),
          sharing.photographs[static_cast<std::size_t>(first - groups.begin())]->name,
          added == 1 ? std::string("a camera") : fmt::format("{} cameras", added)));
    }
  });
  return notes;
}

colmap::Id CameraBook::of(const PhotographInfo& info) {
  const std::string key = key_of(info, options_, shares_unknown_);
  colmap::Id own = 0;
  colmap::Id& id = key.empty() ? own : shared_[key];
  if (id == 0) {
    cameras_.push_back(camera_of(info, options_));
    id = cameras_.back().id = static_cast<colmap::Id>(cameras_.size());
  }
  return id;
}

}  // namespace bifocal::collection
