// SPDX-License-Identifier: BSD-3-Clause
// -D PIXEL_BITS=8 or 16: of the pictures.
#if PIXEL_BITS == 16
typedef ushort pixel;
#else
typedef uchar pixel;
#endif
