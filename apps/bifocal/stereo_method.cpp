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
constexpr std::array<std::string_view, 4> kFill{"none", "background", "mean", "edge-aware"};

template <class Enum, std::size_t n>
Enum value_of(const std::array<std::string_view, n>& names, const std::string& name) {
  return static_cast<Enum>(std::find(names.begin(), names.end(), name) - names.begin());
}

template <std::size_t n>
CLI::Validator one_of(const std::array<std::string_view, n>& names) {
  const std::vector<std::string> words(names.begin(), names.end());
  return CLI::IsMember(words).description("");
}

// AsSizeValue takes -1 for the largest number. Comes before it.
std::string refuse_sign(const std::string& text) {
  return text.starts_with('-') ? fmt::format("{} is negative", text) : std::string();
}

void add_search(CLI::App& command, StereoMethod& m) {
  command
      .add_option("--max-disparity", m.max_disparity,
                  "end of the search, px: disparities below this; default: ndisp of --calib")
      ->check(in_range(-1e5, 1e5));
  command.add_option("--min-disparity", m.min_disparity, "start of the search, px")
      ->check(in_range(-1e5, 1e5))
      ->capture_default_str();
  command
      .add_option("--method", m.method,
                  "sgm: census and semi-global matching; ssd: sums of squared differences over a "
                  "window")
      ->check(CLI::IsMember({"sgm", "ssd"}).description(""))
      ->capture_default_str();
}

std::vector<CLI::Option*> add_sgm(CLI::App& command, StereoMethod& m) {
  SgmOptions& o = m.sgm;
  return {command.add_option("--paths", o.paths, "8, or 4: along rows and columns only, faster")
              ->check(CLI::IsMember({"4", "8"}).description(""))
              ->capture_default_str(),
          command.add_option("--p1", o.P1, "cost of a step of 1 px between neighbours, bits")
              ->check(in_range(0, 190))
              ->capture_default_str(),
          command.add_option("--p2", o.P2, "cost of a larger one, bits, at least --p1")
              ->check(in_range(0, 190))
              ->capture_default_str(),
          command
              .add_option("--census", m.census,
                          "sparse: 31 bits of 9 x 7; symmetric: 31; full: 62, slower")
              ->check(one_of(kCensus))
              ->capture_default_str(),
          command
              .add_option("--uniqueness", o.filter.uniqueness,
                          "per cent by which a match must be better than the best elsewhere")
              ->check(in_range(0, 99))
              ->capture_default_str(),
          command
              .add_option("--vertical-tolerance", o.vertical_tolerance,
                          "px that rows may be apart where rectification is not exact")
              ->check(in_range(0, 2))
              ->capture_default_str(),
          command
              .add_option("--white", o.white,
                          "brightest value of the pictures; 0: 255, or 65535 of 16-bit PNG")
              ->check(in_range(0, 65535))
              ->capture_default_str(),
          command
              .add_option("--max-memory", m.max_memory,
                          "most memory for the matcher, as 500M or 2G; 0: any")
              ->transform(CLI::AsSizeValue(false).description(""))
              ->transform(CLI::Validator(refuse_sign, ""))};
}

// Of both methods.
void add_filter(CLI::App& command, StereoMethod& m) {
  command
      .add_option("--cross-check", m.cross_check,
                  "largest difference of both directions, px; negative: no check")
      ->check(in_range(-1, 1e6))
      ->capture_default_str();
  command
      .add_option("--median", m.median,
                  "side of the median filter, px; 0: none. Default: 5, of ssd 0")
      ->check(CLI::IsMember({"0", "3", "5"}).description(""));
  command
      .add_option("--speckle-size", m.speckle_size,
                  "smaller regions become unknown, px. Default: 100, of ssd 0")
      ->check(in_range(0, 1 << 30));
  command
      .add_option("--speckle-range", m.speckle_range,
                  "neighbours of one region differ by at most this, px")
      ->check(in_range(0, 1e6))
      ->capture_default_str();
  command
      .add_option("--fill", m.fill,
                  "how unknown pixels get a value: none, background, mean, edge-aware")
      ->check(one_of(kFill))
      ->capture_default_str();
}

}  // namespace

void add_stereo_method(CLI::App& command, StereoMethod& m) {
  add_search(command, m);
  const auto of_sgm = std::make_shared<std::vector<CLI::Option*>>(add_sgm(command, m));
  CLI::Option* window =
      command.add_option("--window", m.ssd.window, "ssd: side of the square window, px, odd")
          ->check(in_range(3, 31))
          ->capture_default_str();
  add_filter(command, m);
  command.parse_complete_callback([&m, of_sgm, window] {
    const auto refuse = [&](const CLI::Option* option, const char* method) {
      if (option->count() > 0 && m.method != method)
        throw Error(ErrorCode::usage,
                    fmt::format("{}: belongs to --method {}", option->get_name(), method));
    };
    for (const CLI::Option* option : *of_sgm) refuse(option, "sgm");
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
    // The option of the library by the name that it has here.
    constexpr std::string_view name = "max_memory";
    std::string text = e.what();
    const std::size_t at = text.find(name);
    if (e.code() != ErrorCode::usage || at == std::string::npos) throw;
    throw Error(e.code(), text.replace(at, name.size(), "--max-memory"));
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
