// SPDX-License-Identifier: BSD-3-Clause
// Simulates a GPU warp on a CPU. Each of 32 members has its own stack, and the members run one
// after another from one synchronisation (a shuffle, a vote or a barrier) to the next. Group
// code for GPUs is thus tested without a GPU; the program ends if some members do not reach the
// same synchronisation.
#pragma once

#include <ucontext.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

namespace bifocal::test {

class Lockstep {
 public:
  static constexpr int kMembers = 32;

  // Runs `body` in every member until all have returned. Must not run in several threads.
  static void run(const std::function<void()>& body) {
    Lockstep warp;
    active_ = &warp;
    warp.body_ = &body;
    for (Member& m : warp.members_) m.prepare();
    int done = 0;
    while (done < kMembers) {
      done = 0;
      for (warp.current_ = 0; warp.current_ < kMembers; ++warp.current_) {
        Member& m = warp.members_[static_cast<std::size_t>(warp.current_)];
        if (!m.done) swapcontext(&warp.scheduler_, &m.context);
        done += m.done ? 1 : 0;
      }
      if (done > 0 && done < kMembers) {
        std::fputs("members of a group do not meet at the same place\n", stderr);
        std::abort();
      }
    }
    active_ = nullptr;
  }
  static int member() { return active_->current_; }
  static void barrier() { active_->meet(); }
  // Returns the number of member `from`.
  static double shuffle(double v, int from) {
    Lockstep& warp = *active_;
    warp.slots_[static_cast<std::size_t>(warp.current_)] = v;
    warp.meet();
    const double got = warp.slots_[static_cast<std::size_t>(from % kMembers)];
    warp.meet();
    return got;
  }
  static bool any(bool v) {
    Lockstep& warp = *active_;
    warp.slots_[static_cast<std::size_t>(warp.current_)] = v ? 1 : 0;
    warp.meet();
    bool result = false;
    for (const double s : warp.slots_) result = result || s != 0;
    warp.meet();
    return result;
  }

 private:
  struct Member {
    ucontext_t context = {};
    std::vector<char> stack = std::vector<char>(1 << 18);
    bool done = false;

    void prepare() {
      getcontext(&context);
      context.uc_stack.ss_sp = stack.data();
      context.uc_stack.ss_size = stack.size();
      makecontext(&context, start, 0);
    }
  };
  static void start() {
    Lockstep& warp = *active_;
    (*warp.body_)();
    warp.members_[static_cast<std::size_t>(warp.current_)].done = true;
    warp.meet();
  }
  void meet() { swapcontext(&members_[static_cast<std::size_t>(current_)].context, &scheduler_); }

  inline static Lockstep* active_ = nullptr;
  std::vector<Member> members_ = std::vector<Member>(kMembers);
  std::array<double, kMembers> slots_ = {};
  ucontext_t scheduler_ = {};
  const std::function<void()>* body_ = nullptr;
  int current_ = 0;
};

}  // namespace bifocal::test
