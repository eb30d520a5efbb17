// SPDX-License-Identifier: BSD-3-Clause
#include "stereo_method.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string_view>
#include <nlohmann/json.hpp>

#include <bifocal/error.hpp>

#include "arguments.hpp"

namespace bifocal::cli {
namespace {

// In the order of the enums.
constexpr std::array<std::string_view, 3> kCensus{"sparse", "symmetric", "full"};
constexpr std::array<std::string_view, 3> kFill{"none", "background", "mean"};

template <class Enum, std::size_t n>
Enum value_of(const std::array<std::string_view, n>& names, const std::string& name) {
  return static_cast<Enum>(std::find(names.begin(), names.end(), name) - names.begin());
}

template <std::size_t n>
std::vector<std::string> words(const std::array<std::string_view, n>& names) {
  return {names.begin(), names.end()};
}

void add_search(const Command& command, StereoMethod& m) {
  command
      .option("--max-disparity", m.max_disparity,
              "end of the search, px: disparities below this; default: ndisp of --calib")
      .in_range(-1e5, 1e5);
  command.option("--min-disparity", m.min_disparity, "start of the search, px")
      .in_range(-1e5, 1e5)
      .shows_default();
  command
      .option("--method", m.method,
              "sgm: census and semi-global matching; ssd: sums of squared differences over a "
              "window")
      .one_of({"sgm", "ssd"})
      .shows_default();
}

std::vector<Option> add_sgm(const Command& command, StereoMethod& m) {
  SgmOptions& o = m.sgm;
  return {
      command.option("--paths", o.paths, "8, or 4: along rows and columns only, faster")
          .one_of({"4", "8"})
          .shows_default(),
      command.option("--p1", o.P1, "cost of a step of 1 px between neighbours, bits")
          .in_range(0, 190)
          .shows_default(),
      command.option("--p2", o.P2, "cost of a larger one, bits, at least --p1")
          .in_range(0, 190)
          .shows_default(),
      command
          .option("--census", m.census, "sparse: 31 bits of 9 x 7; symmetric: 31; full: 62, slower")
          .one_of(words(kCensus))
          .shows_default(),
      command
          .option("--uniqueness", o.filter.uniqueness,
                  "per cent by which a match must be better than the best elsewhere")
          .in_range(0, 99)
          .shows_default(),
      command
          .option("--vertical-tolerance", o.vertical_tolerance,
                  "px that rows may be apart where rectification is not exact")
          .in_range(0, 2)
          .shows_default(),
      command
          .option("--white", o.white,
                  "brightest value of the pictures; 0: 255, or 65535 of 16-bit PNG")
          .in_range(0, 65535)
          .shows_default(),
      command
          .option("--max-memory", m.max_memory,
                  "most memory for the matcher, as 500M or 2G; 0: any")
          .size_in_bytes()};
}

// Of both methods.
void add_filter(const Command& command, StereoMethod& m) {
  command
      .option("--cross-check", m.cross_check,
              "largest difference of both directions, px; negative: no check")
      .in_range(-1, 1e6)
      .shows_default();
  command
      .option("--median", m.median, "side of the median filter, px; 0: none. Default: 5, of ssd 0")
      .one_of({"0", "3", "5"});
  command
      .option("--speckle-size", m.speckle_size,
              "smaller regions become unknown, px. Default: 100, of ssd 0")
      .in_range(0, 1 << 30);
  command
      .option("--speckle-range", m.speckle_range,
              "neighbours of one region differ by at most this, px")
      .in_range(0, 1e6)
      .shows_default();
  command.option("--fill", m.fill, "how unknown pixels get a value: none, background, mean")
      .one_of(words(kFill))
      .shows_default();
}

}  // namespace

void add_stereo_method(const Command& command, StereoMethod& m) {
  add_search(command, m);
  const auto of_sgm = add_sgm(command, m);
  const Option window =
      command.option("--window", m.ssd.window, "ssd: side of the square window, px, odd")
          .in_range(3, 31)
          .shows_default();
  add_filter(command, m);
  command.after_parsing([&m, of_sgm, window] {
    const auto refuse = [&](const Option& option, const char* method) {
      if (option.given() && m.method != method)
        throw Error(ErrorCode::usage,
                    fmt::format("{}: belongs to --method {}", option.name(), method));
    };
    for (const Option& option : of_sgm) refuse(option, "sgm");
    refuse(window, "ssd");
  });
}

void finish(StereoMethod& m, int ndisp) {
  if (!m.max_disparity && ndisp <= 0) {
    throw Error(ErrorCode::usage,
                "--max-disparity is required (unless --calib names a file with ndisp)");
  }
  const int end = m.max_disparity.value_or(ndisp), disparities = end - m.min_disparity;
  if (disparities < 1 || disparities > 1024) {
    throw Error(ErrorCode::usage, fmt::format("--max-disparity: {} with --min-disparity {}: the "
                                              "search must hold 1 to 1024 disparities",
                                              end, m.min_disparity));
  }
  if (m.ssd.window % 2 == 0)
    throw Error(ErrorCode::usage, fmt::format("--window: {} is not odd", m.ssd.window));
  if (m.sgm.P2 < m.sgm.P1)
    throw Error(ErrorCode::usage, fmt::format("--p2: {} is less than --p1 {}", m.sgm.P2, m.sgm.P1));
  m.sgm.min_disparity = m.ssd.min_disparity = m.min_disparity;
  m.sgm.disparities = m.ssd.disparities = disparities;
  m.sgm.census = value_of<Census>(kCensus, m.census);
  for (DisparityFilter* f : {&m.sgm.filter, &m.ssd.filter}) {
    f->fill = value_of<Fill>(kFill, m.fill);
    f->cross_check = m.cross_check;
    if (m.median) f->median = *m.median;
    if (m.speckle_size) f->speckle_size = *m.speckle_size;
    f->speckle_range = m.speckle_range;
  }
  m.ssd.filter.fill_window = m.ssd.window;
  m.sgm.max_memory = m.max_memory;
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
  Json json = {{"method", m.method},
               {"min_disparity", m.min_disparity},
               {"max_disparity", m.min_disparity + m.sgm.disparities},
               {"cross_check", m.cross_check},
               {"fill", m.fill}};
  const DisparityFilter& f = m.method == "ssd" ? m.ssd.filter : m.sgm.filter;
  json.update(
      {{"median", f.median}, {"speckle_size", f.speckle_size}, {"speckle_range", f.speckle_range}});
  if (m.method == "ssd") {
    json["window"] = m.ssd.window;
    return json;
  }
  json.update({{"paths", m.sgm.paths},
               {"census", m.census},
               {"p1", m.sgm.P1},
               {"p2", m.sgm.P2},
               {"uniqueness", f.uniqueness},
               {"vertical_tolerance", m.sgm.vertical_tolerance},
               {"white", m.sgm.white},
               {"max_memory", m.max_memory}});
  return json;
}

std::vector<std::pair<std::string, std::string>> option_rows(const StereoMethod& m) {
  std::vector<std::pair<std::string, std::string>> rows = {
      {"Disparities",
       fmt::format("{} to {} px", m.min_disparity, m.min_disparity + m.sgm.disparities - 1)}};
  if (m.method == "ssd") {
    rows.emplace_back("Method", fmt::format("ssd, {0} x {0} px", m.ssd.window));
  } else {
    rows.emplace_back("Method", fmt::format("sgm, {} paths, {} census, P1 {}, P2 {}", m.sgm.paths,
                                            m.census, m.sgm.P1, m.sgm.P2));
  }
  rows.emplace_back("Fill", m.fill);
  return rows;
}

}  // namespace bifocal::cli
