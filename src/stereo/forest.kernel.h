// SPDX-License-Identifier: BSD-3-Clause
// Trees in an array, joined by many at once: trees[i] <= i is the parent of i, a root is its own.
// The root of a joined set is its smallest member, whatever the order of the joins. Included once
// for each kind of memory: FOREST(name) names the functions, FOREST_MEMORY qualifies the array.
//   Links by atomic minima that are tried again from what they replaced: D. Playne, K. Hawick, A
//   new algorithm for parallel connected-component labelling on GPUs, IEEE TPDS 29(6), 2018.
group_fn bits32 FOREST(root)(volatile FOREST_MEMORY bits32* trees, bits32 i) {
  bits32 up = FOREST(read)(trees + i);
  while (up != i) {
    i = up;
    up = FOREST(read)(trees + i);
  }
  return i;
}

// The same; shortens the way for those who come later: an ancestor's ancestor is one.
group_fn bits32 FOREST(root_shortened)(volatile FOREST_MEMORY bits32* trees, bits32 i) {
  bits32 up = FOREST(read)(trees + i);
  while (up != i) {
    const bits32 next = FOREST(read)(trees + up);
    if (next == up) return up;
    FOREST(lower)(trees + i, next);
    i = next;
    up = FOREST(read)(trees + i);
  }
  return i;
}

group_fn void FOREST(join)(volatile FOREST_MEMORY bits32* trees, bits32 a, bits32 b) {
  while (1) {
    a = FOREST(root_shortened)(trees, a);
    b = FOREST(root_shortened)(trees, b);
    if (a == b) return;
    const bits32 high = a > b ? a : b, low = a > b ? b : a;
    const bits32 before = FOREST(lower)(trees + high, low);
    if (before == high) return;
    a = before;  // another one was faster: what it linked `high` to belongs to `low` too
    b = low;
  }
}
