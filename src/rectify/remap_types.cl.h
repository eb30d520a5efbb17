// SPDX-License-Identifier: BSD-3-Clause
// -D PIXEL_BITS=8 or 16 -D CHANNELS=1 to 4.
#if PIXEL_BITS == 8
typedef uchar pixel;
#else
typedef ushort pixel;
#endif
