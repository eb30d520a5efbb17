// SPDX-License-Identifier: BSD-3-Clause
// NPZ files: written files are read back, numpy's files are read, and damaged data are
// always detected.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <bifocal/io.hpp>

#include "io/expect.hpp"
#include "io/hand_zip.hpp"
#include "io/npy.hpp"
#include "support/data.hpp"

namespace bifocal {
namespace {

using test::expect_error;
using test::hand_zip;
using test::npy;
using test::npy_header;

// Compares type, shape and bytes; NaN equals itself.
void expect_same(const NpyArray& a, const NpyArray& b) {
  EXPECT_EQ(a.shape, b.shape);
  ASSERT_EQ(a.values.index(), b.values.index());
  std::visit(
      [&](const auto& x) {
        const auto& y = std::get<std::decay_t<decltype(x)>>(b.values);
        ASSERT_EQ(x.size(), y.size());
        EXPECT_TRUE(x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof x[0]) == 0);
      },
      a.values);
}

template <class T>
std::vector<T> extremes(std::size_t count) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {T(0), T(1), Limits::max(), Limits::lowest(), Limits::min()};
  if constexpr (Limits::has_infinity) {
    values.insert(values.end(), {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(),
                                 Limits::denorm_min(), T(-0.0)});
  }
  for (std::size_t i = 0; values.size() < count; ++i) values.push_back(values[i]);
  values.resize(count);
  return values;
}

// Makes arrays of every type in every kind of shape, and strings.
std::vector<NamedArray> every_array() {
  const std::vector<std::pair<std::vector<std::int64_t>, std::size_t>> shapes = {
      {{}, 1}, {{0}, 0}, {{1}, 1}, {{7}, 7}, {{2, 3}, 6}, {{4, 0, 2}, 0}, {{2, 3, 1, 4}, 24}};
  std::vector<NamedArray> arrays;
  for (const auto& [shape, count] : shapes) {
    const auto add = [&, shape = shape](const char* type, auto values) {
      arrays.push_back({type + std::to_string(arrays.size()), {shape, std::move(values)}});
    };
    add("f8_", extremes<double>(count));
    add("f4_", extremes<float>(count));
    add("i8_", extremes<std::int64_t>(count));
    add("i4_", extremes<std::int32_t>(count));
    std::vector<std::uint8_t> bools(count);
    for (std::size_t i = 0; i < count; ++i) bools[i] = i % 3 == 0;
    add("b1_", bools);
  }
  arrays.push_back({"text", {{}, std::string("essential")}});
  arrays.push_back({"none", {{}, std::string()}});
  arrays.push_back(
      {"\xc3\xa9t\xc3\xa9", {{}, std::string("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x93\xb7")}});
  return arrays;
}

NpzFile in_memory(std::string bytes) { return {std::move(bytes), "s.npz"}; }

// Reads the only array, x, of a file with one member.
NpyArray only(const std::string& npy_file) {
  return in_memory(hand_zip({{"x.npy", npy_file}})).read("x");
}

const std::string kTwo("\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\xc0", 16);  // 1.0 and -2.0
const NpyArray kTwoArray{{2}, std::vector<double>{1, -2}};
const std::string kNpy = npy(npy_header("<f8", "2,"), kTwo);

TEST(Npz, EveryTypeAndShapeComesBack) {
  const test::TemporaryFolder folder;
  const std::vector<NamedArray> arrays = every_array();
  write_npz(folder / "a.npz", arrays);
  const NpzFile file(folder / "a.npz");
  ASSERT_EQ(file.names().size(), arrays.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    SCOPED_TRACE(arrays[i].name);
    EXPECT_EQ(file.names()[i], arrays[i].name);
    EXPECT_TRUE(file.contains(arrays[i].name));
    expect_same(file.read(arrays[i].name), arrays[i].array);
  }
  EXPECT_EQ(read_file(folder / "a.npz"), encode_npz(arrays));
  EXPECT_FALSE(file.contains("f8_0.npy"));
  expect_error([&] { (void)file.read("x9"); }, "a.npz: has no array x9");
  EXPECT_TRUE(in_memory(encode_npz({})).names().empty());
}

TEST(Npz, NarrowArraysHaveNumpysTypesAndComeBack) {
  const NpyArray bytes{{3, 1}, std::vector<std::int8_t>{-128, -1, 127}},
      counts{{2}, std::vector<std::byte>{std::byte{0}, std::byte{255}}},
      halves{{2}, std::vector<Float16>{{0x3c00}, {0xfc00}}};
  for (const auto& [array, type] :
       {std::pair{bytes, "|i1"}, std::pair{counts, "|u1"}, std::pair{halves, "<f2"}}) {
    EXPECT_TRUE(
        io::npy_bytes(array, "n")
            .substr(10)
            .starts_with(fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}", type,
                                     array.shape[0])));
    const std::vector<NamedArray> one{{.name = "x", .array = array}};
    const NpyArray back = in_memory(encode_npz(one)).read("x");
    EXPECT_EQ(back.shape, array.shape);
    EXPECT_EQ(encode_npz(std::vector<NamedArray>{{.name = "x", .array = back}}), encode_npz(one));
  }
  EXPECT_TRUE(io::npy_bytes(bytes, "n").ends_with("\n\x80\xff\x7f"));
  expect_error(
      [] {
        (void)io::npy_bytes({{2}, std::vector<std::int8_t>{1}}, "n");
      },
      "n: a shape of [2] with 1 values", ErrorCode::usage);
}

TEST(Npz, NamesOutsideAsciiAreMarkedAsUtf8) {
  const auto flags = [](const char* name) {
    const std::vector<NamedArray> arrays{{.name = name, .array = kTwoArray}};
    return encode_npz(arrays).substr(6, 2);
  };
  EXPECT_EQ(flags("x"), std::string("\0\0", 2));
  EXPECT_EQ(flags("\xc3\xa9"), std::string("\0\x08", 2));
}

TEST(Npz, EveryWayToPackReads) {
  const std::vector<std::pair<const char*, std::string>> files = {
      {"stored", hand_zip({{"x.npy", kNpy}})},
      {"deflated", hand_zip({{.name = "x.npy", .data = kNpy, .deflate = true}})},
      {"ZIP64", hand_zip({{.name = "x.npy", .data = kNpy, .zip64 = true}})},
      {"ZIP64 throughout", hand_zip({{.name = "x.npy", .data = kNpy, .zip64 = true}}, true)},
      {"descriptor", hand_zip({{.name = "x.npy", .data = kNpy, .descriptor = true}})},
      {"deflated, ZIP64, descriptor",
       hand_zip(
           {{.name = "x.npy", .data = kNpy, .deflate = true, .zip64 = true, .descriptor = true}})},
      {"comment", hand_zip({{"x.npy", kNpy}}, false, "PK\5\6 said the archive")},
      {"others beside it", hand_zip({{"readme.txt", "hello"}, {"x.npy", kNpy}, {"x", ""}})}};
  for (const auto& [name, bytes] : files) {
    SCOPED_TRACE(name);
    const NpzFile file = in_memory(bytes);
    EXPECT_EQ(file.names(), std::vector<std::string>{"x"});
    expect_same(file.read("x"), kTwoArray);
    expect_same(file.read("x"), kTwoArray);  // a second read
  }
}

TEST(Npz, EveryVersionAndSpellingOfTheHeaderReads) {
  const std::string header = npy_header("<f8", "2,");
  for (const int version : {1, 2, 3}) expect_same(only(npy(header, kTwo, version)), kTwoArray);
  expect_same(only(npy("{\"shape\":(2),\"descr\":\"<f8\",\"fortran_order\":False}", kTwo)),
              kTwoArray);
  expect_same(only(npy("{'fortran_order': True, 'shape': (2,), 'descr': '<f8', }   \n", kTwo)),
              kTwoArray);
  const NpyArray bools = only(npy(npy_header("|b1", "3,"), std::string("\0\1\2", 3)));
  EXPECT_EQ(std::get<std::vector<std::uint8_t>>(bools.values),
            (std::vector<std::uint8_t>{0, 1, 1}));
  EXPECT_EQ(std::get<std::string>(
                only(npy(npy_header("<U3", ""), std::string("a\0\0\0b\0\0\0\0\0\0\0", 12))).values),
            "ab");
  EXPECT_EQ(std::get<std::string>(only(npy(npy_header("<U0", ""), "")).values), "");
}

TEST(Npz, FortranOrderIsTransposed) {
  // Element [i][j][k] is 100 i + 10 j + k, and the first index varies fastest.
  std::string values;
  NpyArray expected{{2, 3, 4}, std::vector<std::int32_t>{}};
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 2; ++i) io::append_little(values, std::uint64_t(100 * i + 10 * j + k), 4);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 4; ++k)
        std::get<std::vector<std::int32_t>>(expected.values).push_back(100 * i + 10 * j + k);
  const std::string start = "{'descr': '<i4', 'fortran_order': True, 'shape': (";
  expect_same(only(npy(start + "2, 3, 4)}", values)), expected);
  EXPECT_EQ(describe(expected), "int32 [2, 3, 4]");
  const NpyArray one = only(npy(start + ")}", values.substr(0, 4)));
  EXPECT_TRUE(one.shape.empty());
  EXPECT_EQ(only(npy(start + "0, 5)}", "")).shape, (std::vector<std::int64_t>{0, 5}));
}

TEST(Npz, EveryFaultOfAnArrayIsNamed) {
  const auto f8 = [](const char* shape) { return npy(npy_header("<f8", shape), kTwo); };
  const auto typed = [](const char* type) { return npy(npy_header(type, "2,"), kTwo); };
  const std::vector<std::pair<std::string, std::string>> faults = {
      {"", "truncated: its NPY header"},
      {"hello, world", "is no NPY array: it starts with \"hello, w\""},
      {kNpy.substr(0, 9), "truncated: its NPY header"},
      {kNpy.substr(0, 40), "truncated: its NPY header"},
      {npy(npy_header("<f8", "2,"), kTwo, 4), "NPY version 4.0"},
      {npy(npy_header("<f8", "2,"), kTwo, 0x0201), "NPY version 1.2"},
      {npy(std::string(70000, ' '), kTwo, 2), "an NPY header of 70000 bytes"},
      {npy("{'descr': '<f8', 'shape': (2,)}", kTwo), "damaged: its NPY header"},
      {npy("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2,)}", kTwo),
       "damaged: its NPY header"},
      {npy("{'descr': '<f8', 'fortran_order': 0, 'shape': (2,)}", kTwo), "damaged: its NPY header"},
      {npy(npy_header("<f8", "2,") + "x", kTwo), "damaged: its NPY header"},
      {npy(std::string("{\0}", 3), kTwo), "damaged: its NPY header"},
      {npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,)}", kTwo),
       "a structured type"},
      {typed(">f8"), "big-endian (>f8)"},
      {typed(">U7"), "big-endian (>U7)"},
      {typed("|O"), "is of type |O; supported are"},
      {typed("<c8"), "is of type <c8"},
      {typed("<Ux"), "is of type <Ux"},
      {typed("<U2"), "is an array of strings"},
      {f8("-2,"), "its shape has -2"},
      {f8("2.0,"), "damaged: its NPY header"},
      {f8("two,"), "its shape has \"two\""},
      {f8("99999999999999999999,"), "its shape has \"99999999999999999999\""},
      {f8("4611686018427387904, 4"), "its shape overflows: 4611686018427387904 x 4"},
      {f8("0, 4611686018427387904, 4"), "its shape overflows"},
      {f8("1000000000000,"), "1000000000000 values of 8 bytes, but 16 bytes are there"},
      {f8("3,"), "3 values of 8 bytes, but 16"},
      {f8("1,"), "1 values of 8 bytes, but 16"},
      {f8("0,"), "0 values of 8 bytes, but 16"},
      {npy(npy_header("<U3", ""), "abcd"), "a string of 12 bytes, but 4"},
      {npy(npy_header("<U4294967295", ""), "abcd"), "a string of 17179869180 bytes, but 4"},
      {npy(npy_header("<U1", ""), std::string("\0\0\x11\0", 4)), "not valid unicode"},
      {npy(npy_header("<U1", ""), std::string("\0\xd8\0\0", 4)), "not valid unicode"}};
  for (const auto& [bytes, part] : faults) {
    SCOPED_TRACE(part);
    expect_error([&, b = bytes] { (void)only(b); }, "s.npz: array x: ");
    expect_error([&, b = bytes] { (void)only(b); }, part);
  }
  std::string many = "1";
  for (int i = 0; i < 64; ++i) many += ", 1";
  expect_error([&] { (void)only(f8(many.c_str())); }, "more than 64 dimensions");
}

TEST(Npz, EveryFaultOfTheArchiveIsNamed) {
  const std::string good = hand_zip({{"x.npy", kNpy}});
  const auto changed = [&](std::size_t at, char to) {
    std::string bytes = good;
    bytes[at] = to;
    return bytes;
  };
  const std::size_t end = good.size() - 22, entry = good.find("PK\1\2");
  const std::vector<std::pair<std::string, std::string>> faults = {
      {"x", "is not an NPZ file: it starts with \"x\""},
      {kNpy, "is not an NPZ file: it starts with \"?NUMPY\""},
      {good.substr(0, good.size() - 1), "truncated NPZ: the directory"},
      {"front" + good, "does not end at byte"},
      {changed(end + 4, 1), "in several files"},
      {changed(end + 8, 2), "in several files"},
      {changed(entry + 42, 1), "x.npy: damaged: no member at byte 1"},
      {changed(entry + 46, 'y'), "y.npy: damaged: its name differs"},
      {changed(30, 'y'), "x.npy: damaged: its name differs"},
      {changed(14, 7), "x.npy: damaged: its header at byte 0 and the directory disagree"},
      {changed(entry, 'Q'), "announces 1 members, 0 can be read"},
      {hand_zip({{"x.npy", kNpy}, {"x.npy", kNpy}}), "x.npy is there twice"},
      {hand_zip({{.name = "x.npy", .data = kNpy, .flags = 1}}), "x.npy: is encrypted"},
      {hand_zip({{.name = "x.npy", .data = kNpy, .method = 12}}),
       "x.npy: is compressed by method 12"},
      {hand_zip({{.name = "x.npy", .data = kNpy, .claimed = 1000}}), "x.npy: damaged: "},
      {hand_zip({{.name = "x.npy", .data = kNpy, .deflate = true, .claimed = 1u << 30}}),
       "can't hold the 1073741824 it claims"},
      {hand_zip({{.name = "x.npy",
                  .data = kNpy,
                  .deflate = true,
                  .zip64 = true,
                  .claimed = ~std::uint64_t{0}}}),
       "can't hold the 18446744073709551615"},
  };
  for (const auto& [bytes, part] : faults) {
    SCOPED_TRACE(part);
    expect_error([&, b = bytes] { (void)in_memory(b); }, "s.npz: ");
    expect_error([&, b = bytes] { (void)in_memory(b); }, part);
  }
}

TEST(Npz, DamagedDataAreAnError) {
  const auto read = [](const test::HandMember& member) {
    return [member] { (void)in_memory(hand_zip({member})).read("x"); };
  };
  const std::string longer = npy(npy_header("<f8", "3,"), kTwo + kTwo.substr(8));
  for (const bool deflate : {false, true}) {
    expect_error(read({.name = "x.npy", .data = kNpy, .deflate = deflate, .crc_change = 4}),
                 "s.npz: array x: damaged: its checksum (CRC-32) is wrong");
  }
  // Deflated data that are longer or shorter than their stated size, and data that are
  // not deflated.
  expect_error(
      read({.name = "x.npy", .data = kNpy + "more", .deflate = true, .claimed = kNpy.size()}),
      "does not end where it should");
  expect_error(read({.name = "x.npy", .data = kNpy, .deflate = true, .claimed = kNpy.size() + 8}),
               "array x: damaged");
  expect_error(
      read({.name = "x.npy", .data = longer, .deflate = true, .claimed = longer.size() + 1}),
      "array x: damaged");
  expect_error(read({.name = "x.npy", .data = kNpy, .method = 8}),
               "array x: damaged: its deflated data");
}

// Unpacking is bounded by the limit and by the data in the file.
TEST(Npz, ABombIsNotUnpacked) {
  const std::string zeros = npy(npy_header("<f8", "2000000,"), std::string(16000000, '\0'));
  const std::string bytes = hand_zip({{.name = "x.npy", .data = zeros, .deflate = true}});
  EXPECT_LT(bytes.size(), 20000u);
  EXPECT_EQ(NpzFile(bytes, "s.npz").read("x").shape[0], 2000000);
  expect_error([&] { (void)NpzFile(bytes, "s.npz", 1 << 20).read("x"); },
               "s.npz: array x: has 16000074 bytes, more than the 1048576 allowed");
  // Two members that share their bytes.
  std::string shared = hand_zip({{"x.npy", kNpy}, {"y.npy", kNpy}});
  const std::size_t second = shared.find("PK\1\2", shared.find("PK\1\2") + 4);
  shared[shared.find("y.npy")] = 'x';
  shared[second + 42] = 0;
  shared[second + 46] = 'x';
  expect_error([&] { (void)in_memory(shared); }, "damaged NPZ: x.npy and x.npy overlap");
}

TEST(Npz, MisuseOfTheWriterIsNamedAndWritesNoFile) {
  const test::TemporaryFolder folder;
  const auto file = folder / "a.npz";
  const std::vector<std::pair<std::vector<NamedArray>, std::string>> misuses = {
      {{{"x", {{3}, std::vector<double>{1, 2}}}}, "a.npz: array x: a shape of [3] with 2 values"},
      {{{"x", {{-1, -2}, std::vector<double>{1, 2}}}}, "a shape of [-1, -2]"},
      {{{"x", {{1}, std::string("a")}}}, "a string has the shape [1]"},
      {{{"x", {{}, std::string("\xff")}}}, "is not UTF-8"},
      {{{"x", {{}, std::string("\xc0\x80")}}}, "is not UTF-8"},
      {{{"x", {{}, std::string("\xe2\x82")}}}, "is not UTF-8"},
      {{{"", {{}, std::string("a")}}}, "\"\" is no name for an array"},
      {{{"\xff", {{}, std::string("a")}}}, "is no name for an array"},
      {{{"x", kTwoArray}, {"x", kTwoArray}}, "array x is given twice"}};
  for (const auto& [arrays, part] : misuses) {
    expect_error([&, a = arrays] { write_npz(file, a); }, part, ErrorCode::usage);
  }
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_EQ(describe(kTwoArray), "float64 [2]");
}

// Sets every byte of a file to every value and truncates the file at every length. Arrays that can
// still be read are unchanged, because the checksum covers header and values.
TEST(Npz, NoDamageToAByteChangesAnArray) {
  const NpyArray text{{}, std::string("planar")};
  const std::string stored = encode_npz(std::vector<NamedArray>{{"x", kTwoArray}, {"text", text}});
  const std::string packed =
      hand_zip({{.name = "x.npy", .data = kNpy, .deflate = true, .zip64 = true},
                {.name = "text.npy",
                 .data = npy(npy_header("<U1", ""), std::string("a\0\0\0", 4)),
                 .descriptor = true}},
               true);
  long refused = 0, read = 0;
  const auto check = [&](std::string bytes, const NpzFile& whole) {
    try {
      const NpzFile file(std::move(bytes), "s.npz");
      for (const std::string& name : file.names()) {
        const NpyArray array = file.read(name);
        ASSERT_TRUE(whole.contains(name)) << name;
        expect_same(array, whole.read(name));
        ++read;
      }
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::input);
      ASSERT_TRUE(std::string_view(error.what()).starts_with("s.npz: ")) << error.what();
      ++refused;
    }
  };
  for (const std::string& good : {stored, packed}) {
    const NpzFile whole = in_memory(good);
    for (std::size_t at = 0; at < good.size(); ++at) {
      expect_error([&] { (void)in_memory(good.substr(0, at)); }, "s.npz: ");
      for (int value = 0; value < 256; ++value) {
        std::string bytes = good;
        bytes[at] = char(value);
        check(std::move(bytes), whole);
        if (testing::Test::HasFailure()) FAIL() << "byte " << at << " = " << value;
      }
    }
  }
  std::printf("%ld damaged files refused, %ld arrays read\n", refused, read);
  EXPECT_GT(refused, read);
}

}  // namespace
}  // namespace bifocal
