// SPDX-License-Identifier: BSD-3-Clause
// The options and cameras of Python (frozen dataclasses of _options.py and _cameras.py) as those of
// C++, and names as enumerators.
#pragma once

#include <bifocal/camera.hpp>
#include <bifocal/features.hpp>
#include <optional>

#include "arrays.hpp"

namespace bifocal::python {

// The defaults for None. Throws TypeError naming a field that does not fit; ranges are checked by
// the library.
template <HasFields Options>
[[nodiscard]] Options options_of(nb::handle object);
// SiftOptions, or SurfOptions: then `surf` is there.
struct DetectorOptions {
  SiftOptions sift;
  std::optional<SurfOptions> surf;
};
[[nodiscard]] DetectorOptions detector_options(nb::handle object);
[[nodiscard]] bool is_ssd_options(nb::handle object);
[[nodiscard]] double number_field(nb::handle object, const char* what, const char* field);
// Returns the members of each options struct, of which scripts/python-options makes the dataclasses
// of _options.py.
[[nodiscard]] nb::dict option_fields();

[[nodiscard]] ModelKind kind_of(const std::string& name);
[[nodiscard]] std::string name_of(ModelKind kind);
[[nodiscard]] MinimalSolver solver_of(const std::string& name);

// A bifocal.Camera, a 3 x 3 matrix without skew, or the four numbers fx, fy, cx, cy.
[[nodiscard]] Camera camera_of(nb::handle object, const char* name);
// The same, or a bifocal.LensCamera: what estimators take. `lens` where points have to be
// undistorted, to px of the pinhole.
struct AnyCamera {
  Intrinsics pinhole;
  std::optional<LensCamera> lens;
};
[[nodiscard]] AnyCamera any_camera_of(nb::handle object, const char* name);
// Where the object is a bifocal.LensCamera.
[[nodiscard]] std::optional<LensCamera> lens_camera_if(nb::handle object, const char* name);
// A camera of undistorted photographs. Throws ValueError if it has a lens.
[[nodiscard]] Intrinsics pinhole_of(nb::handle camera, const char* name);
// One for all or one each: a camera, an array [pairs, 4] or [pairs, 3, 3], or a list of cameras.
[[nodiscard]] std::vector<AnyCamera> any_cameras_of(nb::handle object, const char* name);
// Without lenses: ValueError where one has, ending in `why`.
[[nodiscard]] std::vector<Intrinsics> pinholes_of(const std::vector<AnyCamera>& cameras,
                                                  const char* name, const char* why);

// Takes a keyword argument unless it is None. Throws TypeError naming it if it is of another type.
template <class T>
void take(const nb::dict& options, const char* name, T& value) {
  const nb::object given = options[name];
  if (given.is_none()) return;
  try {
    value = nb::cast<T>(given);
  } catch (const nb::cast_error&) {
    type_error(fmt::format("{}: {}, must be a {}", name, nb::cast<std::string>(nb::repr(given)),
                           std::is_same_v<T, bool> ? "bool" : "number"));
  }
}

void bind_collect(nb::module_& m);
void bind_collection(nb::module_& m);
void bind_colmap(nb::module_& m);
void bind_colmap_database(nb::module_& m);
void bind_dense(nb::module_& m);
void bind_devices(nb::module_& m);
void bind_features(nb::module_& m);
void bind_linalg(nb::module_& m);
void bind_pair(nb::module_& m);
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
