// SPDX-License-Identifier: BSD-3-Clause
// The sparse models of a collection on its page: their numbers, and the first model from above and
// from the side.
#pragma once

#include <bifocal/colmap/model.hpp>

#include <string>
#include <vector>

#include "report/page.hpp"

namespace bifocal::cli {

struct NamedModel {
  std::string folder;
  colmap::Model model;
};

// Leaves the page unchanged without models.
void add_models(Page& page, const std::vector<NamedModel>& models);

}  // namespace bifocal::cli
