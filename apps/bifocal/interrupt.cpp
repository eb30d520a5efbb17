// SPDX-License-Identifier: BSD-3-Clause
#include "interrupt.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>

#include "cli.hpp"

namespace bifocal::cli {

struct Interrupts {
  StopRequest* stop = nullptr;

  // False without a handler, or after an earlier request.
  [[nodiscard]] bool make_request() {
    const auto lock = hold_interrupts();
    return stop && !stop->is_made_.exchange(true);
  }
};

namespace {

// Never destroyed, because the watching thread lives as long as the process.
Interrupts& interrupts() {
  static auto* all = new Interrupts;
  return *all;
}

int signal_pipe[2] = {-1, -1};

// The sentence of the current work. Protected by hold_interrupts(), and never destroyed.
std::string& left_now() {
  static auto* text = new std::string(kNothingWritten);
  return *text;
}

// Wakes the watching thread. Any thread may receive the signal, since libraries start threads
// before main, and a signal handler may call few functions.
void on_signal(int signal) {
  const int saved = errno;
  const auto byte = static_cast<unsigned char>(signal);
  [[maybe_unused]] const ssize_t written = write(signal_pipe[1], &byte, 1);
  errno = saved;
}

void end_by(int signal) {
  const auto lock = hold_interrupts();
  clean_up();
  if (isatty(STDERR_FILENO) == 1) std::fputs("\n", stderr);  // ends the line of the progress
  print_note("interrupted; " + left_now());
  if (signal != SIGINT) _exit(kExitInterrupted);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void watch_interrupts() {
  if (pipe2(signal_pipe, O_CLOEXEC) != 0)
    return;  // without the pipe a signal ends the process immediately
  std::thread([] {
    unsigned char signal = 0;
    do {
      while (read(signal_pipe[0], &signal, 1) < 0 && errno == EINTR) continue;
    } while (signal == SIGINT && interrupts().make_request());
    end_by(signal);
  }).detach();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler == SIG_IGN) continue;  // nohup, background jobs
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, nullptr);
  }
}

void announce_interruption(std::string left) {
  const auto lock = hold_interrupts();
  left_now() = std::move(left);
}

StopRequest::StopRequest() {
  const auto lock = hold_interrupts();
  interrupts().stop = this;
}

StopRequest::~StopRequest() {
  const auto lock = hold_interrupts();
  interrupts().stop = nullptr;
}

}  // namespace bifocal::cli
