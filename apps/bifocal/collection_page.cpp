// SPDX-License-Identifier: BSD-3-Clause
#include "collection_page.hpp"

#include <fmt/format.h>
#include <bifocal/collect.hpp>
#include <bifocal/colmap/database.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <thread>

#include "contradictions.hpp"
#include "report/collection/collection_report.hpp"

namespace bifocal::cli {
namespace fs = std::filesystem;
namespace {

// A page may replace an earlier page, but no other file, such as a photograph.
bool is_page_or_free(const fs::path& file) {
  std::error_code none;
  if (!fs::exists(file, none) || fs::is_empty(file, none)) return true;
  if (!fs::is_regular_file(file, none)) return true;  // a pipe, or an error when it is written
  std::string start(9, '\0');
  std::ifstream(file, std::ios::binary).read(start.data(), std::streamsize(start.size()));
  std::ranges::transform(start, start.begin(), [](unsigned char c) { return std::tolower(c); });
  return start == "<!doctype";
}

void check(const CollectionPage& page) {
  std::error_code none;
  if (page.out.empty()) throw Error(ErrorCode::usage, "the page: the file name is empty");
  for (const fs::path& input : {page.database, page.run_file})
    if (!input.empty() && fs::equivalent(page.out, input, none))
      throw Error(ErrorCode::usage,
                  fmt::format("{}: would replace the input {}", page.out.string(), input.string()));
  if (!is_page_or_free(page.out))
    throw Error(ErrorCode::input,
                fmt::format("{}: is no HTML page, so it is not replaced", page.out.string()));
  if (fs::is_directory(page.out, none))
    throw Error(ErrorCode::input, fmt::format("{}: is a folder", page.out.string()));
  if (!page.images.empty() && !fs::is_directory(page.images, none))
    throw Error(ErrorCode::input, fmt::format("{}: is no folder", page.images.string()));
}

std::vector<NamedModel> read_models(const fs::path& folder) {
  if (folder.empty()) return {};
  std::vector<NamedModel> models;
  for (std::size_t i = 0; colmap::model_format(folder / std::to_string(i)); ++i) {
    const fs::path place = folder / std::to_string(i);
    models.push_back({place.string(), colmap::read_model(place)});
  }
  if (models.empty()) models.push_back({folder.string(), colmap::read_model(folder)});
  return models;
}

// Bytes of the models on the page.
std::size_t bytes_of(const std::vector<NamedModel>& models, const ViewGraph& graph) {
  Page without(""), with("");
  add_models(with, models, graph);
  return with.html().size() - without.html().size();
}

Json read_run(const fs::path& file) {
  if (file.empty()) return {};
  Json run = Json::parse(read_text(file), nullptr, false);
  if (!run.is_object())
    throw Error(ErrorCode::input,
                fmt::format("{}: is not the output of bifocal collect --json or verify --json",
                            file.string()));
  return run;
}

// Returns the images whose matches the page shows, then the images without a verified pair.
std::vector<int> images_in_order(const ViewGraph& graph, const std::vector<int>& edges) {
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

unsigned thread_count(int requested) {
  return requested > 0 ? static_cast<unsigned>(requested)
                       : std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace

CollectionPageSummary write_collection_page(const CollectionPage& page) {
  check(page);
  const Json earlier = read_run(page.run_file);
  std::vector<NamedModel> models = read_models(page.model);
  const colmap::Database database(page.database, colmap::quiet_access(page.database));
  const ViewGraph graph = read_view_graph(database);
  if (graph.images.empty())
    throw Error(ErrorCode::input, fmt::format("{}: has no images", page.database.string()));
  const ShownPairs shown = shown_pairs(graph);
  Json data = page_data(graph, shown);
  // Pairs get the bytes of max_bytes that the overview leaves; half of this goes to thumbnails if
  // the page has any.
  const std::size_t base = to_line(data).size() + bytes_of(models, graph);
  std::size_t left = page.max_bytes > base ? page.max_bytes - base : 0;
  const std::size_t for_pictures = page.images.empty() ? 0 : left / 2;
  std::vector<int> edges = shown.in_order;
  edges.resize(std::min(edges.size(), (left - for_pictures) / kPairBytes));
  const std::size_t points = points_that_fit(left - for_pictures, edges.size());
  const std::vector<PairDetails> details = pair_details(database, graph, edges, points);
  Thumbnails pictures;
  if (!page.images.empty())
    pictures =
        thumbnails(graph, images_in_order(graph, edges), page.images,
                   static_cast<std::int64_t>(for_pictures / 4 * 3), thread_count(page.threads));
  add_details(data, shown, details, pictures);
  const Contradictions contradictions = find_contradictions(page.database.string());
  CollectSummary collected = read_collect_summary(page.database);
  collected.notes.insert(collected.notes.end(), contradictions.texts.begin(),
                         contradictions.texts.end());
  const std::string html = collection_report(
      {page.database.filename().string(), page.command_line, page.database.string(),
       page.images.string(), graph, points, collected, earlier, std::move(models)},
      data, shown, page.images.empty() ? nullptr : &pictures);
  write_file(page.out, html);
  return {.bytes = html.size(),
          .images = graph.images.size(),
          .verified = graph.edges.size(),
          .contradicting = contradictions.pairs,
          .components = graph.components.size(),
          .edges = shown.edges.size(),
          .pairs = details.size(),
          .pictures = pictures.pictures.size()};
}

}  // namespace bifocal::cli
