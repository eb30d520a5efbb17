// SPDX-License-Identifier: BSD-3-Clause
// This includes the whole public API.
#pragma once

#include <bifocal/camera.hpp>
#include <bifocal/cancel.hpp>
#include <bifocal/collection.hpp>
#include <bifocal/colmap.hpp>
#include <bifocal/colmap_shards.hpp>
#include <bifocal/colmap_verify.hpp>
#include <bifocal/covariance.hpp>
#include <bifocal/device.hpp>
#include <bifocal/error.hpp>
#include <bifocal/feature_set.hpp>
#include <bifocal/features.hpp>
#include <bifocal/fields.hpp>
#include <bifocal/geometry.hpp>
#include <bifocal/hloc.hpp>
#include <bifocal/image.hpp>
#include <bifocal/io.hpp>
#include <bifocal/lens_camera.hpp>
#include <bifocal/linalg.hpp>
#include <bifocal/matching.hpp>
#include <bifocal/npz.hpp>
#include <bifocal/pair.hpp>
#include <bifocal/pairs.hpp>
#include <bifocal/photographs.hpp>
#include <bifocal/picture.hpp>
#include <bifocal/polar.hpp>
#include <bifocal/rectify.hpp>
#include <bifocal/robust.hpp>
#include <bifocal/solvers.hpp>
#include <bifocal/stereo.hpp>
#include <bifocal/threads.hpp>
#include <bifocal/two_view.hpp>
#include <bifocal/version.hpp>
#include <bifocal/video.hpp>
