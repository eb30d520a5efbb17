// SPDX-License-Identifier: BSD-3-Clause
// A program outside the project, as a user would write it, which sees only the installed tree.
#include <bifocal/bifocal.hpp>

#include <cstdio>

int main() {
  const bifocal::ThreadLimit one_thread(1);
  const bifocal::ImageU8 image(64, 48);
  bifocal::Queue queue;  // and the libraries of the devices are linked
  bifocal::Buffer<float> buffer(queue.device(), 3);
  // Images and calibrations: the libraries that a static Bifocal uses to read them are linked.
  const bifocal::ImageU8 again = bifocal::decode_image(bifocal::encode_png(image), "picture");
  const bool has_exif = bifocal::exif_intrinsics(bifocal::encode_jpeg(again, 90)).has_value();
  try {
    (void)bifocal::read_pair_calibration("missing.yml");
    return 1;
  } catch (const bifocal::Error& error) {
    std::printf("%s, EXIF %d\n", error.what(), int{has_exif});
  }
  std::printf("%zu devices\n", bifocal::list_devices().size());
  std::printf("bifocal %s, picture of %d x %d\n", BIFOCAL_VERSION, image.width, image.height);
}
