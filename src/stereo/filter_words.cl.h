// SPDX-License-Identifier: BSD-3-Clause
// Words of filter.kernel.h for OpenCL.
#define pair_min(a, b) as_uint(min(as_ushort2((uint)(a)), as_ushort2((uint)(b))))
#define pair_max(a, b) as_uint(max(as_ushort2((uint)(a)), as_ushort2((uint)(b))))
#define bits_leading_zeros(v) ((int)clz((uint)(v)))
#define local_set_bits(p, v) ((void)atomic_or((volatile local uint*)(p), (uint)(v)))
#define local_add(p, v) ((void)atomic_add((volatile local uint*)(p), (uint)(v)))
#define global_add(p, v) ((void)atomic_add((volatile global uint*)(p), (uint)(v)))
#define tile_lower(p, v) atomic_min((p), (uint)(v))
#define picture_lower(p, v) atomic_min((p), (uint)(v))
#define tile_read(p) (*(p))
#define picture_read(p) (*(p))
#define float_nan() as_float(0x7fc00000)
