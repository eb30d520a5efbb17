// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/collect.hpp>
#include <bifocal/colmap/database.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>

#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include "arguments.hpp"
#include "cli.hpp"
#include "contradictions.hpp"
#include "report/collection/collection_report.hpp"

namespace bifocal::cli {
namespace fs = std::filesystem;
namespace {

struct Options {
  std::string database, images, run, out;
  std::uint64_t max_size = std::uint64_t{24} << 20;
  int threads = 0;
  bool json = false;
};

void check(const Options& o) {
  std::error_code none;
  if (o.out.empty()) throw Error(ErrorCode::usage, "--out: an empty name is no file");
  for (const std::string& input : {o.database, o.run})
    if (!input.empty() && fs::equivalent(o.out, input, none))
      throw Error(ErrorCode::usage,
                  fmt::format("--out {}: would replace the input {}", o.out, input));
  if (fs::is_directory(o.out, none))
    throw Error(ErrorCode::input, fmt::format("--out {}: is a folder", o.out));
  if (!o.images.empty() && !fs::is_directory(o.images, none))
    throw Error(ErrorCode::input, fmt::format("--images {}: is no folder", o.images));
}

Json read_run(const std::string& file) {
  if (file.empty()) return {};
  Json run = Json::parse(read_text(file), nullptr, false);
  if (!run.is_object())
    throw Error(
        ErrorCode::input,
        fmt::format("{}: is not what bifocal collect --json or verify --json prints", file));
  return run;
}

// Those whose matches can be looked at, then some that have none to show.
std::vector<int> images_in_turn(const ViewGraph& graph, const std::vector<int>& edges) {
  std::vector<int> images;
  std::vector<bool> taken(graph.images.size());
  const auto take = [&](int i) {
    if (!taken[static_cast<std::size_t>(i)]) images.push_back(i);
    taken[static_cast<std::size_t>(i)] = true;
  };
  for (const int e : edges) {
    take(graph.edges[static_cast<std::size_t>(e)].a);
    take(graph.edges[static_cast<std::size_t>(e)].b);
  }
  for (std::size_t i = 0; i < graph.images.size(); ++i)
    if (graph.images[i].component < 0) take(static_cast<int>(i));
  return images;
}

unsigned thread_count(int asked) {
  return asked > 0 ? static_cast<unsigned>(asked)
                   : std::max(1U, std::thread::hardware_concurrency());
}

void run(const Options& o, const Context& context) {
  const auto start = std::chrono::steady_clock::now();
  check(o);
  const Json earlier = read_run(o.run);
  const colmap::Database database(o.database, colmap::quiet_access(o.database));
  const ViewGraph graph = read_view_graph(database);
  if (graph.images.empty())
    throw Error(ErrorCode::input, fmt::format("{}: has no images", o.database));
  const ShownPairs shown = shown_pairs(graph);
  Json data = page_data(graph, shown);
  // What the overview leaves of --max-size goes to pairs, half of it to pictures if there are any.
  const std::size_t base = to_line(data).size();
  std::size_t left = o.max_size > base ? o.max_size - base : 0;
  const std::size_t for_pictures = o.images.empty() ? 0 : left / 2;
  std::vector<int> edges = shown.in_turn;
  edges.resize(std::min(edges.size(), (left - for_pictures) / kPairBytes));
  const std::size_t points = points_that_fit(left - for_pictures, edges.size());
  const std::vector<PairDetails> details = pair_details(database, graph, edges, points);
  Thumbnails pictures;
  if (!o.images.empty())
    pictures = thumbnails(graph, images_in_turn(graph, edges), o.images,
                          static_cast<std::int64_t>(for_pictures / 4 * 3), thread_count(o.threads));
  add_details(data, shown, details, pictures);
  const Contradictions contradictions = find_contradictions(o.database);
  CollectSummary collected = read_collect_summary(o.database);
  collected.notes.insert(collected.notes.end(), contradictions.texts.begin(),
                         contradictions.texts.end());
  const std::string html =
      collection_report({fs::path(o.database).filename().string(), context.command_line, graph,
                         points, collected, earlier},
                        data, shown, o.images.empty() ? nullptr : &pictures);
  write_file(o.out, html);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const Json result = {{"report", o.out},
                       {"bytes", html.size()},
                       {"images", graph.images.size()},
                       {"verified", graph.edges.size()},
                       {"contradicting", contradictions.pairs},
                       {"components", graph.components.size()},
                       {"edges", shown.edges.size()},
                       {"pairs", details.size()},
                       {"pictures", pictures.pictures.size()},
                       {"seconds", seconds}};
  if (o.json) return print_out(to_text(result));
  print_out(
      fmt::format("{}: {:.1f} MB; {} images, {} verified pairs, {} of them to look at, {} "
                  "pictures; {:.1f} s\n",
                  o.out, static_cast<double>(html.size()) / 1e6, graph.images.size(),
                  graph.edges.size(), details.size(), pictures.pictures.size(), seconds));
}

}  // namespace

void add_report(Program& program, Context& context) {
  const Command command = program.command(
      "report", "One HTML page of a database: its view graph, pairs, and what was left out");
  const auto o = std::make_shared<Options>();
  command.option("DATABASE", o->database, "of COLMAP, as collect and verify write them").required();
  command.option("--out", o->out, "the page, one file that needs no network").required();
  command.option("--images", o->images, "folder of the photographs, for small pictures of them");
  command.option("--run", o->run,
                 "file with what collect --json or verify --json printed: times, photographs left "
                 "out");
  command
      .option("--max-size", o->max_size,
              "of the page: pairs to look at and pictures fill what the overview leaves")
      .size_in_bytes()
      .shows_default();
  command.option("--threads", o->threads, "most threads to decode photographs, 0: all cores")
      .in_range(Range::within(0, 4096))
      .shows_default();
  command.flag("--json", o->json, "print the result as JSON on stdout");
  command.runs([o, &context] { run(*o, context); });
}

}  // namespace bifocal::cli
