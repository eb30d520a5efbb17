// SPDX-License-Identifier: BSD-3-Clause
// Counter-based random numbers: functions of key and counter, so that any sample can be drawn at
// any time on any device. Plain whole numbers, the same for all lanes.

// Philox4x32-10: computes out [4] from counter [4] and key.
//   J. Salmon, M. Moraes, R. Dror, D. Shaw, Parallel random numbers: as easy as 1, 2, 3, SC 2011.
lane_fn void philox(const bits32* counter, bits32 key0, bits32 key1, bits32* out) {
  bits32 c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
  for (index round = 0; round < 10; ++round) {
    bits32 a_high = bits_mul_high(0xD2511F53u, c0), a_low = 0xD2511F53u * c0;
    bits32 b_high = bits_mul_high(0xCD9E8D57u, c2), b_low = 0xCD9E8D57u * c2;
    c0 = b_high ^ c1 ^ key0;
    c1 = b_low;
    c2 = a_high ^ c3 ^ key1;
    c3 = a_low;
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}

// Draws the sample `iteration`: `size` distinct numbers in [0, n), size <= n, each subset with
// the same probability. `ready` [4 ready_blocks]: the first random numbers of the sample, if
// they are already computed.
//   D. Lemire, Fast random integer generation in an interval, ACM TOMACS 29(1), 2019.
lane_fn void sample_draw(bits32 seed0, bits32 seed1, bits32 iteration, index n, index size,
                         const bits32* ready, index ready_blocks, index* sample) {
  bits32 counter[4] = {0, 0, iteration, 0}, own[4];
  const bits32* numbers = own;
  index used = 4, drawn = 0;
  while (drawn < size) {
    if (used == 4) {
      if ((index)counter[0] < ready_blocks) {
        numbers = ready + 4 * counter[0];
      } else {
        philox(counter, seed0, seed1, own);
        numbers = own;
      }
      counter[0] += 1;
      used = 0;
    }
    bits32 number = numbers[used++], range = (bits32)n, low = number * range;
    if (low < range && low < (0u - range) % range) continue;  // avoids bias
    index drawn_point = (index)bits_mul_high(number, range);
    index fresh = 1;
    for (index i = 0; i < drawn; ++i) fresh = fresh && sample[i] != drawn_point;
    sample[drawn] = drawn_point;
    drawn += fresh;
  }
}

// Returns element i of a random permutation of [0, n): six rounds of a Feistel network on the next
// power of two, repeated until the value is below n.
//   M. Luby, C. Rackoff, SIAM J. Comput. 17(2), 1988;  J. Black, P. Rogaway, Ciphers with arbitrary
//   finite domains, CT-RSA 2002;  for its use as a shuffle R. Mitchell, D. Stokes, E. Frank, G.
//   Holmes, ACM Trans. Parallel Comput. 9(1), 2022.
lane_fn index shuffled(index i, index n, bits32 seed0, bits32 seed1) {
  const index exponent = (index)(float_bits((float)(n - 1)) >> 23) - 126;
  const index bits = exponent < 2 ? 2 : exponent, low_bits = bits / 2;
  const bits32 low_mask = (1u << low_bits) - 1u, high_mask = (1u << (bits - low_bits)) - 1u;
  bits32 value = (bits32)i;
  do {
    bits32 low = value & low_mask, high = value >> low_bits, key = seed0;
    for (index round = 0; round < 3; ++round) {
      bits32 mixed = (low + key) * 0x9E3779B1u;
      high ^= (mixed ^ (mixed >> 15)) * 0x85EBCA77u >> 7 & high_mask;
      key += seed1 + 0x7F4A7C15u;
      mixed = (high + key) * 0xC2B2AE3Du;
      low ^= (mixed ^ (mixed >> 15)) * 0x27D4EB2Fu >> 7 & low_mask;
      key = key * 0x2545F491u + seed1;
    }
    value = high << low_bits | low;
  } while (value >= (bits32)n);
  return (index)value;
}
