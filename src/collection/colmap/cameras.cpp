// SPDX-License-Identifier: BSD-3-Clause
// Cameras of a database, with warnings about unusual parameters.
#include <fmt/format.h>
#include <bifocal/camera.hpp>
#include <bifocal/error.hpp>

#include <algorithm>

#include "collection/colmap/chunk.hpp"
#include "collection/colmap/pair.hpp"
#include "collection/colmap/state.hpp"
#include "io/parse.hpp"

namespace bifocal::colmap {
namespace {

// Returns a camera with only the size and the kind of lens.
ViewCamera without_numbers(const ModelCamera& camera) {
  ViewCamera view;
  view.is_fisheye = model_name(camera.model).find("FISHEYE") != std::string_view::npos;
  view.width = camera.width, view.height = camera.height;
  return view;
}

ViewCamera view_of(const ModelCamera& camera, const LensCamera& lens) {
  const std::string_view model = model_name(camera.model);
  const bool is_pinhole = model == "SIMPLE_PINHOLE" || model == "PINHOLE";
  return {lens.pinhole(),
          camera.has_prior_focal_length,
          lens.is_fisheye(),
          camera.width,
          camera.height,
          is_pinhole && !camera.has_prior_focal_length ? std::int64_t{camera.id} : -1};
}

Cameras::Entry entry_of(const ModelCamera& camera) {
  const std::string name = fmt::format("camera {}: ", camera.id),
                    row = row_name("cameras", "camera_id", camera.id);
  Cameras::Entry entry{without_numbers(camera), {}, {}};
  std::string fault;
  try {
    entry.lens_camera = lens_camera_of(camera);
    fault = io::fault_of(entry.lens_camera->pinhole());
  } catch (const Error& e) {
    fault = e.what();
    if (fault.starts_with(name)) fault.erase(0, name.size());
  }
  if (!fault.empty()) {
    const bool is_known = LensCamera::parameter_count(model_name(camera.model)) > 0;
    entry.lens_camera.reset();
    entry.odd = OddRow{row, fault, is_known ? RowUse::uncalibrated : RowUse::left_out, 1};
    return entry;
  }
  entry.view = view_of(camera, *entry.lens_camera);
  if (!camera.has_prior_focal_length) return entry;
  const double width = static_cast<double>(camera.width),
               height = static_cast<double>(camera.height);
  if (std::string doubt = intrinsics_doubt(entry.lens_camera->intrinsics(), width, height);
      !doubt.empty())
    entry.odd = OddRow{row, std::move(doubt), RowUse::as_it_is, 1};
  return entry;
}

}  // namespace

Cameras::Cameras(const Database& database) {
  std::vector<RowFault> reported_with_pairs;
  for (ModelCamera& camera : database.cameras(&reported_with_pairs)) {
    if (camera.width <= 0 || camera.height <= 0) camera.width = camera.height = 0;  // 0: unknown
    cameras_.emplace(camera.id, entry_of(camera));
  }
  for (const Image& image : database.images(&reported_with_pairs))
    images_.emplace(image.id, ImageOf{image.camera_id, image.name});
}

const Cameras::Entry* Cameras::of(Id image, OddRows& odd_rows) const {
  const auto refuse = [&](const std::string& reason) {
    odd_rows.add(RowFault{row_name("images", "image_id", image), reason});
    return nullptr;
  };
  const auto found = images_.find(image);
  if (found == images_.end()) return refuse("there is no such image");
  const Id id = found->second.camera;
  if (id == kNoCamera) return refuse("camera_id is no number of a camera");
  const auto camera = cameras_.find(id);
  if (camera == cameras_.end())
    return refuse(fmt::format("camera_id {}, there is no such camera", id));
  const Entry& entry = camera->second;
  if (!entry.odd || entry.odd->use != RowUse::left_out) return &entry;
  odd_rows.add(*entry.odd);
  return nullptr;
}

FocalLengths focal_lengths_of(std::span<const ModelCamera> cameras) {
  FocalLengths out;
  for (const ModelCamera& camera : cameras) {
    if (camera.params.empty()) continue;
    const double f = camera.params[0];
    out.least = out.cameras == 0 ? f : std::min(out.least, f);
    out.largest = std::max(out.largest, f);
    ++out.cameras;
    out.with_prior += camera.has_prior_focal_length;
  }
  return out;
}

std::string summary_of(const FocalLengths& given, const std::optional<FocalLengths>& adjusted) {
  const auto range = [](const FocalLengths& f) {
    const std::string least = fmt::format("{:.0f}", f.least),
                      largest = fmt::format("{:.0f}", f.largest);
    return least == largest ? least + " px" : least + " to " + largest + " px";
  };
  std::string text = fmt::format("{} camera{}, {} with a prior focal length", given.cameras,
                                 given.cameras == 1 ? "" : "s", given.with_prior);
  if (given.cameras > 0) text += ": " + range(given);
  if (adjusted && adjusted->cameras > 0) text += ", adjusted to " + range(*adjusted);
  return text;
}

}  // namespace bifocal::colmap
