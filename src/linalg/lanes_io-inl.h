// SPDX-License-Identifier: BSD-3-Clause
// Loads matrices of a batch into registers, one per lane, and stores results from registers.
// Included once for every SIMD target.
#if defined(BIFOCAL_LINALG_LANES_IO_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BIFOCAL_LINALG_LANES_IO_INL_H_
#undef BIFOCAL_LINALG_LANES_IO_INL_H_
#else
#define BIFOCAL_LINALG_LANES_IO_INL_H_
#endif

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cstddef>

#include "lane/simd-inl.h"
#include "linalg/lanes.hpp"

HWY_BEFORE_NAMESPACE();
namespace bifocal {
namespace HWY_NAMESPACE {

// Loads element e of the matrices first .. first + used - 1; lanes beyond them repeat the last one.
template <class Real, class T>
Real load_element(const linalg::View<const T>& view, int e, int first, int used) {
  constexpr int width = lane::traits<Real>::width;
  const T* p = view.at(e, first);
  if (used == width && view.matrix == 1) return lane::ops<Real>::load(p);
  alignas(64) T values[width];
  for (int l = 0; l < width; ++l) values[l] = p[std::min(l, used - 1) * view.matrix];
  return lane::ops<Real>::load(values);
}

// Stores element e of the first `used` matrices; does not write if the view has no memory.
template <class Real, class T>
void store_element(const linalg::View<T>& view, int e, int first, int used, Real v) {
  constexpr int width = lane::traits<Real>::width;
  if (!view.data) return;
  T* p = view.at(e, first);
  if (used == width && view.matrix == 1) return lane::ops<Real>::store(v, p);
  alignas(64) T values[width];
  lane::ops<Real>::store(v, values);
  for (int l = 0; l < used; ++l) p[l * view.matrix] = values[l];
}

// Returns memory for registers of this thread, which is reused from call to call.
template <class Real>
Real* lane_workspace(std::size_t size) {
  thread_local hwy::AlignedFreeUniquePtr<unsigned char[]> memory;
  thread_local std::size_t bytes = 0;
  if (size * sizeof(Real) > bytes) {
    memory = hwy::AllocateAligned<unsigned char>(size * sizeof(Real));
    if (!memory) throw std::bad_alloc();
    bytes = size * sizeof(Real);
  }
  return reinterpret_cast<Real*>(memory.get());
}

}  // namespace HWY_NAMESPACE
}  // namespace bifocal
HWY_AFTER_NAMESPACE();

#endif
