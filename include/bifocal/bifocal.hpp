// SPDX-License-Identifier: BSD-3-Clause
// Includes the public API, except draw.hpp (drawing), collect.hpp (collections of photographs) and
// jobs.hpp (files of the commands).
#pragma once

#include <bifocal/adjust.hpp>
#include <bifocal/camera.hpp>
#include <bifocal/colmap/bundle_adjust.hpp>
#include <bifocal/colmap/database.hpp>
#include <bifocal/colmap/model.hpp>
#include <bifocal/colmap/rotation_cycles.hpp>
#include <bifocal/colmap/undistort.hpp>
#include <bifocal/colmap/verify.hpp>
#include <bifocal/control.hpp>
#include <bifocal/dense.hpp>
#include <bifocal/device.hpp>
#include <bifocal/error.hpp>
#include <bifocal/features.hpp>
#include <bifocal/fields.hpp>
#include <bifocal/geodesy.hpp>
#include <bifocal/geometry.hpp>
#include <bifocal/image.hpp>
#include <bifocal/io.hpp>
#include <bifocal/linalg.hpp>
#include <bifocal/mapping.hpp>
#include <bifocal/matching.hpp>
#include <bifocal/pair_selection.hpp>
#include <bifocal/reasons.hpp>
#include <bifocal/rectify.hpp>
#include <bifocal/two_view.hpp>
#include <bifocal/robust.hpp>
#include <bifocal/solvers.hpp>
#include <bifocal/stereo.hpp>
#include <bifocal/two_photographs.hpp>
#include <bifocal/verify_pairs.hpp>
#include <bifocal/version.hpp>
#include <bifocal/video.hpp>
