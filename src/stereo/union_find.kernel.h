// SPDX-License-Identifier: BSD-3-Clause
// Twin: regions.cpp (CPUs). Union-find on an array that many threads join at once: trees[i] <= i is
// the parent of i, a root is its own. The root of a joined set is its smallest member, whatever the
// order of the joins. Included once for each kind of memory: UNION_FIND(name) names the functions,
// UNION_FIND_PTR qualifies the array, and UNION_FIND_ATOMIC(name) is the operation on its numbers.
//   Links by atomic minima that are tried again from what they replaced: D. Playne, K. Hawick, A
//   new algorithm for parallel connected-component labelling on GPUs, IEEE TPDS 29(6), 2018.
group_fn bits32 UNION_FIND(root)(UNION_FIND_PTR bits32* trees, bits32 i) {
  bits32 up = UNION_FIND_ATOMIC(read)(trees + i);
  while (up != i) {
    i = up;
    up = UNION_FIND_ATOMIC(read)(trees + i);
  }
  return i;
}

// The same; shortens the way for those who come later: an ancestor's ancestor is one.
group_fn bits32 UNION_FIND(root_shortened)(UNION_FIND_PTR bits32* trees, bits32 i) {
  bits32 up = UNION_FIND_ATOMIC(read)(trees + i);
  while (up != i) {
    const bits32 next = UNION_FIND_ATOMIC(read)(trees + up);
    if (next == up) return up;
    UNION_FIND_ATOMIC(min)(trees + i, next);
    i = next;
    up = UNION_FIND_ATOMIC(read)(trees + i);
  }
  return i;
}

group_fn void UNION_FIND(join)(UNION_FIND_PTR bits32* trees, bits32 a, bits32 b) {
  while (1) {
    a = UNION_FIND(root_shortened)(trees, a);
    b = UNION_FIND(root_shortened)(trees, b);
    if (a == b) return;
    const bits32 high = a > b ? a : b, low = a > b ? b : a;
    const bits32 before = UNION_FIND_ATOMIC(min)(trees + high, low);
    if (before == high) return;
    a = before;  // another one was faster: what it linked `high` to belongs to `low` too
    b = low;
  }
}
