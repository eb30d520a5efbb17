// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <list>
#include <unordered_map>
#include <utility>

namespace bifocal::runtime {

// Keeps values up to a limit of bytes and drops the least recently used values. The last two used
// values stay regardless of the limit, because a pair needs both.
template <class Key, class Value>
class LruCache {
 public:
  explicit LruCache(std::int64_t max_bytes) : max_bytes_(max_bytes) {}

  // Returns the value of a key. If it is missing, make() creates it and returns it with its
  // size in bytes.
  template <class Make>
  Value& get(const Key& key, const Make& make) {
    if (const auto found = places_.find(key); found != places_.end()) {
      entries_.splice(entries_.begin(), entries_, found->second);
      return entries_.front().value;
    }
    auto [value, bytes] = make();
    bytes_ += bytes;
    while (bytes_ > max_bytes_ && entries_.size() > 1) {
      bytes_ -= entries_.back().bytes;
      places_.erase(entries_.back().key);
      entries_.pop_back();
    }
    entries_.push_front({key, std::move(value), bytes});
    places_.emplace(key, entries_.begin());
    return entries_.front().value;
  }

 private:
  struct Entry {
    Key key;
    Value value;
    std::int64_t bytes;
  };
  std::int64_t max_bytes_, bytes_ = 0;
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<Key, typename std::list<Entry>::iterator> places_;
};

}  // namespace bifocal::runtime
