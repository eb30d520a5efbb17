// SPDX-License-Identifier: BSD-3-Clause
// COLMAP's camera models: numbers, names, how many parameters.
#include <algorithm>
#include <iterator>

#include <bifocal/colmap.hpp>

namespace bifocal::colmap {
namespace {

struct Model {
  std::string_view name;
  int parameters;
};
constexpr Model kModels[] = {{"SIMPLE_PINHOLE", 3},
                             {"PINHOLE", 4},
                             {"SIMPLE_RADIAL", 4},
                             {"RADIAL", 5},
                             {"OPENCV", 8},
                             {"OPENCV_FISHEYE", 8},
                             {"FULL_OPENCV", 12},
                             {"FOV", 5},
                             {"SIMPLE_RADIAL_FISHEYE", 4},
                             {"RADIAL_FISHEYE", 5},
                             {"THIN_PRISM_FISHEYE", 12},
                             {"RAD_TAN_THIN_PRISM_FISHEYE", 16},
                             {"SIMPLE_DIVISION", 4},
                             {"DIVISION", 5},
                             {"SIMPLE_FISHEYE", 3},
                             {"FISHEYE", 4},
                             {"EUCM", 6},
                             {"EQUIRECTANGULAR", 2}};

bool is_known(int model) { return model >= 0 && model < static_cast<int>(std::size(kModels)); }

}  // namespace

std::string_view model_name(int model) {
  return is_known(model) ? kModels[model].name : std::string_view();
}

int model_number(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kModels), std::end(kModels),
                                         [&](const Model& m) { return m.name == name; });
  return found == std::end(kModels) ? -1 : static_cast<int>(found - kModels);
}

int parameter_count(int model) { return is_known(model) ? kModels[model].parameters : 0; }

}  // namespace bifocal::colmap
