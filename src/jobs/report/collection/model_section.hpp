// SPDX-License-Identifier: BSD-3-Clause
// The sparse models of a collection on its page: their numbers, the models from above and from the
// side, and the images in no model.
#pragma once

#include <bifocal/colmap/model.hpp>
#include <bifocal/control.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jobs/report/collection/view_graph.hpp"
#include "jobs/report/page.hpp"

namespace bifocal::jobs {

struct NamedModel {
  std::string folder;
  colmap::Model model;
  std::vector<std::string> doubts = {};  // sentences
  // Given positions of images, in the frame of a model that has a georeference.
  std::vector<std::pair<std::string, Vec3>> positions = {};
  ControlPoints control = {};                // that are compared with the model
  std::optional<ControlReport> report = {};  // empty: not compared
};

// Leaves the page unchanged without models.
void add_models(Page& page, const std::vector<NamedModel>& models, const ViewGraph& graph);

}  // namespace bifocal::jobs
