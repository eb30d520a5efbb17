// SPDX-License-Identifier: BSD-3-Clause
// Twin: regions.cpp (CPUs). Union-find on an array that many threads join concurrently: trees[i] <=
// i is the parent of i, and a root is its own parent. The root of a joined set is its smallest
// member, whatever the order of the joins. The file is included once for each kind of memory:
// UNION_FIND(name) names the functions, UNION_FIND_PTR qualifies the array, and
// UNION_FIND_ATOMIC(name) is the atomic operation on its elements.
//   Links are atomic minima, repeated from the parent that they replaced: D. Playne, K. Hawick, A
//   new algorithm for parallel connected-component labelling on GPUs, IEEE TPDS 29(6), 2018.
group_fn bits32 UNION_FIND(root)(UNION_FIND_PTR bits32* trees, bits32 i) {
  bits32 up = UNION_FIND_ATOMIC(read)(trees + i);
  while (up != i) {
    i = up;
    up = UNION_FIND_ATOMIC(read)(trees + i);
  }
  return i;
}

// Returns the root of i and links i to its grandparent on the way, which shortens the path for
// later calls.
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
    a = before;  // another thread linked `high` first: joins that parent with `low`
    b = low;
  }
}
