// SPDX-License-Identifier: BSD-3-Clause
#include "models/dense_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "jobs/report/page.hpp"

namespace bifocal::cli {

DenseConsole::DenseConsole(DenseOptions& options, StageTimes& times) : times_(times) {
  options.progress = [this](const DenseProgress& p) { report(p); };
}

void DenseConsole::report(const DenseProgress& p) {
  if (!progress_ || p.stage != stage_) {
    if (progress_) {
      progress_.reset();
      times_.end(stage_ == DenseStage::match ? "match" : "refine");
    }
    constexpr const char* kWords[] = {"images matched", "images refined", "images compared"};
    progress_.emplace(static_cast<double>(p.total), kWords[static_cast<std::size_t>(p.stage)]);
    stage_ = p.stage;
  }
  progress_->update(static_cast<double>(p.done), "");
}

void DenseConsole::finish() {
  progress_.reset();
  times_.end("compare");
}

Json json_of(const DenseFiles& files, const WrittenDense& written, const std::string& device,
             const StageTimes& times) {
  Json images = Json::array();
  for (const DenseImage& image : written.images) {
    Json entry = {{"name", image.name}, {"known", image.known}};
    if (!image.reason.empty()) entry["reason"] = image.reason;
    images.push_back(std::move(entry));
  }
  return {{"model", files.model.string()},
          {"out", files.out.string()},
          {"device", device},
          {"points", written.points},
          {"resumed", written.resumed},
          {"images", std::move(images)},
          {"timings_ms", times_json(times.times())}};
}

std::string sentences_of(const DenseFiles& files, const WrittenDense& written) {
  std::vector<double> known;
  std::string text;
  for (const DenseImage& image : written.images) {
    if (image.reason.empty())
      known.push_back(image.known);
    else
      text += fmt::format("{}: no depth: {}\n", image.name, image.reason);
  }
  std::ranges::sort(known);
  if (!known.empty())
    text += fmt::format(
        "depth of {} images, known for {:.0f} % of the pixels ({:.0f} to {:.0f} %)\n", known.size(),
        100 * known[known.size() / 2], 100 * known.front(), 100 * known.back());
  return text + fmt::format("{}: {} points\n", (files.out / "fused.ply").string(), written.points);
}

std::string report_command(const CollectionFiles& files, bool has_dense) {
  const auto word = [](const std::filesystem::path& path) { return shell_quoted(path.string()); };
  std::filesystem::path page = files.database;
  std::string control;
  if (!files.models.control.empty()) control = " --control " + word(files.models.control);
  if (!files.models.check.empty())
    control += " --check " + shell_quoted(fmt::format("{}", fmt::join(files.models.check, ",")));
  return fmt::format("bifocal report {} --images {} --model {}{}{} --out {}", word(files.database),
                     word(files.photographs.folder), word(files.models.out),
                     has_dense ? " --dense " + word(files.dense.out) : "", control,
                     word(page.replace_extension(".html")));
}

}  // namespace bifocal::cli
