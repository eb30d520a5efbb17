// SPDX-License-Identifier: BSD-3-Clause
// Folders of photographs to databases, models and depth.
#include <bifocal/jobs.hpp>
#include <bifocal/reasons.hpp>

#include <algorithm>

#include "handles.hpp"

using namespace bifocal;
using namespace bifocal::c;

namespace {

constexpr const char* kDenseStages[] = {"match", "refine", "agree"};

void note_left_out(const Callbacks& callbacks, const std::vector<LeftOut>& files) {
  for (const LeftOut& file : files)
    callbacks.note(fmt::format("{}: left out: {}", file.name, file.reason));
}

void note_map(const Callbacks& callbacks, const jobs::WrittenModels& written) {
  const MapResult& r = written.result;
  for (std::size_t i = 0; i < r.doubts.size(); ++i)
    for (const ModelDoubt& doubt : r.doubts[i])
      callbacks.note(fmt::format("model {}: {}", i, doubt.text));
  for (const LeftOutImage& image : r.left_out)
    callbacks.note(
        fmt::format("{}: in no model: {}", image.name, reason_text(to_string(image.reason))));
  note_left_out(callbacks, r.without_colours);
  if (written.undistorted) note_left_out(callbacks, written.undistorted->left_out);
}

bf_map_result result_of(const jobs::WrittenModels& written, bool is_strict) {
  const MapResult& r = written.result;
  bf_map_result to = {};
  to.models = std::ssize(r.models);
  for (std::size_t i = 0; i < r.models.size(); ++i) to.doubted += r.is_doubted(i);
  to.written = std::ssize(written_models(r, is_strict));
  to.left_out = std::ssize(r.left_out);
  to.mean_error = kUnknown;
  if (r.figures.empty()) return to;
  const MapFigures& largest = r.figures.front();
  to.images = largest.images;
  to.points = largest.points;
  to.observations = largest.observations;
  to.mean_error = largest.mean_error;
  return to;
}

// Returns the value of a path that may be NULL.
std::filesystem::path path_if(const char* path) { return path ? path : ""; }

}  // namespace

int bf_collect(bf_queue* queue, const char* const* paths, size_t path_count, const char* database,
               const bf_options* options, bf_collect_result* result) {
  return guarded(__func__, [&] {
    if (result) check_size(result, "result");
    const bf_queue& q = need(queue, "queue");
    const auto call = options_of<CollectCall>(options);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < path_count; ++i)
      names.emplace_back(&need(need(paths, "paths") ? paths[i] : nullptr, "a path"));
    jobs::CollectionFiles files = {.photographs = list_photographs(names),
                                   .database = &need(database, "database"),
                                   .collect = call.collect,
                                   .drops_contradicting = call.drop_contradicting};
    const Callbacks callbacks(options);
    files.collect.progress = [&](const CollectProgress& p) {
      callbacks.progress(p.stage, p.unit, p.done, p.total);
    };
    // Only the devices that began unfinished work can resume it.
    const CollectDevices chosen = q.is_auto
                                      ? collect_devices(files.database, files.collect.overwrite)
                                      : CollectDevices{q.devices, {}};
    if (!chosen.warning.empty()) callbacks.note(chosen.warning);
    const CollectResult r = jobs::collect_and_map(chosen.devices, files).result;
    note_left_out(callbacks, files.photographs.other_files);
    note_left_out(callbacks, r.left_out);
    for (const std::string& note : r.notes) callbacks.note(note);
    if (result)
      give({sizeof *result, r.images, r.features, std::ssize(r.left_out), r.pairs, r.matched,
            r.verified, r.resumed, r.was_complete},
           result, "result");
  });
}

int bf_map(bf_queue* queue, const char* database, const char* photographs, const char* folder,
           const bf_options* options, bf_map_result* result) {
  return guarded(__func__, [&] {
    if (result) check_size(result, "result");
    const auto call = options_of<MapCall>(options);
    const Callbacks callbacks(options);
    jobs::ModelFiles files = {.database = &need(database, "database"),
                              .photographs = path_if(photographs),
                              .out = &need(folder, "folder"),
                              .undistorted = call.undistorted,
                              .overwrite = call.overwrite,
                              .is_strict = call.strict,
                              .map = call.map};
    files.map.progress = [&](const MapProgress& p) {
      callbacks.progress(to_string(p.stage), "images", p.images, 0);
    };
    files.undistorting = [&](std::int64_t done, std::int64_t total) {
      callbacks.progress("undistort", "images", done, total);
    };
    const jobs::WrittenModels written = jobs::map_and_write(need(queue, "queue").queue, files);
    note_map(callbacks, written);
    if (result) give(result_of(written, call.strict), result, "result");
  });
}

int bf_adjust(bf_queue* queue, const char* model, const char* out, const bf_options* options,
              bf_adjust_result* result) {
  return guarded(__func__, [&] {
    if (result) check_size(result, "result");
    const auto call = options_of<AdjustCall>(options);
    const Callbacks callbacks(options);
    jobs::AdjustFiles files = {.model = &need(model, "model"),
                               .out = &need(out, "out"),
                               .overwrite = call.overwrite,
                               .adjust = call.adjust};
    if (call.format != kOutputFormats[0])
      files.format = call.format == kOutputFormats[1] ? colmap::ModelFormat::binary
                                                      : colmap::ModelFormat::text;
    files.adjust.adjust.progress =
        [&, most = call.adjust.adjust.max_iterations](const AdjustIteration& i) {
          callbacks.progress("adjust", "iterations", i.iteration, most);
          return true;
        };
    const colmap::BundleAdjustResult r = jobs::adjust_and_write(need(queue, "queue").queue, files);
    if (!r.undetermined.empty()) callbacks.note(r.undetermined + ": is not determined");
    if (result)
      give({sizeof *result, r.cameras, r.images, r.points, r.adjustment.iterations,
            r.adjustment.is_converged(), r.initial_rms, r.final_rms},
           result, "result");
  });
}

int bf_dense(bf_queue* queue, const char* model, const char* photographs, const char* out,
             const bf_options* options, bf_dense_result* result) {
  return guarded(__func__, [&] {
    if (result) check_size(result, "result");
    const auto call = options_of<DenseCall>(options);
    const Callbacks callbacks(options);
    DenseFiles files = {.model = &need(model, "model"),
                        .photographs = &need(photographs, "photographs"),
                        .out = &need(out, "out"),
                        .overwrite = call.overwrite,
                        .maps = call.maps,
                        .dense = call.dense};
    files.dense.progress = [&](const DenseProgress& p) {
      callbacks.progress(kDenseStages[static_cast<int>(p.stage)], "images", p.done, p.total);
    };
    const WrittenDense w = dense_model(need(queue, "queue").queue, files);
    bf_dense_result to = {sizeof to, std::ssize(w.images), 0, w.points, w.resumed};
    for (const DenseImage& image : w.images) {
      to.with_depth += image.reason.empty();
      if (!image.reason.empty())
        callbacks.note(fmt::format("{}: no depth: {}", image.name, image.reason));
    }
    if (result) give(to, result, "result");
  });
}
