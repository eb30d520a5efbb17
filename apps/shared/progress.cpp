// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <bifocal/io.hpp>

#include <cstdio>

namespace bifocal::cli {
namespace {

constexpr std::size_t kWidth = 79;  // a longer line would wrap and could not be redrawn

std::string time_text(double seconds) {
  const auto s = static_cast<long>(seconds + 0.5);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{}:{:02} min", s / 60, s % 60);
  return fmt::format("{}:{:02} h", s / 3600, s / 60 % 60);
}

}  // namespace

std::string progress_line(const ProgressState& s) {
  std::string text = s.unit == "%" ? fmt::format("{:.0f} %", 100 * s.done / s.total)
                                   : fmt::format("{:g} of {:g} {}", s.done, s.total, s.unit);
  const double rate = s.seconds > 0 && s.work == Work::counted ? s.done / s.seconds : 0;
  text += rate > 0 ? fmt::format(", {:.3g} {}/s, {} left", rate, s.unit,
                                 time_text((s.total - s.done) / rate))
                   : fmt::format(", {}", time_text(s.seconds));
  return valid_utf8(s.what.empty() ? text : fmt::format("{}: {}", text, s.what));
}

Progress::Progress(double total, std::string unit, Work work)
    : total_(total),
      unit_(std::move(unit)),
      work_(work),
      terminal_(isatty(STDERR_FILENO) == 1),
      thread_([this] { tick(); }) {}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
  erase();
}

void Progress::hide() {
  const std::lock_guard lock(mutex_);
  erase();
}

void Progress::erase() {
  if (terminal_ && shown_) fmt::print(stderr, "\r\033[K");
  shown_ = false;
}

void Progress::update(double done, std::string_view what) {
  const std::lock_guard lock(mutex_);
  done_ = done;
  what_ = what;
  if (terminal_) show();
}

void Progress::tick() {
  const auto interval =
      terminal_ ? std::chrono::milliseconds(250) : std::chrono::milliseconds(10000);
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, interval, [this] { return stop_; })) show();
}

std::string Progress::line() const {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  return progress_line({done_, total_, seconds, unit_, what_, work_});
}

void Progress::show() {
  if (terminal_) {
    fmt::print(stderr, "\r\033[K{}", valid_utf8(line().substr(0, kWidth)));
  } else {
    fmt::print(stderr, "{}\n", line());
  }
  std::fflush(stderr);
  shown_ = true;
}

}  // namespace bifocal::cli
