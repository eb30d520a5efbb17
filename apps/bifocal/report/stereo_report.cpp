// SPDX-License-Identifier: BSD-3-Clause
#include "report/stereo_report.hpp"

#include <fmt/format.h>
#include <bifocal/draw.hpp>

#include <filesystem>

#include "cli.hpp"
#include "jobs/report/page.hpp"
#include "jobs/report/pair_figures.hpp"

namespace bifocal::cli {
namespace {

Rows score_rows(const StereoScore& s) {
  return {
      {"Scored pixels", fmt::format("{}", s.scored)},
      {"Known", fmt::format("{:.2f} %", s.density)},
      {"Off by more than 1 px", fmt::format("{:.2f} % (filled: {:.2f} %)", s.bad1, s.bad1_filled)},
      {"Off by more than 2 px", fmt::format("{:.2f} % (filled: {:.2f} %)", s.bad2, s.bad2_filled)},
      {"Mean error", fmt::format("{:.3f} px (filled: {:.3f} px)", s.avgerr, s.avgerr_filled)}};
}

Rows file_rows(const StereoReport& in) {
  Rows rows = {{"disparity.pfm", "disparity of the left photograph, filled, px"},
               {"disparity_raw.pfm", "disparity of the left photograph, unknown where not found"},
               {"disparity.png", "the same as a 16-bit image; stereo.json has its scale"},
               {"disparity_turbo.png", "the same in colours, with a legend"}};
  if (!in.disparity.confidence.empty()) rows.push_back({"confidence.png", "confidence"});
  if (in.cloud_points) rows.push_back({"cloud.ply", "coloured point cloud"});
  rows.push_back({"stereo.json", "options, densities, doubts and times"});
  return rows;
}

// The command that most users of such a result type next.
void add_next(Page& page, const StereoReport& in) {
  const auto add = [&](const char* text, const char* command, const char* option) {
    page.paragraph(text);
    page.preformatted(fmt::format("bifocal {} {} {} {}--out FOLDER", command,
                                  shell_quoted(in.file1), shell_quoted(in.file2), option));
  };
  page.heading("Next");
  if (!in.doubts.empty())
    add("To find the geometry of both photographs and rectify them:", "pair", "");
  else if (!in.cloud_points)
    add("To make a point cloud, with the cameras and their distance:", "stereo",
        "--calib calib.txt ");
  else
    add("To compare with a true disparity:", "stereo", "--truth TRUTH ");
}

}  // namespace

std::string stereo_report(const StereoReport& in) {
  const auto name = [](const std::string& file) {
    return std::filesystem::path(file).filename().string();
  };
  Page page(fmt::format("{} and {}", name(in.file1), name(in.file2)));
  page.paragraph(fmt::format(
      "{:.1f} % of the left photograph's pixels passed the cross-check and the filters.",
      in.disparity.density));
  for (const std::string& doubt : in.doubts) page.warning(doubt);
  page.preformatted(in.command_line);
  page.heading("Photographs");
  page.photograph(side_by_side(shrunken(in.left), shrunken(in.right)).picture, "Left and right.");
  page.heading("Disparity");
  page.diagram(in.disparity_picture,
               "Disparity of the left photograph, px; near is red; black is unknown.");
  if (!in.disparity.confidence.empty())
    page.diagram(
        in.disparity.confidence,
        "Confidence: margin of the winner over the best disparity elsewhere; black is unknown.");
  page.heading("Numbers");
  page.begin_columns();
  Rows rows = {{"Left", fmt::format("{}, {} x {} px", in.file1, in.left.width, in.left.height)},
               {"Right", fmt::format("{}, {} x {} px", in.file2, in.right.width, in.right.height)},
               {"Density", fmt::format("{:.2f} %", in.disparity.density)}};
  if (in.cloud_points) rows.push_back({"Cloud", fmt::format("{} points", *in.cloud_points)});
  page.table("Result", rows);
  if (in.score) page.table("Against the truth", score_rows(*in.score));
  page.table("Time", time_rows(in.timings()));
  page.end_columns();
  page.folded_table("Options", {in.options.begin(), in.options.end()});
  page.files(file_rows(in));
  add_next(page, in);
  return page.html();
}

}  // namespace bifocal::cli
