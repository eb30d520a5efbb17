// SPDX-License-Identifier: BSD-3-Clause
// A camera of every model (lens_coefficients.def).
#pragma once

#include <bifocal/camera.hpp>

#include <map>
#include <string>
#include <vector>

namespace bifocal::test {

inline const std::map<std::string, std::vector<double>>& lens_coefficients() {
  static const std::map<std::string, std::vector<double>> all = {
#define LENS_COEFFICIENTS(model, ...) {#model, {__VA_ARGS__}},
#include "support/lens_coefficients.def"
  };
  return all;
}

inline std::vector<std::string> all_models() {
  std::vector<std::string> names;
  for (const auto& [name, coefficients] : lens_coefficients()) names.push_back(name);
  return names;
}

// Parameters of a model with focal lengths f and, if it has two, 1.02 f.
inline std::vector<double> camera_params(const std::string& model, double f, double cx, double cy) {
  std::vector<double> params = {f};
  if (LensCamera::focal_lengths(model) == 2) params.push_back(1.02 * f);
  params.insert(params.end(), {cx, cy});
  const std::vector<double>& coefficients = lens_coefficients().at(model);
  params.insert(params.end(), coefficients.begin(), coefficients.end());
  return params;
}

}  // namespace bifocal::test
