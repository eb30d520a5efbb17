// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes of every lane's own place, for texts that include this after lane/cpp_begin.h,
// lane/cuda_begin.h or lane/opencl_begin.h. Texts on SIMD registers also need lane/gather-inl.h.
//   lane_gather(p, e)         element e of every lane, float or double
//   lane_gather_int(p, e)     whole number e of every lane
//   lane_load_int(p, i)       whole number i + lane
//   lane_put(p, i, v)         stores v at i + lane, in the precision of p
//   lane_log1p(v)             log(1 + v)
#ifdef __OPENCL_VERSION__
#define lane_gather(p, e) ((real)((p)[e]))
#define lane_gather_int(p, e) ((p)[e])
#define lane_load_int(p, i) ((p)[i])
#define lane_put(p, i, v) ((p)[i] = (v))
#define lane_log1p(v) log1p(v)
#else
template <class T>
lane_fn real lane_gather(const T* p, lane_int e) {
  if constexpr (std::is_arithmetic_v<real>) {
    return static_cast<real>(p[e]);
  } else {
    return gather_lanes(p, e);
  }
}
lane_fn lane_int lane_gather_int(const int* p, lane_int e) {
  if constexpr (std::is_arithmetic_v<real>) {
    return p[e];
  } else {
    return gather_lanes(p, e);
  }
}
lane_fn lane_int lane_load_int(const int* p, index i) {
  if constexpr (std::is_arithmetic_v<real>) {
    return p[i];
  } else {
    return load_lanes(p + i, lane_int_of(0));
  }
}
template <class T>
lane_fn void lane_put(T* p, index i, real v) {
  if constexpr (std::is_arithmetic_v<real>) {
    p[i] = static_cast<T>(v);
  } else {
    store_lanes(v, p + i);
  }
}
lane_fn real lane_log1p(real v) {
  if constexpr (std::is_arithmetic_v<real>) {
    return std::log1p(v);
  } else {
    return log1p_lanes(v);
  }
}
#endif
