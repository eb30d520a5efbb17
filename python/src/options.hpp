// SPDX-License-Identifier: BSD-3-Clause
// Converts options and cameras of Python (frozen dataclasses of _options.py and _cameras.py) to
// C++, and names to enumerators.
#pragma once

#include <bifocal/camera.hpp>
#include <bifocal/features.hpp>
#include <optional>

#include "arrays.hpp"

namespace bifocal::python {

// Converts options; None gives the defaults. Raises TypeError that names a field of the wrong
// type; the library checks ranges.
template <HasFields Options>
[[nodiscard]] Options options_of(nb::handle object);
// SiftOptions, or SurfOptions if `surf` has a value.
struct DetectorOptions {
  SiftOptions sift;
  std::optional<SurfOptions> surf;
};
[[nodiscard]] DetectorOptions detector_options(nb::handle object);
[[nodiscard]] bool is_ssd_options(nb::handle object);
[[nodiscard]] double number_field(nb::handle object, const char* what, const char* field);
// Returns the members of each options struct, from which scripts/python-options makes the
// dataclasses of _options.py.
[[nodiscard]] nb::dict option_fields();

[[nodiscard]] ModelKind kind_of(const std::string& name);
[[nodiscard]] std::string name_of(ModelKind kind);
[[nodiscard]] MinimalSolver solver_of(const std::string& name);

// Converts a bifocal.Camera, a 3 x 3 matrix without skew, or the four numbers fx, fy, cx, cy.
[[nodiscard]] Camera camera_of(nb::handle object, const char* name);
// Camera of an estimator: any argument of camera_of(), or a bifocal.LensCamera. If `lens` has a
// value, points must be undistorted to px of the pinhole.
struct AnyCamera {
  Intrinsics pinhole;
  std::optional<LensCamera> lens;
};
[[nodiscard]] AnyCamera any_camera_of(nb::handle object, const char* name);
// Converts a bifocal.LensCamera; empty for other objects.
[[nodiscard]] std::optional<LensCamera> lens_camera_if(nb::handle object, const char* name);
// Converts a camera of undistorted photographs. Raises ValueError if it has a lens.
[[nodiscard]] Intrinsics pinhole_of(nb::handle camera, const char* name);
// Converts one camera for all pairs, or one for each pair: an array [pairs, 4] or [pairs, 3, 3],
// or a list of cameras.
[[nodiscard]] std::vector<AnyCamera> any_cameras_of(nb::handle object, const char* name);
// Returns the pinholes. Raises ValueError, with `why` at its end, if a camera has a lens.
[[nodiscard]] std::vector<Intrinsics> pinholes_of(const std::vector<AnyCamera>& cameras,
                                                  const char* name, const char* why);

void bind_collect(nb::module_& m);
void bind_collection(nb::module_& m);
void bind_colmap(nb::module_& m);
void bind_colmap_database(nb::module_& m);
void bind_dense(nb::module_& m);
void bind_devices(nb::module_& m);
void bind_features(nb::module_& m);
void bind_linalg(nb::module_& m);
void bind_matches(nb::module_& m);
void bind_pair(nb::module_& m);
void bind_pair_selection(nb::module_& m);
void bind_pictures(nb::module_& m);
void bind_program(nb::module_& m);
void bind_rectify(nb::module_& m);
void bind_doubts(nb::module_& m);
void bind_robust(nb::module_& m);
void bind_robust_batch(nb::module_& m);
void bind_stereo(nb::module_& m);
void bind_two_view(nb::module_& m);
void bind_video(nb::module_& m);

}  // namespace bifocal::python
