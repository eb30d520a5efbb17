// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "runtime/parallel.hpp"

namespace bifocal::mapping {

// Group g has the items [first[g], first[g + 1]).
template <class Item>
struct Grouped {
  std::vector<std::size_t> first;
  std::vector<Item> items;
};

// Groups items in parallel. each(chunk, visit) calls visit(group, item) for the items of a chunk,
// the same ones in every call. Items of a group are in the order of the chunks and calls.
template <class Item, class Each>
Grouped<Item> grouped(std::size_t groups, std::size_t chunks, const Each& each) {
  std::vector<std::size_t> next(chunks * groups);  // place of the next item of a chunk and group
  runtime::parallel_each(chunks, [&](std::size_t chunk) {
    each(chunk, [&](std::size_t group, const Item&) { ++next[chunk * groups + group]; });
  });
  Grouped<Item> out;
  std::size_t count = 0;
  for (std::size_t group = 0; group < groups; ++group) {
    out.first.push_back(count);
    for (std::size_t chunk = 0; chunk < chunks; ++chunk)
      count += std::exchange(next[chunk * groups + group], count);
  }
  out.first.push_back(count);
  out.items.resize(count);
  runtime::parallel_each(chunks, [&](std::size_t chunk) {
    each(chunk, [&](std::size_t group, const Item& item) {
      out.items[next[chunk * groups + group]++] = item;
    });
  });
  return out;
}

}  // namespace bifocal::mapping
