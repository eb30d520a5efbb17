// SPDX-License-Identifier: BSD-3-Clause
#include "console.hpp"

#include <fmt/format.h>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

#include "jobs/report/page.hpp"

namespace bifocal::cli {

void print_out(const std::string& data) {
  const std::string text = valid_utf8(data);
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) {
    throw Error(ErrorCode::input, fmt::format("stdout: can't write: {}", std::strerror(errno)));
  }
}

std::string command_line(const std::string& name, int argc, char** argv) {
  std::string text = name;
  for (int i = 1; i < argc; ++i) (text += ' ') += jobs::shell_quoted(argv[i]);
  return text;
}

namespace {

// Names the flag where bifocal/io.hpp names the option.
std::string with_flag(std::string message) {
  constexpr std::string_view kOption = "overwrite it";
  if (message.ends_with(kOption))
    message.replace(message.size() - kOption.size(), kOption.size(), "use --overwrite");
  return message;
}

}  // namespace

int exit_code_of(const std::string& name, const std::function<int()>& body,
                 const std::function<std::string(const std::string&)>& reworded) {
  const auto fail = [&](const std::string& message, int code) {
    fmt::print(stderr, "{}: {}\n", name, valid_utf8(message));
    return code;
  };
  try {
    return body();
  } catch (const Error& e) {
    return fail(with_flag(reworded ? reworded(e.what()) : e.what()), static_cast<int>(e.code()));
  } catch (const std::bad_alloc&) {
    return fail("out of memory", kExitInternal);
  } catch (const std::exception& e) {
    return fail(fmt::format("internal error: {}", e.what()), kExitInternal);
  }
}

}  // namespace bifocal::cli
