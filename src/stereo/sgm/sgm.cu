// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "runtime/cuda_kernels.h"
#include "stereo/sgm/shapes.hpp"

namespace {

// RowTeam: team size of the lines along rows. Teams are larger there, because such lines are few
// and the time of a step grows with the words per thread.
template <class Real, class Pixel, int Census, int Group, int Team, int Words, int RowTeam,
          int Paths>
struct sgm_source {
  static constexpr int GROUP_SIZE = Group, TEAM = Team, WORDS = Words;
  static constexpr int CENSUS_KIND = Census;
  static constexpr int PATHS = Paths, PIXEL_BITS = 8 * sizeof(Pixel);
  static_assert((PATHS == 4 || PATHS == 8) && CENSUS_KIND <= 2 && PIXEL_BITS <= 16);
  using pixel = Pixel;
  static bifocal::runtime::Constants constants() {
    return {{"PIXEL_BITS", PIXEL_BITS},
            {"CENSUS_KIND", CENSUS_KIND},
            {"TEAM", Team},
            {"WORDS", Words},
            {"PATHS", Paths}};
  }
#define LANE_GROUP_WIDTH Group
#include "lane/cuda_begin.h"
#include "lane/team_cuda.h"
#define ROW_SOURCE(f) \
  sgm_source<Real, Pixel, Census, Group, RowTeam, Team * Words / RowTeam, RowTeam, Paths>::f
#include "stereo/sgm/sgm.list"
#undef ROW_SOURCE
#include "lane/cpp_end.h"
};
// The shape of the team does not affect these kernels.
template <class Pixel, int Census>
using pixel_source = sgm_source<float, Pixel, Census, 128, 1, 1, 1, 4>;

CUDA_KERNELS(SGM_KERNELS)

template <class Paths, class Winners>
void add_shape(bifocal::runtime::CudaTable& table) {
  CUDA_VARIANT(sgm, SGM_PATHS_KERNEL, Paths)
  CUDA_VARIANT(sgm, SGM_WINNERS_KERNEL, Winners)
}
template <std::size_t I, int Paths>
void add_paths(bifocal::runtime::CudaTable& table) {
  constexpr bifocal::stereo::TeamShape s = bifocal::stereo::kTeamShapes[I];
  using Byte = std::uint8_t;
  add_shape<sgm_source<float, Byte, 0, 128, s.team, s.words, s.row_team, Paths>,
            sgm_source<float, Byte, 0, 256, s.team, s.words, s.row_team, Paths>>(table);
}
template <std::size_t... I>
void add_shapes(bifocal::runtime::CudaTable& table, std::index_sequence<I...>) {
  (add_paths<I, 4>(table), ...);
  (add_paths<I, 8>(table), ...);
}

}  // namespace

CUDA_TABLE(sgm) {
  using Byte = std::uint8_t;
  CUDA_VARIANT(sgm, SGM_SMOOTH_KERNEL, pixel_source<Byte, 0>)
  CUDA_VARIANT(sgm, SGM_SMOOTH_KERNEL, pixel_source<std::uint16_t, 0>)
  CUDA_VARIANT(sgm, SGM_CENSUS_KERNEL, pixel_source<Byte, 0>)
  CUDA_VARIANT(sgm, SGM_CENSUS_KERNEL, pixel_source<Byte, 1>)
  CUDA_VARIANT(sgm, SGM_CENSUS_KERNEL, pixel_source<Byte, 2>)
  CUDA_VARIANT(sgm, SGM_CLEAR_KERNEL, pixel_source<Byte, 0>)
  CUDA_VARIANT(sgm, SGM_COST_KERNEL, pixel_source<Byte, 0>)
  add_shapes(table, std::make_index_sequence<std::size(bifocal::stereo::kTeamShapes)>());
}
