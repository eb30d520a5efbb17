// SPDX-License-Identifier: BSD-3-Clause
// The kernels of sgm_device.cpp for CUDA; their arguments are described in sgm.cl.h.
#include <cstddef>

#include "lane/scalar.hpp"
#include "stereo/sgm_kernels.hpp"

namespace bifocal::stereo {
namespace {

template <class Real, class Pixel, int Team, int Words, int Paths>
struct sgm_text {
  static constexpr int TEAM = Team, WORDS = Words;
  static constexpr int PATHS = Paths;
  static_assert(PATHS == 4 || PATHS == 8);
  using pixel = Pixel;
#include "lane/cuda_begin.h"
#include "lane/team_cuda.h"

#include "stereo/disparity.lane.h"
#include "stereo/census.kernel.h"
#include "stereo/sgm.kernel.h"
#include "stereo/winner.kernel.h"

#include "lane/cpp_end.h"
};
// What does not depend on the shape.
template <class Pixel>
using any_text = sgm_text<float, Pixel, 4, 1, 4>;
using U8 = unsigned char;
using U16 = unsigned short;
using U32 = unsigned int;

template <class Pixel>
__global__ void __launch_bounds__(kPixelThreads)
    smooth(const Pixel* left, const Pixel* right, int width, int height, int white, U16* smoothed,
           U8* brightness) {
  const std::ptrdiff_t area = std::ptrdiff_t{width} * height,
                       i = std::ptrdiff_t{blockIdx.x} * kPixelThreads + threadIdx.x;
  if (i >= 2 * area) return;
  const bool second = i >= area;
  const Pixel* image = second ? right : left;
  const int at = static_cast<int>(second ? i - area : i), x = at % width, y = at / width;
  using L = any_text<Pixel>;
  smoothed[i] = static_cast<U16>(L::smoothed_pixel(image, width, height, x, y, sizeof(Pixel) == 2));
  brightness[i] = static_cast<U8>(L::brightness_of(image[at], white));
}

template <int Kind>
__device__ void census_at(const U16* smoothed, int width, int height, int margin, U32* codes,
                          U32* high, std::ptrdiff_t i, bool second, int at) {
  const std::ptrdiff_t area = std::ptrdiff_t{width} * height;
  U32 code[2];
  using L = any_text<U8>;
  const U16* image = smoothed + (second ? area : 0);
  const int x = at % width, y = at / width;
  if (L::census_inside(width, height, x, y)) {
    L::census_pixel(image, width, height, x, y, Kind, margin, 1, code);
  } else {
    L::census_pixel(image, width, height, x, y, Kind, margin, 0, code);
  }
  codes[i] = code[0];
  if (Kind == L::CENSUS_FULL) high[i] = code[1];
}

__global__ void __launch_bounds__(kPixelThreads)
    census(const U16* smoothed, const U8* brightness, const U8* jumps, int width, int height,
           int kind, int margin, U32* codes, U32* high, U32* pixel_jumps) {
  const std::ptrdiff_t area = std::ptrdiff_t{width} * height,
                       i = std::ptrdiff_t{blockIdx.x} * kPixelThreads + threadIdx.x;
  if (i >= 2 * area) return;
  const bool second = i >= area;
  const int at = static_cast<int>(second ? i - area : i);
  using L = any_text<U8>;
  if (kind == L::CENSUS_SPARSE) {
    census_at<L::CENSUS_SPARSE>(smoothed, width, height, margin, codes, high, i, second, at);
  } else if (kind == L::CENSUS_SYMMETRIC) {
    census_at<L::CENSUS_SYMMETRIC>(smoothed, width, height, margin, codes, high, i, second, at);
  } else {
    census_at<L::CENSUS_FULL>(smoothed, width, height, margin, codes, high, i, second, at);
  }
  if (!second) pixel_jumps[at] = L::jump_bytes(brightness, width, at % width, at / width, jumps);
}

// Runs of a row, one after the other.
__global__ void __launch_bounds__(kPixelThreads)
    cost(const U32* codes, const U32* high, int is_full, int width, int height, int disparities,
         int min_disparity, int tolerance, int pixel_words, int runs, int row0, int rows,
         U32* costs) {
  const int i = static_cast<int>(blockIdx.x * kPixelThreads + threadIdx.x), run = i / pixel_words,
            y = run / runs;
  if (y >= rows) return;
  any_text<U8>::cost_words(codes, high, is_full, width, height, row0 + y, run - y * runs,
                           4 * (i - run * pixel_words), disparities, min_disparity, tolerance,
                           pixel_words, costs + std::ptrdiff_t{y} * width * pixel_words);
}

// A group's lines: of a band whose numbers are struct sgm_band's.
template <class L>
__device__ void line_of_group(int group, int along_rows, const typename L::sgm_band& band,
                              int disparities, const U32* costs, const U8* pixel_jumps, int P1,
                              U32* volumes, const typename L::sgm_states& states) {
  L::sgm_line((group * kPathThreads + static_cast<int>(threadIdx.x)) / L::TEAM, along_rows, &band,
              &states, disparities, costs, pixel_jumps, P1, volumes);
}

// Few lines go along the rows, and a step takes as long as a thread has words: larger teams.
template <int Team, int Words, int RowTeam, int Paths>
__global__ void __launch_bounds__(kPathThreads)
    paths(int row_groups, int width, int height, int row0, int rows, int directions, int keeps,
          int leaves, int disparities, const U32* costs, const U8* pixel_jumps, int P1,
          U32* volumes, const U32* down_in, const U32* up_in, U32* down_out, U32* up_out) {
  using Columns = sgm_text<float, U8, Team, Words, Paths>;
  using Rows = sgm_text<float, U8, RowTeam, Team * Words / RowTeam, Paths>;
  const int group = static_cast<int>(blockIdx.x);
  if (group < row_groups) {
    line_of_group<Rows>(group, 1, {width, height, row0, rows, directions, keeps, leaves},
                        disparities, costs, pixel_jumps, P1, volumes,
                        {down_in, up_in, down_out, up_out});
  } else {
    line_of_group<Columns>(group - row_groups, 0,
                           {width, height, row0, rows, directions, keeps, leaves}, disparities,
                           costs, pixel_jumps, P1, volumes, {down_in, up_in, down_out, up_out});
  }
}

template <int Team, int Words, int Paths>
__global__ void __launch_bounds__(kWinnerThreads)
    winners(int width, int rows, int row0, int disparities, int min_disparity, int uniqueness,
            int step_cost, const U32* volumes, U16* steps, U8* confidence, U16* right_index) {
  using L = sgm_text<float, U8, Team, Words, Paths>;
  extern __shared__ U32 keys[];
  constexpr int teams = kWinnerThreads / Team;
  __shared__ typename L::words_beside beside[kWinnerThreads];
  const int y = static_cast<int>(blockIdx.x), team = static_cast<int>(threadIdx.x) / Team;
  const typename L::sgm_search search = {width,         rows,       disparities,
                                         min_disparity, uniqueness, step_cost};
  for (int x = static_cast<int>(threadIdx.x); x < width; x += kWinnerThreads) keys[x] = ~0U;
  __syncthreads();
  const int run = (width + teams - 1) / teams;
  const std::ptrdiff_t first = std::ptrdiff_t{row0} * width;
  L::winner_run(&search, y, team * run, run, volumes, steps + first, confidence + first, keys,
                beside + team * Team);
  __syncthreads();
  for (int x = static_cast<int>(threadIdx.x); x < width; x += kWinnerThreads)
    right_index[first + std::ptrdiff_t{y} * width + x] = static_cast<U16>(keys[x] & 0xffffU);
}

template <int Team, int Words, int RowTeam, int Paths>
const void* shaped(SgmKernel kernel) {
  return kernel == SgmKernel::paths
             ? reinterpret_cast<const void*>(&paths<Team, Words, RowTeam, Paths>)
             : reinterpret_cast<const void*>(&winners<Team, Words, Paths>);
}

template <int I = 0>
const void* of_shape(SgmKernel kernel, TeamShape shape, int count) {
  if constexpr (I < static_cast<int>(sizeof kTeamShapes / sizeof *kTeamShapes)) {
    constexpr TeamShape s = kTeamShapes[I];
    if (shape.team == s.team && shape.words == s.words)
      return count == 8 ? shaped<s.team, s.words, s.row_team, 8>(kernel)
                        : shaped<s.team, s.words, s.row_team, 4>(kernel);
    return of_shape<I + 1>(kernel, shape, count);
  }
  return nullptr;
}

}  // namespace

const void* cuda_sgm_kernel(SgmKernel kernel, int pixel_bits, TeamShape shape, int count) {
  switch (kernel) {
    case SgmKernel::smooth:
      return pixel_bits == 8 ? reinterpret_cast<const void*>(&smooth<U8>)
                             : reinterpret_cast<const void*>(&smooth<U16>);
    case SgmKernel::census:
      return reinterpret_cast<const void*>(&census);
    case SgmKernel::cost:
      return reinterpret_cast<const void*>(&cost);
    case SgmKernel::paths:
    case SgmKernel::winners:
      break;
  }
  return of_shape(kernel, shape, count);
}

}  // namespace bifocal::stereo
