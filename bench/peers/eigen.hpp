// SPDX-License-Identifier: BSD-3-Clause
// For the files with Eigen, which are compiled with BIFOCAL_PEER_FLAGS for the best code of this
// machine's compiler. Sizes up to 10 are fixed at compile time, Eigen's fastest way; larger fixed
// sizes would take minutes to compile.
#pragma once

#include "peers.hpp"

#ifdef BIFOCAL_PEER_EIGEN
#include <Eigen/Dense>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define EIGEN_NAME \
  "Eigen " TEXT(EIGEN_WORLD_VERSION) "." TEXT(EIGEN_MAJOR_VERSION) "." TEXT(EIGEN_MINOR_VERSION)
#define NAMED(what, shape) EIGEN_NAME " " what " (" shape ", " BIFOCAL_PEER_FLAGS ")"

namespace bifocal::bench {
namespace {

template <class T, int M, int N>
using Mat = Eigen::Matrix<T, M, N>;
template <class T, int M, int N>
using In = Eigen::Map<const Mat<T, M, N>>;
template <class T, int M, int N>
using Out = Eigen::Map<Mat<T, M, N>>;
constexpr int kDynamic = Eigen::Dynamic;

// A program built for this machine may run on an older one.
[[maybe_unused]] bool has_instructions() {
#if defined(__x86_64__)
#ifdef __AVX512F__
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512dq") ||
      !__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512bw"))
    return false;
#endif
#ifdef __AVX2__
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return false;
#endif
#endif
  return true;
}

}  // namespace
}  // namespace bifocal::bench
#endif
