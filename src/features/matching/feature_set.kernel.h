// SPDX-License-Identifier: BSD-3-Clause

map_kernel(copy_words, i, COPY_WORDS) {
  for (offset word = i; word < words; word += items) to[to_first + word] = from[from_first + word];
}
