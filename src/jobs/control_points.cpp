// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/control_points.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <bifocal/error.hpp>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace bifocal::jobs {
namespace {

constexpr int kFewest = 3;  // control points that determine a similarity

std::string_view last_part(std::string_view name) {
  return name.substr(name.rfind('/') + 1);  // npos + 1 is 0
}

// Names of images and their last parts, as marks have them.
class Names {
 public:
  void add(std::string_view name) {
    names_.emplace(name);
    names_.emplace(last_part(name));
  }
  [[nodiscard]] bool has(const std::string& name) const { return names_.contains(name); }

 private:
  std::set<std::string, std::less<>> names_;
};

// Points and marks without those that are only in images of other models.
ControlPoints without_others(const ControlPoints& control, const Names& own, const Names& others) {
  ControlPoints out{control.file, {}, {}};
  std::vector<int> places(control.points.size(), -1);
  for (const ControlMark& mark : control.marks) {
    if (!own.has(mark.image) && others.has(mark.image)) continue;
    int& place = places[static_cast<std::size_t>(mark.point)];
    if (place < 0) {
      place = static_cast<int>(out.points.size());
      out.points.push_back(control.points[static_cast<std::size_t>(mark.point)]);
    }
    out.marks.push_back(mark);
    out.marks.back().point = place;
  }
  return out;
}

ControlOptions options_of(const MapOptions& map) {
  ControlOptions options;
  options.adjust.refine_focal_length = map.refine_focal_length;
  options.adjust.refine_extra_params = map.refine_extra_params;
  options.adjust.adjust.max_iterations =
      std::max(map.max_adjust_iterations, options.adjust.adjust.max_iterations);
  return options;
}

void set_figures(const colmap::Model& model, MapFigures& figures) {
  double sum = 0;
  for (const colmap::ModelPoint& point : model.points)
    sum += point.error * static_cast<double>(point.track.size());
  figures.mean_error = sum / static_cast<double>(std::max<std::int64_t>(1, figures.observations));
  figures.focal_lengths = colmap::focal_lengths_of(model.cameras);
}

// The doubts of a model that control points changed.
void set_doubts(const bifocal::ViewGraph& graph, const MapOptions& options,
                const colmap::Model& model, const ControlResult& control,
                std::vector<ModelDoubt>& doubts) {
  doubts = model_doubts(graph, model, options);
  if (!control.adjustment.is_converged())
    doubts.push_back({DoubtKind::not_converged,
                      static_cast<double>(control.adjustment.iterations),
                      static_cast<double>(control.adjustment.iterations),
                      {},
                      {},
                      "the adjustment with control points has not converged"});
  for (const std::string& text : control.after.doubts)
    doubts.push_back({DoubtKind::control, 1, 0, {}, {}, text});
}

}  // namespace

ControlPoints read_control(const std::filesystem::path& file,
                           const std::vector<std::string>& check) {
  if (file.empty()) {
    if (!check.empty())
      throw Error(ErrorCode::usage, "check points: there is no file of control points");
    return {};
  }
  ControlPoints control = read_control_points(file);
  choose_check_points(control, check);
  return control;
}

void check_marks(const ControlPoints& control, const std::vector<std::string>& names) {
  Names known;
  for (const std::string& name : names) known.add(name);
  std::vector<int> marks(control.points.size());
  for (const ControlMark& mark : control.marks)
    if (known.has(mark.image)) ++marks[static_cast<std::size_t>(mark.point)];
  if (std::ranges::count(marks, 0) == std::ssize(marks))
    throw Error(
        ErrorCode::input,
        fmt::format("{}: no mark is in one of the {} photographs; {} is none of them", control.file,
                    names.size(), control.marks.empty() ? "an image" : control.marks[0].image));
  std::vector<std::string> usable;
  for (std::size_t i = 0; i < marks.size(); ++i)
    if (marks[i] >= 2 && !control.points[i].is_check) usable.push_back(control.points[i].name);
  if (std::ssize(usable) >= kFewest) return;
  throw Error(
      ErrorCode::usage,
      fmt::format(
          "{}: {} control points have marks in at least two photographs{}{}, at least {} are "
          "needed{}",
          control.file, usable.size(), usable.empty() ? "" : ": ", fmt::join(usable, ", "), kFewest,
          usable.size() == 2
              ? "; two determine scale and position, but not the rotation about their line"
              : ""));
}

std::vector<ControlledModel> apply_control(Queue& queue, const ModelFiles& files,
                                           MapResult& result) {
  const ControlPoints control = read_control(files.control, files.check);
  std::vector<ControlledModel> out;
  if (control.points.empty()) return out;
  const bifocal::ViewGraph graph = bifocal::read_view_graph(
      colmap::Database(files.database, colmap::quiet_access(files.database)), files.map);
  const GeoPoint middle = mean_place(control);  // one frame for all models
  bool has_any = false;
  for (std::size_t m = 0; m < result.models.size(); ++m) {
    colmap::Model& model = result.models[m];
    Names own, others;
    for (std::size_t k = 0; k < result.models.size(); ++k)
      for (const colmap::ModelImage& image : result.models[k].images)
        (k == m ? own : others).add(image.name);
    ControlledModel& one = out.emplace_back();
    one.control = without_others(control, own, others);
    const std::optional<GeoPoint> origin =
        model.georeference ? model.georeference->origin : std::optional<GeoPoint>();
    try {
      one.result = apply_control_points(queue, model, one.control, options_of(files.map),
                                        origin.value_or(middle));
    } catch (const Error& e) {
      if (e.code() != ErrorCode::usage && e.code() != ErrorCode::input) throw;
      one.reason = e.what();
      continue;
    }
    has_any = true;
    set_figures(model, result.figures[m]);
    set_doubts(graph, files.map, model, *one.result, result.doubts[m]);
  }
  if (!has_any && !out.empty())
    result.doubts[0].push_back({DoubtKind::control, 0, kFewest, {}, {}, out[0].reason});
  return out;
}

}  // namespace bifocal::jobs
