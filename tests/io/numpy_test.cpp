// SPDX-License-Identifier: BSD-3-Clause
// Exchanges files with the real numpy, if it is installed.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include <bifocal/io.hpp>

#include "io/expect.hpp"
#include "support/data.hpp"

namespace bifocal {
namespace {

// Returns a Python that has numpy, or an empty string.
std::string python() {
  for (const std::string name : {"python3", "/usr/bin/python3"}) {
    if (std::system((name + " -c 'import numpy' >/dev/null 2>&1").c_str()) == 0) return name;
  }
  return {};
}

int run_python(const test::TemporaryFolder& folder, const std::string& text) {
  write_file(folder / "script.py", "import io, numpy as np, zipfile\n" + text);
  return std::system(
      fmt::format("cd '{}' && {} script.py", folder.path().string(), python()).c_str());
}

TEST(Numpy, ReadsOurFiles) {
  if (python().empty()) GTEST_SKIP() << "no Python with numpy";
  const test::TemporaryFolder folder;
  const std::vector<NamedArray> arrays = {
      {"f8", {{2, 3}, std::vector<double>{0, 0.5, 1, 1.5, 2, 2.5}}},
      {"f4", {{1, 1, 2}, std::vector<float>{0.25f, -1e30f}}},
      {"i8", {{2}, std::vector<std::int64_t>{-1, std::int64_t{1} << 62}}},
      {"i4", {{}, std::vector<std::int32_t>{-7}}},
      {"b1", {{3}, std::vector<std::uint8_t>{1, 0, 9}}},
      {"none", {{0, 4}, std::vector<double>{}}},
      {"text", {{}, std::string("gr\xc3\xbc\xc3\x9f")}},
      {"\xc3\xa9", {{}, std::string()}}};
  write_npz(folder / "a.npz", arrays);
  EXPECT_EQ(run_python(folder, R"(
a = np.load('a.npz')
assert zipfile.ZipFile('a.npz').testzip() is None
assert list(a) == ['f8', 'f4', 'i8', 'i4', 'b1', 'none', 'text', '\u00e9'], list(a)
def same(name, dtype, value):
    got = a[name]
    assert got.dtype == dtype and got.shape == np.shape(value) and (got == value).all(), (name, got)
same('f8', 'f8', np.arange(6).reshape(2, 3) / 2)
same('f4', 'f4', np.array([[[0.25, -1e30]]], 'f4'))
same('i8', 'i8', [-1, 2**62])
same('i4', 'i4', -7)
same('b1', '?', [True, False, True])
same('none', 'f8', np.zeros((0, 4)))
assert str(a['text']) == 'gr\u00fc\u00df' and str(a['\u00e9']) == ''
)"),
            0);
}

TEST(Numpy, WritesFilesThatWeRead) {
  if (python().empty()) GTEST_SKIP() << "no Python with numpy";
  const test::TemporaryFolder folder;
  ASSERT_EQ(run_python(folder, R"(
x = np.arange(24.).reshape(2, 3, 4)
d = dict(f8=x, f4=x.astype('f4'), i8=x.astype('i8'), i4=x.astype('i4'), b1=x % 2 == 0, turned=x.T,
         cut=x[:, ::2], scalar=np.float64(3), none=np.zeros((3, 0)), text='general',
         big=x.astype('>f8'), names=np.array(['a', 'b']), any=np.array([None]), short=x.astype('i2'))
np.savez('stored.npz', **d)
np.savez_compressed('packed.npz', **d)
class Pipe(io.RawIOBase):  # can't seek: sizes follow the data
    def __init__(self, f): self.f = f
    def writable(self): return True
    def write(self, b): return self.f.write(b)
np.savez_compressed(Pipe(open('piped.npz', 'wb')), **d)
)"),
            0);
  std::vector<double> count(24), turned;
  for (int i = 0; i < 24; ++i) count[std::size_t(i)] = i;
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 2; ++i) turned.push_back(12 * i + 4 * j + k);
  const std::vector<std::int64_t> shape = {2, 3, 4};
  for (const char* name : {"stored.npz", "packed.npz", "piped.npz"}) {
    SCOPED_TRACE(name);
    const NpzFile file(folder / name);
    const auto expect = [&]<class T>(const char* array, const std::vector<T>& values,
                                     const std::vector<std::int64_t>& sizes) {
      SCOPED_TRACE(array);
      const NpyArray got = file.read(array);
      EXPECT_EQ(got.shape, sizes);
      ASSERT_TRUE(std::holds_alternative<std::vector<T>>(got.values)) << describe(got);
      EXPECT_EQ(std::get<std::vector<T>>(got.values), values);
    };
    expect("f8", count, shape);
    expect("f4", std::vector<float>(count.begin(), count.end()), shape);
    expect("i8", std::vector<std::int64_t>(count.begin(), count.end()), shape);
    expect("i4", std::vector<std::int32_t>(count.begin(), count.end()), shape);
    std::vector<std::uint8_t> even(24);
    for (std::size_t i = 0; i < 24; ++i) even[i] = i % 2 == 0;
    expect("b1", even, shape);
    expect("turned", turned, {4, 3, 2});
    expect("cut", std::vector<double>{0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 20, 21, 22, 23},
           {2, 2, 4});
    expect("scalar", std::vector<double>{3}, {});
    expect("none", std::vector<double>{}, {3, 0});
    EXPECT_EQ(std::get<std::string>(file.read("text").values), "general");
    test::expect_error([&] { (void)file.read("big"); }, "array big: is big-endian (>f8)");
    test::expect_error([&] { (void)file.read("names"); }, "array names: is an array of strings");
    test::expect_error([&] { (void)file.read("any"); }, "array any: is of type |O");
    test::expect_error([&] { (void)file.read("short"); }, "array short: is of type <i2");
  }
}

}  // namespace
}  // namespace bifocal
