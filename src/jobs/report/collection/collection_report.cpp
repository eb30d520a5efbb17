// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/report/collection/collection_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "jobs/report_texts.hpp"

namespace bifocal::jobs {
namespace {

std::string summary(const ViewGraph& g) {
  const std::int64_t verified = g.count(PairState::verified);
  std::size_t alone = g.images.size();
  for (const auto& component : g.components) alone -= component.size();
  std::string text = fmt::format("{} images. {} verified", g.images.size(), pairs_text(verified));
  if (!g.rejected.empty()) text += fmt::format(", {} with matches only", g.rejected.size());
  text += '.';
  if (!g.components.empty())
    text += fmt::format(" {} connected component{}, the largest of {} images.", g.components.size(),
                        g.components.size() == 1 ? "" : "s", g.components[0].size());
  if (alone > 0)
    text += fmt::format(" {} image{} without a verified pair.", alone, alone == 1 ? "" : "s");
  return text;
}

Rows state_rows(const ViewGraph& g) {
  const std::pair<PairState, const char*> kNames[] = {
      {PairState::verified, "Verified: a geometry with inliers"},
      {PairState::degenerate, "Rejected: no geometry, or too few inliers"},
      {PairState::watermark, "Rejected: a watermark"},
      {PairState::undecided, "Not decided: configuration 0"},
      {PairState::unverified, "Not verified: matches without a geometry row"},
      {PairState::unmatched, "Without a match"},
      {PairState::unknown_image, "Of images missing from the database"}};
  Rows rows;
  for (const auto& [state, name] : kNames)
    if (g.count(state) > 0 || state == PairState::verified)
      rows.push_back({name, fmt::format("{}", g.count(state))});
  return rows;
}

Rows configuration_rows(const ViewGraph& g) {
  Rows rows;
  for (const auto& [configuration, count] : g.configurations)
    rows.push_back({std::string(colmap::to_string(configuration)), fmt::format("{}", count)});
  return rows;
}

// Returns rows with the images without a verified pair, and the reasons.
Rows unconnected_rows(const ViewGraph& g) {
  Rows rows;
  for (const GraphImage& image : g.images) {
    if (image.component >= 0) continue;
    rows.push_back({image.name, without_pair_text(image)});
  }
  return rows;
}

Rows component_rows(const ViewGraph& g) {
  Rows rows;
  for (const auto& component : g.components) {
    if (rows.size() == 20) {
      rows.push_back({fmt::format("{} more", g.components.size() - 20), ""});
      break;
    }
    rows.push_back({fmt::format("{} images", component.size()),
                    "with " + g.images[static_cast<std::size_t>(component[0])].name});
  }
  return rows;
}

// Returns minimum, median and maximum of the images' numbers.
template <class Get>
std::string spread(const ViewGraph& g, const Get& get) {
  std::vector<std::int64_t> values;
  for (const GraphImage& image : g.images) values.push_back(get(image));
  std::sort(values.begin(), values.end());
  return fmt::format("{} to {}, median {}", values.front(), values.back(),
                     values[values.size() / 2]);
}
std::string features_text(const ViewGraph& g) {
  return spread(g, [](const GraphImage& i) { return std::max<std::int64_t>(i.features, 0); });
}
std::string partners_text(const ViewGraph& g) {
  return spread(g, [](const GraphImage& i) { return std::int64_t{i.verified}; });
}

// Reads the durations printed by `bifocal collect --json` (an object with stages) or `verify
// --json` (a number).
Rows time_rows(const Json& run) {
  Rows rows;
  if (!run.is_object() || !run.contains("seconds")) return rows;
  const Json& seconds = run["seconds"];
  const auto add = [&](const std::string& name, const Json& value) {
    if (value.is_number()) rows.push_back({name, fmt::format("{:.1f} s", value.get<double>())});
  };
  if (seconds.is_object())
    for (const auto& [stage, value] : seconds.items()) add(stage, value);
  else
    add("verification", seconds);
  return rows;
}

// Returns the photographs left out, with reasons, from the database or else from the output of
// the run.
Rows photograph_rows(const CollectSummary& summary, const Json& run) {
  Rows rows;
  for (const LeftOut& l : summary.left_out) rows.push_back({l.name, l.reason});
  if (!rows.empty() || !run.is_object() || !run.contains("left_out") || !run["left_out"].is_array())
    return rows;
  const auto text = [](const Json& of, const char* key) {
    return of.contains(key) && of[key].is_string() ? of[key].get<std::string>() : std::string("?");
  };
  for (const Json& item : run["left_out"])
    if (item.is_object()) rows.push_back({text(item, "name"), text(item, "reason")});
  return rows;
}

void add_left_out(Page& page, const CollectionReport& in, const Thumbnails* thumbnails) {
  page.heading("Rejected pairs and images");
  page.begin_columns();
  page.table("Pairs", state_rows(in.graph));
  if (const Rows rows = configuration_rows(in.graph); !rows.empty())
    page.table("Configurations in the database", rows);
  page.end_columns();
  page.list("Images without a verified pair", unconnected_rows(in.graph));
  Rows damaged;
  for (const colmap::RowFault& fault : in.graph.damaged_rows)
    damaged.push_back({fault.row, fault.reason});
  page.list("Damaged rows of the database", damaged);
  for (const std::string& note : in.summary.notes) page.paragraph(note);
  page.list("Photographs left out", photograph_rows(in.summary, in.run));
  if (thumbnails)
    page.list("Photographs that could not be shown",
              Rows(thumbnails->left_out.begin(), thumbnails->left_out.end()));
}

std::string limits(const CollectionReport& in, const Json& data, const ShownPairs& shown,
                   const Thumbnails* thumbnails) {
  std::string text =
      fmt::format("On the map: {} of {} verified pairs", shown.edges.size(), in.graph.edges.size());
  if (shown.edges.size() < in.graph.edges.size())
    text +=
        " (pairs that connect the components, then the pairs of every image with the most inliers)";
  text += fmt::format(". Matches are shown for {} pairs, at most {} inliers each.",
                      data["pairs"].size(), in.points_of_pair);
  if (thumbnails)
    text += fmt::format(" Thumbnails: {}, {:.1f} MB.", thumbnails->pictures.size(),
                        static_cast<double>(thumbnails->bytes) / 1e6);
  return text;
}

// Escapes text in a script element that could end the element.
std::string script_json(const Json& data) {
  const std::string text = data.dump(-1, ' ', true, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) c == '<' ? void(safe += "\\u003c") : safe.push_back(c);
  return safe;
}

// The commands that map the database of the page: Bifocal's and COLMAP's.
void add_next(Page& page, const CollectionReport& in) {
  const std::string photographs = in.images.empty() ? "PHOTOGRAPHS" : in.images;
  page.heading("Next");
  page.paragraph(in.models.empty()
                     ? "To reconstruct the scene from this database, with undistorted images:"
                     : "To write the model again with undistorted images:");
  page.preformatted(fmt::format("bifocal map {} --out sparse --images {} --undistort scene{}",
                                in.database, photographs, in.models.empty() ? "" : " --overwrite"));
  page.paragraph("With COLMAP's global mapper:");
  page.preformatted(
      fmt::format("mkdir -p sparse\ncolmap global_mapper --database_path {} --image_path {} "
                  "--output_path sparse",
                  in.database, photographs));
}

}  // namespace

std::string collection_report(const CollectionReport& in, const Json& data, const ShownPairs& shown,
                              const Thumbnails* thumbnails) {
  Page page(in.title);
  page.markup(fmt::format("<style>{}</style>\n", kStyleText));
  page.markup(
      "<script>window.addEventListener('error', e => { document.body.dataset.error = e.message; "
      "});</script>\n<noscript><p>The map and the pairs are drawn by scripts, which are disabled "
      "here.</p></noscript>\n");
  page.paragraph(summary(in.graph));
  page.preformatted(in.command_line);
  page.heading("View graph");
  page.markup(kMapMarkup);
  page.paragraph(limits(in, data, shown, thumbnails));
  page.markup(kPairsMarkup);
  add_models(page, in.models, in.graph);
  if (in.dense) add_dense(page, *in.dense, in.graph);
  page.heading("Inliers");
  page.markup(kHistogramMarkup);
  add_left_out(page, in, thumbnails);
  page.heading("Numbers");
  page.begin_columns();
  page.table("Images", {{"Cameras", fmt::format("{}", in.graph.cameras.size())},
                        {"Features", features_text(in.graph)},
                        {"Verified pairs of an image", partners_text(in.graph)}});
  if (const Rows rows = component_rows(in.graph); !rows.empty())
    page.table("Connected components", rows);
  if (const Rows times = time_rows(in.run); !times.empty()) page.table("Time", times);
  page.end_columns();
  if (!in.summary.settings.empty()) page.folded_table("Settings of collect", in.summary.settings);
  add_next(page, in);
  page.markup(fmt::format("<script type=\"application/json\" id=\"data\">{}</script>\n",
                          script_json(data)));
  page.markup(fmt::format("<script>'use strict';\n{}</script>\n", kScriptText));
  return page.html();
}

}  // namespace bifocal::jobs
