// SPDX-License-Identifier: BSD-3-Clause
#include "stereo_method.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <nlohmann/json.hpp>

#include <bifocal/error.hpp>

#include "option_fields.hpp"

namespace bifocal::cli {
namespace {

// Adds the flags common to both methods. Each method keeps its own defaults.
void set_common(StereoMethod& m, bool median_given, bool speckle_size_given) {
  const DisparityFilter own = m.ssd.filter;
  m.ssd.min_disparity = m.sgm.min_disparity;
  m.ssd.filter = m.sgm.filter;
  m.ssd.filter.uniqueness = own.uniqueness;
  if (!median_given) m.ssd.filter.median = own.median;
  if (!speckle_size_given) m.ssd.filter.speckle_size = own.speckle_size;
  m.ssd.filter.fill_window = m.ssd.window;
}

}  // namespace

void add_stereo_method(const Command& command, StereoMethod& m) {
  command
      .option("--max-disparity", m.max_disparity,
              "exclusive end of the search, px; default: ndisp of --calib, else a range "
              "estimated from matches")
      .in_range(Range::within(-1e5, 1e5));
  command
      .option("--method", m.method,
              "sgm: census and semi-global matching; ssd: sums of squared differences over a "
              "window")
      .one_of({"sgm", "ssd"})
      .shows_default();
  DisparityFilter& f = m.sgm.filter;
  add_flags(
      command, m.sgm,
      FlagChanges()
          .leave_out(m.sgm.disparities, m.sgm.P2_contrast, f.fill_window)
          .change(m.sgm.min_disparity, {.range = Range::within(-1e5, 1e5)})
          .change(m.sgm.max_memory,
                  {.help = "memory limit of the matcher, such as 500M or 2G; 0: no limit"})
          .change(f.cross_check, {.range = Range::within(-1, 1e6)})
          .change(f.median,
                  {.help = "side of the median filter, px; 0: no filter. Default: 5, for ssd 0",
                   .shows_default = false})
          .change(f.speckle_size,
                  {.help = "regions with fewer pixels become unknown. Default: 100, for ssd 0",
                   .shows_default = false})
          .change(f.speckle_range, {.range = Range::within(0, 1e6)}));
  add_flags(command, m.ssd,
            FlagChanges().leave_out(m.ssd.min_disparity, m.ssd.disparities, m.ssd.filter));
  command.after_parsing([&m, command] {
    const auto given = [&](const char* name) { return command.get(name).given(); };
    const auto refuse = [&](const char* name, const char* method) {
      if (given(name) && m.method != method)
        throw Error(ErrorCode::usage, fmt::format("{}: is only for --method {}", name, method));
    };
    for (const char* name : {"--paths", "--p1", "--p2", "--census", "--uniqueness",
                             "--vertical-tolerance", "--white", "--max-memory"})
      refuse(name, "sgm");
    refuse("--window", "ssd");
    m.has_min_disparity = given("--min-disparity");
    set_common(m, given("--median"), given("--speckle-size"));
  });
}

void finish(StereoMethod& m, DisparityRange estimated) {
  if (!m.max_disparity && !m.has_min_disparity)
    m.sgm.min_disparity = m.ssd.min_disparity = estimated.min;
  const int end = m.max_disparity.value_or(estimated.min + estimated.count),
            start = m.sgm.min_disparity;
  if (!kDisparityCounts.contains(end - start)) {
    throw Error(ErrorCode::usage, fmt::format("--max-disparity: {} with --min-disparity {}: the "
                                              "search must have 1 to 1024 disparities",
                                              end, start));
  }
  if (m.sgm.P2 < m.sgm.P1)
    throw Error(ErrorCode::usage, fmt::format("--p2: {} is less than --p1 {}", m.sgm.P2, m.sgm.P1));
  m.sgm.disparities = m.ssd.disparities = end - start;
}

DisparityMap match(Queue& queue, const StereoMethod& m, const Picture& left, const Picture& right) {
  if (m.method == "ssd") return stereo_ssd(queue, to_grey(left.image), to_grey(right.image), m.ssd);
  try {
    return left.deep.empty() ? stereo_sgm(queue, left.image, right.image, m.sgm)
                             : stereo_sgm(queue, left.deep, right.deep, m.sgm);
  } catch (const Error& e) {
    rethrow_renamed(e, "max_memory", "--max-memory");
  }
}

Json options_json(const StereoMethod& m) {
  Json json = {{"method", m.method}};
  m.method == "ssd" ? add_json(m.ssd, json) : add_json(m.sgm, json);
  json["max_disparity"] = m.sgm.min_disparity + m.sgm.disparities;
  return json;
}

std::vector<std::pair<std::string, std::string>> option_rows(const StereoMethod& m) {
  std::vector<std::pair<std::string, std::string>> rows = {
      {"Disparities", fmt::format("{} to {} px", m.sgm.min_disparity,
                                  m.sgm.min_disparity + m.sgm.disparities - 1)}};
  if (m.method == "ssd") {
    rows.emplace_back("Method", fmt::format("ssd, {0} x {0} px", m.ssd.window));
  } else {
    rows.emplace_back("Method",
                      fmt::format("sgm, {} paths, {} census, P1 {}, P2 {}", m.sgm.paths,
                                  kCensusWords[std::size_t(m.sgm.census)], m.sgm.P1, m.sgm.P2));
  }
  rows.emplace_back("Fill", kFillWords[std::size_t(m.sgm.filter.fill)]);
  return rows;
}

}  // namespace bifocal::cli
