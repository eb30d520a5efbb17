// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "features/surf/surf.hpp"
#include "runtime/integers.hpp"

namespace bifocal::features {

std::vector<float> surf_shares() {
  std::vector<float> shares(std::size_t{SurfRules::SURF_CELLS} * SurfRules::SURF_SIDE);
  for (int cell = 0; cell < SurfRules::SURF_CELLS; ++cell) {
    for (int i = 0; i < SurfRules::SURF_SIDE; ++i) {
      const double from_cell = i - (SurfRules::SURF_CELL_STEP * cell + 4);
      const double from_centre = cell - 1.5;
      if (std::abs(from_cell) > 4) continue;
      shares[std::size_t(cell * SurfRules::SURF_SIDE + i)] =
          static_cast<float>(std::exp(-from_cell * from_cell / (2 * 2.5 * 2.5)) *
                             std::exp(-from_centre * from_centre / (2 * 1.5 * 1.5)));
    }
  }
  return shares;
}

std::vector<SurfOctave> surf_octaves(int width, int height, const SurfOptions& options) {
  std::vector<SurfOctave> octaves;
  const double white = options.upsample ? 510 : 255;
  for (int o = 0; o < options.octaves; ++o) {
    SurfOctave octave{};
    octave.number = o;
    for (int layer = 0; layer < SurfRules::SURF_LAYERS; ++layer) {
      const int lobe = static_cast<int>(SurfRules::surf_lobe(o, static_cast<float>(layer)));
      const double area = 9.0 * lobe * lobe * white;
      octave.filters[std::size_t(layer)] = {
          lobe, static_cast<float>(1 / (int{SurfRules::SURF_DETERMINANT} * area * area))};
    }
    for (std::size_t i = 0; i < 2; ++i) {
      // The filter of the layer above has to lie inside the image around the neighbours also.
      const int step = octave.step(), reach = octave.filters[i + 2].reach();
      octave.first_x[i] = octave.first_y[i] = divided_up(reach, step) + 1;
      octave.end_x[i] = std::max(octave.first_x[i], (width - 1 - reach + step) / step - 1);
      octave.end_y[i] = std::max(octave.first_y[i], (height - 1 - reach + step) / step - 1);
    }
    if (octave.first_x[0] >= octave.end_x[0] || octave.first_y[0] >= octave.end_y[0]) break;
    octaves.push_back(octave);
  }
  return octaves;
}

}  // namespace bifocal::features
