// SPDX-License-Identifier: BSD-3-Clause
// Compiled OpenCL programs on disk are used if they are valid and rebuilt if not; a bad entry is
// never an error.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <thread>

#include "runtime/backend.hpp"
#include "runtime/kernels.hpp"
#include "runtime/opencl/backend.hpp"
#include "runtime/opencl/source.hpp"
#include "runtime/hash.hpp"
#include "runtime/opencl/program_cache.hpp"

namespace bifocal::test {
namespace {

namespace fs = std::filesystem;

TEST(OpenClDrivers, that_compile_wrongly_are_left_out) {
  EXPECT_NE(runtime::opencl_driver_fault("OpenCL 3.0 PoCL 5.0+debian  Linux, LLVM 16.0.6"), "");
  for (const char* version : {"OpenCL 3.0 PoCL 3.1+debian  Linux", "OpenCL 3.0 PoCL 6.0+debian",
                              "OpenCL 3.0 CUDA 12.5.51", "OpenCL 3.0 LINUX", ""})
    EXPECT_EQ(runtime::opencl_driver_fault(version), "") << version;
}

// Provides an empty cache folder for one test and restores the environment afterwards.
class ProgramCache : public testing::Test {
 protected:
  ProgramCache() {
    std::string name = (fs::temp_directory_path() / "bifocal-cache-XXXXXX").string();
    folder = mkdtemp(name.data());
    keep("XDG_CACHE_HOME");
    keep("BIFOCAL_CACHE");
    setenv("XDG_CACHE_HOME", folder.c_str(), 1);
    unsetenv("BIFOCAL_CACHE");
    (void)runtime::find_opencl_devices();  // tests the compilers' options, which leaves entries too
    probes = entries();
  }
  ~ProgramCache() override {
    for (const auto& restore : restores) restore();
    fs::remove_all(folder);
  }

  // Runs the program with this shift on new backends, which have built no program yet.
  static std::vector<float> run(int shift = 1) {
    runtime::Kernel kernel = combine_kernel();
    kernel.constants.back().second = shift;
    std::vector<float> results;
    for (const auto& backend : runtime::find_opencl_devices().backends) {
      const auto memory = backend->allocate(sizeof(float));
      const auto queue = backend->make_queue();
      float y = 3;
      queue->upload(*memory, {.row_bytes = sizeof y}, &y);
      const runtime::Argument arguments[] = {
          Memory<float>(), Buffer<float>(memory, 1), 2.0F, 0.25, std::int64_t{5}, 1};
      queue->launch(kernel, launch_of(1), arguments);
      queue->download(*memory, {.row_bytes = sizeof y}, &y);
      queue->wait();
      results.push_back(y - static_cast<float>(shift));
    }
    return results;
  }

  [[nodiscard]] std::vector<fs::path> entries() const {
    std::vector<fs::path> files;
    if (fs::is_directory(folder / "bifocal"))
      for (const auto& entry : fs::directory_iterator(folder / "bifocal"))
        if (std::find(probes.begin(), probes.end(), entry.path()) == probes.end())
          files.push_back(entry.path());
    return files;
  }

  // Returns the inode number: a new file of the same name has another number.
  static ino_t number_of(const fs::path& file) {
    struct stat status = {};
    EXPECT_EQ(stat(file.c_str(), &status), 0) << file;
    return status.st_ino;
  }

  // Damages every entry. The results must stay correct, and the entries must be valid
  // again afterwards.
  void expect_rebuilt(const std::function<void(std::string&)>& damage) {
    const std::vector<float> right = run();
    if (right.empty()) GTEST_SKIP() << "no OpenCL device";
    ASSERT_FALSE(entries().empty());
    for (const fs::path& file : entries()) {
      const std::string good = bytes_of(file);
      std::string bad = good;
      damage(bad);
      ASSERT_NE(bad, good);
      std::ofstream(file, std::ios::binary | std::ios::trunc) << bad;
      const ino_t number = number_of(file);
      EXPECT_EQ(run(), right);
      EXPECT_NE(number_of(file), number) << "the damaged entry was used";
      EXPECT_NE(bytes_of(file), bad);
      const ino_t rebuilt = number_of(file);
      EXPECT_EQ(run(), right);
      EXPECT_EQ(number_of(file), rebuilt) << "the rebuilt entry is not used";
    }
  }

  static std::string bytes_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path folder;
  std::vector<fs::path> probes;

 private:
  void keep(const char* name) {
    const char* value = std::getenv(name);
    restores.emplace_back([name, old = std::string(value ? value : ""), had = value != nullptr] {
      had ? setenv(name, old.c_str(), 1) : unsetenv(name);
    });
  }
  std::vector<std::function<void()>> restores;
};

double milliseconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

TEST_F(ProgramCache, a_second_build_uses_the_file) {
  std::vector<float> first, second;
  const double cold = milliseconds_of([&] { first = run(); });
  if (first.empty()) GTEST_SKIP() << "no OpenCL device";
  EXPECT_EQ(first, std::vector<float>(first.size(), 11.25F));
  // Equal devices share an entry, and no temporary file is left.
  ASSERT_FALSE(entries().empty());
  ASSERT_LE(entries().size(), first.size());
  const ino_t number = number_of(entries().front());
  const double warm = milliseconds_of([&] { second = run(); });
  std::printf("%.1f ms from source, %.1f ms from the cache\n", cold, warm);
  EXPECT_EQ(second, first);
  EXPECT_EQ(number_of(entries().front()), number);
}

TEST_F(ProgramCache, other_constants_are_another_entry) {
  const std::vector<float> one = run(1);
  const std::size_t of_one = entries().size();
  EXPECT_EQ(run(2), one);
  EXPECT_EQ(entries().size(), 2 * of_one);
}

TEST_F(ProgramCache, a_changed_byte_is_noticed_wherever_it_is) {
  for (const double where : {0.0, 0.002, 0.5, 1.0})
    expect_rebuilt([where](std::string& bytes) {
      bytes[static_cast<std::size_t>(where * static_cast<double>(bytes.size() - 1))] ^= 1;
    });
}

TEST_F(ProgramCache, a_truncated_entry_is_noticed) {
  expect_rebuilt([](std::string& bytes) { bytes.clear(); });
  expect_rebuilt([](std::string& bytes) { bytes.resize(20); });
  expect_rebuilt([](std::string& bytes) { bytes.resize(bytes.size() / 2); });
  expect_rebuilt([](std::string& bytes) { bytes.pop_back(); });
  expect_rebuilt([](std::string& bytes) { bytes += 'x'; });
}

TEST_F(ProgramCache, an_entry_of_another_driver_is_noticed) {
  expect_rebuilt([](std::string& bytes) {
    const std::size_t at = bytes.find("driver ");
    ASSERT_NE(at, std::string::npos);
    bytes.insert(at + 7, "0.9-");
  });
}

TEST_F(ProgramCache, an_entry_under_another_name_is_noticed) {
  run(1);
  if (entries().empty()) GTEST_SKIP() << "no OpenCL device";
  const fs::path one = entries().front();
  const std::string bytes_of_one = bytes_of(one);
  const std::vector<float> right = run(2);
  for (const fs::path& file : entries())
    if (file != one) std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes_of_one;
  EXPECT_EQ(run(2), right);
}

TEST_F(ProgramCache, a_binary_that_the_driver_refuses_is_rebuilt) {
  expect_rebuilt([](std::string& bytes) {  // intact and with the correct key, but no program
    const std::size_t line = bytes.find(" bytes ", bytes.find("\nplatform "));
    const std::size_t size_at = bytes.rfind('\n', line) + 1;
    const std::string nonsense(100, '?');
    bytes = bytes.substr(0, size_at) + "100 bytes " + runtime::hash_of(nonsense) + "\n" + nonsense;
  });
}

TEST_F(ProgramCache, a_folder_that_cannot_be_written_is_no_error) {
  fs::remove_all(folder / "bifocal");
  std::ofstream(folder / "bifocal") << "a file where the folder should be";  // stops root too
  for (const float y : run()) EXPECT_EQ(y, 11.25F);
  EXPECT_EQ(bytes_of(folder / "bifocal"), "a file where the folder should be");
  setenv("XDG_CACHE_HOME", "/proc/bifocal/no/such", 1);
  for (const float y : run()) EXPECT_EQ(y, 11.25F);
}

TEST_F(ProgramCache, an_entry_that_is_no_file_is_no_error) {
  run();
  const std::vector<fs::path> files = entries();
  for (const bool pipe : {false, true}) {
    for (const fs::path& file : files) {
      fs::remove(file);
      EXPECT_TRUE(pipe ? mkfifo(file.c_str(), 0600) == 0 : fs::create_directory(file)) << file;
    }
    for (const float y : run()) EXPECT_EQ(y, 11.25F);
  }
}

TEST_F(ProgramCache, can_be_switched_off) {
  setenv("BIFOCAL_CACHE", "off", 1);
  for (const float y : run()) EXPECT_EQ(y, 11.25F);
  EXPECT_TRUE(entries().empty());
  unsetenv("BIFOCAL_CACHE");
  setenv("XDG_CACHE_HOME", "relative", 1);  // invalid: ~/.cache then
  setenv("BIFOCAL_CACHE", "off", 1);
  for (const float y : run()) EXPECT_EQ(y, 11.25F);
  EXPECT_FALSE(fs::exists("relative"));
}

TEST_F(ProgramCache, writers_and_readers_do_not_disturb_each_other) {
  const std::string program(1 << 18, 'p');
  const runtime::ProgramKey key{"text", "options", "device", "driver", "platform"};
  int wrong = 0, found = 0;
  std::thread writer([&] {
    for (int i = 0; i < 200; ++i) runtime::write_cached_program(key, program);
  });
  for (int i = 0; i < 200; ++i) {
    const std::string read = runtime::read_cached_program(key);
    found += !read.empty();
    wrong += !read.empty() && read != program;
  }
  writer.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(runtime::read_cached_program(key), program);
  EXPECT_EQ(entries().size(), 1U);
}

TEST(Hash, is_fnv_1a_of_128_bits) {  // values from the reference implementation
  EXPECT_EQ(runtime::hash_of(""), "6c62272e07bb014262b821756295c58d");
  EXPECT_EQ(runtime::hash_of("a"), "d228cb696f1a8caf78912b704e4a8964");
  EXPECT_EQ(runtime::hash_of("foobar"), "343e1662793c64bf6f0d3597ba446f18");
}

}  // namespace
}  // namespace bifocal::test
