// SPDX-License-Identifier: BSD-3-Clause
#include "verify_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "arguments.hpp"

namespace bifocal::cli {
namespace {

const char* word_of(colmap::RowUse use) {
  switch (use) {
    case colmap::RowUse::left_out:
      return "left_out";
    case colmap::RowUse::uncalibrated:
      return "uncalibrated";
    case colmap::RowUse::as_it_is:
      break;
  }
  return "as_it_is";
}

const char* what_became_of(colmap::RowUse use) {
  switch (use) {
    case colmap::RowUse::left_out:
      return "left out";
    case colmap::RowUse::uncalibrated:
      return "verified uncalibrated, without that camera";
    case colmap::RowUse::as_it_is:
      break;
  }
  return "verified with it";
}

}  // namespace

colmap::VerifyOptions VerifyOptions::chosen() const {
  colmap::VerifyOptions out = rules;
  out.detect_watermark = !no_watermark;
  return out;
}

void add_verify_options(const Command& command, VerifyOptions& options) {
  colmap::VerifyOptions& v = options.rules;
  command.option("--pairs", options.pairs, "file of pairs, two names of images a line; else all");
  command.flag("--overwrite", options.overwrite,
               "verify again what was verified; else it is skipped");
  command.option("--min-inliers", v.min_inliers, "a pair with fewer is written as degenerate")
      .in_range(1, 1e6)
      .shows_default();
  command.option("--threshold", v.max_error, "largest error of an inlier, px")
      .in_range(1e-3, 1e3)
      .shows_default();
  command.option("--confidence", v.confidence, "of having drawn a sample without outliers")
      .in_range(0.5, 0.999999)
      .shows_default();
  command.option("--max-iterations", v.max_iterations, "most samples to draw for each model")
      .in_range(1, 1e8)
      .shows_default();
  command
      .option("--min-inlier-ratio", v.min_inlier_ratio,
              "fraction of right matches worth looking for; 0: 0.2, more of few matches")
      .in_range(0, 1)
      .shows_default();
  command.flag("--relative-pose", v.relative_pose,
               "poses of planar pairs, too, and planes told from turns");
  command.flag("--no-watermark", options.no_watermark, "do not look for watermarks");
  command.option("--seed", v.seed, "of the sampling; the same seed gives the same result")
      .whole_number()
      .shows_default();
}

Json counts_json(const colmap::VerifyProgress& done) {
  Json counts = Json::object();
  for (std::size_t k = 0; k < done.configurations.size(); ++k) {
    if (done.configurations[k] > 0)
      counts[colmap::to_string(static_cast<colmap::Configuration>(k))] = done.configurations[k];
  }
  return counts;
}

Json odd_rows_json(const std::vector<colmap::OddRow>& rows) {
  Json json = Json::array();
  for (const colmap::OddRow& r : rows)
    json.push_back(
        {{"row", r.row}, {"reason", r.reason}, {"use", word_of(r.use)}, {"pairs", r.pairs}});
  return json;
}

void tell_odd_rows(const std::vector<colmap::OddRow>& rows) {
  constexpr std::size_t kMostTold = 20;
  for (std::size_t i = 0; i < std::min(rows.size(), kMostTold); ++i)
    tell(fmt::format("{}: {}: {} pair{} {}", rows[i].row, rows[i].reason, rows[i].pairs,
                     rows[i].pairs == 1 ? "" : "s", what_became_of(rows[i].use)));
  if (rows.size() > kMostTold)
    tell(fmt::format("and {} more such rows, which --json lists", rows.size() - kMostTold));
}

Json verified_json(const std::string& database, const colmap::VerifyProgress& done) {
  Json json = {{"database", database}};
  json["pairs"] = done.done;
  json["skipped"] = done.skipped;
  json["unmatched"] = done.unmatched;
  json["left_out"] = done.left_out;
  json["odd_rows"] = odd_rows_json(done.odd_rows);
  json["configurations"] = counts_json(done);
  json["inliers"] = done.inliers;
  return json;
}

}  // namespace bifocal::cli
