// SPDX-License-Identifier: BSD-3-Clause
// Integer arithmetic as in to_grey_8, so that every device gives the same bits.

// Mixes the colours with the weights of to_grey (image.hpp).
group_fn bits32 grey_mix(bits32 red, bits32 green, bits32 blue) {
  return (77u * red + 150u * green + 29u * blue + 128u) >> 8;
}

// Rounds a sample of 16 bits to the nearest one of 8 bits.
group_fn bits32 grey_shallow(bits32 v) { return (v * 255u + 32767u) / 65535u; }

map_kernel(grey_of_8, item, GREY_OF_8) {
  global_const bits8* pixel = samples + (begin + item) * channels;
  grey[item] = (bits8)(channels < 3 ? (bits32)pixel[0] : grey_mix(pixel[0], pixel[1], pixel[2]));
}

map_kernel(grey_of_16, item, GREY_OF_16) {
  global_const bits16* pixel = samples + (begin + item) * channels;
  grey[item] = (bits8)(channels < 3 ? grey_shallow(pixel[0])
                                    : grey_mix(grey_shallow(pixel[0]), grey_shallow(pixel[1]),
                                               grey_shallow(pixel[2])));
}
