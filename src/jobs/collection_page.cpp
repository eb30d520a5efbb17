// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/jobs.hpp>

#include <fmt/format.h>
#include <bifocal/collect.hpp>
#include <bifocal/colmap/database.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>
#include <bifocal/mapping.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <set>
#include <string_view>
#include <thread>

#include "jobs/contradictions.hpp"
#include "jobs/control_points.hpp"
#include "jobs/output_folder.hpp"
#include "jobs/report/collection/collection_report.hpp"
#include "jobs/report/page.hpp"

namespace bifocal::jobs {
namespace fs = std::filesystem;
namespace {

// An element of the page's head that names its database, relative to the page.
std::string mark_of(const CollectionPage& page) {
  std::error_code none;
  const fs::path folder = fs::absolute(page.out, none).parent_path();
  return fmt::format("<meta name=\"bifocal-database\" content=\"{}\">\n",
                     escaped(path_from(folder, page.database)));
}

bool is_earlier_page(const CollectionPage& page) {
  constexpr std::size_t kHead = 4096;
  std::error_code none;
  if (!fs::is_regular_file(page.out, none)) return false;
  std::string start(kHead, '\0');
  std::ifstream file(page.out, std::ios::binary);
  file.read(start.data(), std::streamsize(start.size()));
  start.resize(static_cast<std::size_t>(file.gcount()));
  return start.find(mark_of(page)) != std::string::npos;
}

void check(const CollectionPage& page) {
  std::error_code none;
  if (page.out.empty()) throw Error(ErrorCode::usage, "the page: the file name is empty");
  const fs::path cloud = page.dense.empty() ? fs::path() : page.dense / "fused.ply";
  require_no_input(page.out, std::array{page.database, page.run_file, cloud, page.control});
  require_file_place(page.out);
  require_free(page.out, page.overwrite || is_earlier_page(page),
               "exists already, and is no page of this database");
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
  if (models.empty()) {
    const fs::path place = colmap::model_folder(folder);
    models.push_back({place.string(), colmap::read_model(place)});
  }
  return models;
}

// Refuses models of other photographs.
void check_names(const CollectionPage& page, const std::vector<NamedModel>& models,
                 const ViewGraph& graph) {
  std::set<std::string_view> names;
  for (const auto& image : graph.images) names.insert(image.name);
  for (const NamedModel& named : models) {
    const std::vector<colmap::ModelImage>& images = named.model.images;
    if (images.empty() ||
        std::ranges::any_of(images, [&](const auto& image) { return names.contains(image.name); }))
      continue;
    throw Error(ErrorCode::input,
                fmt::format("{}: has no image of {}: its first image is {}, that of the database "
                            "{}",
                            named.folder, page.database.string(), images.front().name,
                            graph.images.front().name));
  }
}

// Sets the positions of images in the frame of a model.
void set_positions(const bifocal::ViewGraph& graph, NamedModel& named) {
  const std::optional<colmap::Georeference>& place = named.model.georeference;
  if (!place || place->origin.has_value() != graph.origin.has_value()) return;
  for (const MapPosition& p : graph.positions) {
    if (!p.centre) continue;
    const Vec3 centre =
        graph.origin ? TangentPlane(*place->origin).enu(TangentPlane(*graph.origin).geo(*p.centre))
                     : *p.centre;
    named.positions.emplace_back(graph.images[static_cast<std::size_t>(p.image)].name, centre);
  }
}

// Compares control points with the models: the coordinates of a model that has a place on the
// Earth, otherwise its shape.
void set_control(const CollectionPage& page, std::vector<NamedModel>& models) {
  const ControlPoints control = read_control(page.control, page.check);
  if (control.points.empty()) return;
  for (NamedModel& named : models) try {
      named.control = control;
      const bool has_place = named.model.georeference && named.model.georeference->origin;
      named.report = has_place ? compare_control_points(named.model, control)
                               : check_control_points(named.model, control);
      for (const std::string& doubt : named.report->doubts)
        named.doubts.push_back(doubt + " (control)");
    } catch (const Error& e) {
      named.doubts.push_back(fmt::format("control points: not compared: {}", e.what()));
    }
}

void set_doubts(const colmap::Database& database, std::vector<NamedModel>& models) {
  if (models.empty()) return;
  const bifocal::ViewGraph pairs = bifocal::read_view_graph(database, MapOptions{});
  for (NamedModel& named : models) set_positions(pairs, named);
  for (NamedModel& named : models) try {
      for (const ModelDoubt& doubt : model_doubts(pairs, named.model))
        named.doubts.push_back(fmt::format("{} ({})", doubt.text, to_string(doubt.kind)));
    } catch (const Error& e) {
      named.doubts.push_back(fmt::format("not tested: {}", e.what()));
    }
}

// Size of the models and of the dense section on the page, in bytes.
std::size_t bytes_of(const std::vector<NamedModel>& models,
                     const std::optional<DenseSection>& dense, const ViewGraph& graph) {
  Page without(""), with("");
  add_models(with, models, graph);
  if (dense) add_dense(with, *dense, graph);
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

// Thumbnails and depth maps that fit into `bytes`: a third for thumbnails and two thirds for depth
// maps, or everything for one kind if the other is absent.
struct Pictures {
  Thumbnails thumbnails;
  DepthPictures depth;
};
Pictures pictures_of(const CollectionPage& page, const std::optional<DenseFolder>& dense,
                     const ViewGraph& graph, const std::vector<int>& edges, std::size_t bytes) {
  const std::vector<int> images = images_in_order(graph, edges);
  const unsigned threads = page.threads > 0 ? static_cast<unsigned>(page.threads)
                                            : std::max(1U, std::thread::hardware_concurrency());
  const bool has_maps = dense && dense->has_maps;
  const std::size_t for_depth = !has_maps ? 0 : page.images.empty() ? bytes : bytes / 3 * 2;
  Pictures out;
  if (has_maps)
    out.depth =
        depth_pictures(*dense, graph, images, static_cast<std::int64_t>(for_depth), threads);
  if (!page.images.empty())
    out.thumbnails = thumbnails(graph, images, page.images,
                                static_cast<std::int64_t>((bytes - for_depth) / 4 * 3), threads);
  return out;
}

std::optional<DenseSection> dense_section(const CollectionPage& page,
                                          const std::optional<DenseFolder>& dense,
                                          const ViewGraph& graph,
                                          const std::vector<NamedModel>& models) {
  if (!dense) return std::nullopt;
  check_dense_folder(*dense, graph, page.database);
  return DenseSection{*dense, cloud_pictures(dense->cloud(), dense->cameras, models)};
}

}  // namespace

CollectionPageSummary write_collection_page(const CollectionPage& page) {
  check(page);
  const Json earlier = read_run(page.run_file);
  std::vector<NamedModel> models = read_models(page.model);
  std::optional<DenseFolder> folder;
  if (!page.dense.empty()) folder = read_dense_folder(page.dense);
  const colmap::Database database(page.database, colmap::quiet_access(page.database));
  const ViewGraph graph = read_view_graph(database);
  if (graph.images.empty())
    throw Error(ErrorCode::input, fmt::format("{}: has no images", page.database.string()));
  check_names(page, models, graph);
  set_doubts(database, models);
  set_control(page, models);
  std::optional<DenseSection> dense = dense_section(page, folder, graph, models);
  const ShownPairs shown = shown_pairs(graph);
  Json data = page_data(graph, shown);
  // Pairs get the bytes of max_bytes that the overview leaves; half of this goes to pictures if the
  // page has any.
  const std::size_t base = to_line(data).size() + bytes_of(models, dense, graph);
  std::size_t left = page.max_bytes > base ? page.max_bytes - base : 0;
  const bool has_pictures = !page.images.empty() || (folder && folder->has_maps);
  const std::size_t for_pictures = has_pictures ? left / 2 : 0;
  std::vector<int> edges = shown.in_order;
  edges.resize(std::min(edges.size(), (left - for_pictures) / kPairBytes));
  const std::size_t points = points_that_fit(left - for_pictures, edges.size());
  const std::vector<PairDetails> details = pair_details(database, graph, edges, points);
  Pictures pictures = pictures_of(page, folder, graph, edges, for_pictures);
  add_details(data, shown, details, pictures.thumbnails, pictures.depth);
  if (dense) dense->depth = std::move(pictures.depth);
  const std::vector<colmap::ContradictingPair> contradicting =
      colmap::contradicting_pairs(page.database);
  const std::vector<std::string> texts = described(contradicting).texts;
  CollectSummary collected = read_collect_summary(page.database);
  collected.notes.insert(collected.notes.end(), texts.begin(), texts.end());
  std::string html =
      collection_report({page.database.filename().string(), page.command_line,
                         page.database.string(), page.images.string(), graph, points, collected,
                         earlier, std::move(models), dense ? &*dense : nullptr},
                        data, shown, page.images.empty() ? nullptr : &pictures.thumbnails);
  html.insert(html.find("<title>"), mark_of(page));
  write_file(page.out, html);
  return {.bytes = html.size(),
          .images = graph.images.size(),
          .verified = graph.edges.size(),
          .contradicting = contradicting,
          .components = graph.components.size(),
          .edges = shown.edges.size(),
          .pairs = details.size(),
          .pictures = pictures.thumbnails.pictures.size(),
          .depths = dense ? dense->depth.known : 0};
}

}  // namespace bifocal::jobs
