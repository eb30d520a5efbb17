// SPDX-License-Identifier: BSD-3-Clause
#include "models/adjust_text.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "option_fields.hpp"

namespace bifocal::cli {
namespace {

// "1,234,567"
std::string grouped(std::int64_t number) {
  std::string text = fmt::format("{}", number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

std::string counted(std::int64_t count, const char* noun) {
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

std::string reason_text(const AdjustOptions& options, const AdjustResult& result) {
  switch (result.reason) {
    case AdjustReason::nothing_to_adjust:
      return "no observation is left to adjust, or everything is constant";
    case AdjustReason::function_tolerance:
      return fmt::format("the last step reduced the cost by less than {:g} of it",
                         options.function_tolerance);
    case AdjustReason::gradient_tolerance:
      return fmt::format("no entry of the gradient is above {:g}", options.gradient_tolerance);
    case AdjustReason::parameter_tolerance:
      return fmt::format("the last step was shorter than {:g} of the parameters",
                         options.parameter_tolerance);
    case AdjustReason::no_progress:
      return "no step reduces the cost any further";
    case AdjustReason::max_iterations:
      return "the limit of iterations is reached (--max-iterations)";
    case AdjustReason::stopped:
      return "it was interrupted; this is the best model so far";
  }
  return {};
}

std::int64_t count_of(const AdjustResult& result, ObservationUse use) {
  return result.counts[static_cast<std::size_t>(use)];
}

// Observations without influence, by reason.
std::string left_out_text(const AdjustResult& result) {
  const auto behind = count_of(result, ObservationUse::behind),
             single = count_of(result, ObservationUse::single_view);
  std::vector<std::string> parts;
  if (behind > 0)
    parts.push_back(
        fmt::format("{} of points behind the camera or beyond its lens", grouped(behind)));
  if (single > 0) parts.push_back(fmt::format("{} of points in one image", grouped(single)));
  return parts.empty() ? "" : fmt::format("Left out: {}.\n", fmt::join(parts, ", "));
}

// What constants leave to the start; empty without constants.
std::string freedom_text(const colmap::BundleAdjustOptions& options, const AdjustResult& result) {
  const AdjustFreedom& freedom = result.freedom;
  if (options.constant_images.empty() && options.constant_points.empty()) return {};
  std::vector<const char*> words;
  if (freedom.position > 0) words.push_back("position");
  if (freedom.rotation > 0) words.push_back("rotation");
  if (freedom.scale > 0) words.push_back("scale");
  if (words.empty()) return {};
  return fmt::format("The constant images and points do not determine {}, which {} the input.\n",
                     fmt::join(words, " and "), words.size() == 1 ? "follows" : "follow");
}

std::string undetermined_text(const AdjustReport& report) {
  const std::string& what = report.result.undetermined;
  if (what.empty()) return {};
  return fmt::format(
      "There are no covariances: the observations do not determine {}. Keep it constant, or leave "
      "it out.\n",
      what);
}

const char* ending_of(const AdjustResult& result) {
  if (result.is_converged()) return "converged";
  return result.reason == AdjustReason::max_iterations ? "has not converged" : "stopped";
}

// "fell from 1.25 to 0.5317", "rose from ...", "stayed at 0.5317".
std::string change_text(double before, double after) {
  const std::string first = fmt::format("{:.5g}", before), last = fmt::format("{:.5g}", after);
  if (first == last) return "stayed at " + last;
  return fmt::format("{} from {} to {}", after < before ? "fell" : "rose", first, last);
}

}  // namespace

std::string adjust_sentences(const AdjustReport& report) {
  const colmap::BundleAdjustResult& r = report.result;
  const AdjustResult& a = r.adjustment;
  const std::string why = reason_text(report.options.adjust, a);
  if (a.reason == AdjustReason::nothing_to_adjust)
    return fmt::format("Nothing was adjusted: {}.\n{}", why, left_out_text(a));
  std::string text = fmt::format(
      "Bundle adjustment of {}, {} and {} ({}) {} after {} in {:.1f} s on {}: {}.\n",
      counted(r.images, "image"), counted(r.cameras, "camera"), counted(r.points, "point"),
      counted(count_of(a, ObservationUse::used), "observation"), ending_of(a),
      counted(a.iterations, "iteration"), report.seconds, report.device, why);
  text += fmt::format(
      "The mean reprojection error {} px, the root mean square {} px, the cost {} px^2.\n",
      change_text(r.initial_error, r.final_error), change_text(r.initial_rms, r.final_rms),
      change_text(a.initial_cost, a.final_cost));
  if (a.parts > 1)
    text += fmt::format(
        "The model has {} parts that share no points; each keeps its own position "
        "and scale.\n",
        a.parts);
  return text + freedom_text(report.options, a) + undetermined_text(report) + left_out_text(a);
}

Json adjust_json(const AdjustReport& report) {
  const colmap::BundleAdjustResult& r = report.result;
  const AdjustResult& a = r.adjustment;
  Json json = {{"device", report.device},
               {"seconds", report.seconds},
               {"reason", to_string(a.reason)},
               {"converged", a.is_converged()},
               {"iterations", a.iterations},
               {"initial_cost", a.initial_cost},
               {"final_cost", a.final_cost},
               {"initial_mean_error", r.initial_error},
               {"final_mean_error", r.final_error},
               {"initial_rms_error", r.initial_rms},
               {"final_rms_error", r.final_rms},
               {"cameras", r.cameras},
               {"images", r.images},
               {"points", r.points},
               {"observations", count_of(a, ObservationUse::used)},
               {"behind", count_of(a, ObservationUse::behind)},
               {"single_view", count_of(a, ObservationUse::single_view)},
               {"parts", a.parts},
               {"freedom",
                {{"position", a.freedom.position},
                 {"rotation", a.freedom.rotation},
                 {"scale", a.freedom.scale}}},
               {"undetermined", r.undetermined},
               {"solver", a.is_dense    ? "dense"
                          : a.is_sparse ? "sparse"
                                        : "iterative"}};
  for (const AdjustIteration& i : a.history)
    json["history"].push_back({{"iteration", i.iteration},
                               {"cost", i.cost},
                               {"seconds", i.seconds},
                               {"cg_iterations", i.cg_iterations},
                               {"accepted", i.is_accepted}});
  return json;
}

}  // namespace bifocal::cli
