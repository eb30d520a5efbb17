// SPDX-License-Identifier: BSD-3-Clause
// flight DATABASE PHOTOGRAPHS...: a model in metres of a drone's photographs, and where each of
// them was taken.
#include <bifocal/collect.hpp>
#include <bifocal/error.hpp>
#include <bifocal/mapping.hpp>

#include <cstdio>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  using namespace bifocal;
  if (argc < 4) return std::fprintf(stderr, "flight DATABASE PHOTOGRAPHS...\n"), 2;
  try {
    const std::vector<std::string> photographs(argv + 2, argv + argc);
    const Device device("cpu");
    (void)collect(DeviceSet("cpu"), list_photographs(photographs), argv[1]);
    Queue queue(device);
    const MapResult result = map_database(queue, argv[1]);
    if (result.models.empty()) return std::fprintf(stderr, "no model\n"), 5;
    const colmap::Model& model = result.models[0];
    if (!model.georeference || !model.georeference->origin)
      return std::fprintf(stderr, "no positions\n"), 5;
    const TangentPlane plane(*model.georeference->origin);
    for (const colmap::ModelImage& image : model.images) {
      const Pose pose = colmap::pose_of(image.cam_from_world);
      const Vec3 c = times(transposed(pose.R), pose.t);
      const GeoPoint place = plane.geo({-c[0], -c[1], -c[2]});
      std::printf("%s: %.7f %.7f %.2f m\n", image.name.c_str(), place.latitude_deg,
                  place.longitude_deg, place.altitude_m);
    }
    const Vec3& error = model.georeference->residuals;
    std::printf("%zu images in metres, positions differ by %.2f %.2f %.2f m\n", model.images.size(),
                error[0], error[1], error[2]);
    for (const ModelDoubt& doubt : result.doubts[0]) std::printf("doubt: %s\n", doubt.text.c_str());
  } catch (const Error& error) {
    return std::fprintf(stderr, "%s\n", error.what()), static_cast<int>(error.code());
  }
}
