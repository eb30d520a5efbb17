// SPDX-License-Identifier: BSD-3-Clause
#include "verify_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace bifocal::cli {
namespace {

const char* word_of(colmap::RowUse use) {
  switch (use) {
    case colmap::RowUse::left_out:
      return "left_out";
    case colmap::RowUse::uncalibrated:
      return "uncalibrated";
    case colmap::RowUse::without_pose:
      return "without_pose";
    case colmap::RowUse::as_it_is:
      break;
  }
  return "as_it_is";
}

const char* outcome_of(colmap::RowUse use) {
  switch (use) {
    case colmap::RowUse::left_out:
      return "left out";
    case colmap::RowUse::uncalibrated:
      return "verified as uncalibrated, without this camera";
    case colmap::RowUse::without_pose:
      return "written without a pose";
    case colmap::RowUse::as_it_is:
      break;
  }
  return "verified with these values";
}

}  // namespace

void add_verify_options(const Command& command, VerifyFlags& flags, FlagChanges changes) {
  command.option("--pairs", flags.pairs,
                 "file of pairs, two image names on a line; default: all pairs");
  const colmap::TwoViewGeometryOptions& v = flags.run.options;
  add_flags(
      command, flags.run,
      changes.leave_out(v.min_iterations, v.min_E_F_inlier_ratio, v.max_H_inlier_ratio)
          .leave_out(v.watermark_min_inlier_ratio, v.watermark_border_size, v.watermark_max_error)
          .change(v.min_inliers, {.range = Range::within(1, 1e6)})
          .change(v.threshold, {.name = "--threshold", .range = Range::within(1e-3, 1e3)})
          .change(v.confidence, {.range = Range::within(0.5, 0.999999)})
          .change(v.max_iterations, {.range = Range::within(1, 1e8)})
          .change(v.detect_watermark,
                  {.name = "--no-watermark", .help = "do not detect watermarks"}));
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

void print_odd_rows(const std::vector<colmap::OddRow>& rows) {
  constexpr std::size_t kMostPrinted = 20;
  for (std::size_t i = 0; i < std::min(rows.size(), kMostPrinted); ++i)
    print_note(fmt::format("{}: {}: {} pair{} {}", rows[i].row, rows[i].reason, rows[i].pairs,
                           rows[i].pairs == 1 ? "" : "s", outcome_of(rows[i].use)));
  if (rows.size() > kMostPrinted)
    print_note(fmt::format("{} more such rows are listed by --json", rows.size() - kMostPrinted));
}

std::int64_t verified_pairs(const colmap::VerifyProgress& done) {
  std::int64_t count = 0;
  for (std::size_t k = 0; k < done.configurations.size(); ++k)
    if (colmap::is_geometry(static_cast<colmap::Configuration>(k))) count += done.configurations[k];
  return count;
}

Json verified_json(const std::string& database, const colmap::VerifyProgress& done) {
  Json json = {{"database", database}};
  json["pairs"] = done.done;
  json["verified"] = verified_pairs(done);
  json["verified_before"] = done.verified_before;
  json["unmatched"] = done.unmatched;
  json["left_out"] = done.left_out;
  json["odd_rows"] = odd_rows_json(done.odd_rows);
  json["configurations"] = counts_json(done);
  json["inliers"] = done.inliers;
  return json;
}

}  // namespace bifocal::cli
