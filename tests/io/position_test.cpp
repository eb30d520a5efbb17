// SPDX-License-Identifier: BSD-3-Clause
// Altitudes, deviations and angles of photographs, from EXIF and from XMP packets of drones.
#include <gtest/gtest.h>

#include <cmath>

#include <bifocal/io.hpp>

#include "io/exif.hpp"
#include "io/exif_block.hpp"

namespace bifocal {
namespace {

using test::exif_block, test::with_exif, test::xmp_block;

PhotographInfo info_of(const test::ExifTags& tags, bool big_endian = false) {
  return decode_photograph(
             with_exif(encode_jpeg(ImageU8(40, 30), 90), exif_block(tags, big_endian)), "p")
      .info;
}
PhotographInfo info_of_xmp(const std::string& packet) {
  return decode_photograph(with_exif(encode_jpeg(ImageU8(40, 30), 90), packet), "p").info;
}

TEST(Altitude, IsNegativeBelowSeaLevel) {
  test::ExifTags tags = {.latitude = {48, 30, 36}, .longitude = {7, 45, 0}, .altitude = {312.5}};
  for (const bool big_endian : {false, true}) {
    tags.altitude = 312.5;
    EXPECT_EQ(info_of(tags, big_endian).altitude_m, 312.5);
    tags.altitude = -312.5;
    EXPECT_EQ(info_of(tags, big_endian).altitude_m, -312.5);
  }
  EXPECT_FALSE(info_of({.latitude = {48, 0, 0}, .longitude = {7, 45, 0}}).altitude_m);
  tags.altitude = std::nan("");
  EXPECT_FALSE(info_of(tags).altitude_m);
  EXPECT_EQ(info_of(tags).doubt, "");
}

TEST(Altitude, OfNoPlaceIsADoubt) {
  test::ExifTags tags = {.latitude = {48, 30, 36}, .longitude = {7, 45, 0}, .altitude = {99999}};
  const PhotographInfo info = info_of(tags);
  EXPECT_FALSE(info.altitude_m);
  EXPECT_TRUE(info.position);
  EXPECT_EQ(info.doubt, "GPS: an altitude of 99999 m");
  tags.altitude = -501;
  EXPECT_EQ(info_of(tags).doubt, "GPS: an altitude of -501 m");
}

TEST(PositionDeviation, ComesFromExif) {
  const PhotographInfo info = info_of({.latitude = {48, 30, 36},
                                       .longitude = {7, 45, 0},
                                       .altitude = {100},
                                       .horizontal_error = 4.5});
  ASSERT_TRUE(info.position_deviations_m);
  EXPECT_EQ(*info.position_deviations_m, (Vec3{4.5, 4.5, 9}));
  EXPECT_FALSE(info_of({.altitude = {100}}).position_deviations_m);
}

TEST(Xmp, GivesHeightsAndAngles) {
  const PhotographInfo info = info_of_xmp(
      xmp_block("drone-dji:AbsoluteAltitude='+198.61' drone-dji:RelativeAltitude=' +39.80 ' "
                "drone-dji:GimbalRollDegree='+0.00' drone-dji:GimbalYawDegree='-44.20' "
                "drone-dji:GimbalPitchDegree='-89.90' drone-dji:FlightRollDegree='+1.10' "
                "drone-dji:FlightYawDegree='+42.80' drone-dji:FlightPitchDegree='+0.90'"));
  EXPECT_EQ(info.altitude_m, 198.61);
  EXPECT_EQ(info.relative_altitude_m, 39.8);
  ASSERT_TRUE(info.gimbal && info.flight);
  EXPECT_EQ(info.gimbal->yaw_deg, -44.2);
  EXPECT_EQ(info.gimbal->pitch_deg, -89.9);
  EXPECT_EQ(info.flight->roll_deg, 1.1);
  EXPECT_FALSE(info.position_deviations_m);
  EXPECT_FALSE(info.position);
}

// The writers of other models use elements, and EXIF's altitude is preferred.
TEST(Xmp, IsReadFromElementsBehindTheExifBlock) {
  const std::string packet = xmp_block(
      "><drone-dji:RelativeAltitude>-3.5</drone-dji:RelativeAltitude>"
      "<drone-dji:AbsoluteAltitude>+77</drone-dji:AbsoluteAltitude></rdf:Description><rdf:li");
  const std::string jpeg = encode_jpeg(ImageU8(40, 30), 90);
  const std::string block =
      exif_block({.latitude = {48, 30, 36}, .longitude = {7, 45, 0}, .altitude = {70}});
  for (const std::string& file :
       {with_exif(with_exif(jpeg, packet), block), with_exif(with_exif(jpeg, block), packet)}) {
    const PhotographInfo info = decode_photograph(file, "p").info;
    EXPECT_EQ(info.relative_altitude_m, -3.5);
    EXPECT_EQ(info.altitude_m, 70);
    EXPECT_FALSE(info.gimbal);
  }
}

TEST(Xmp, GivesDeviationsOfCorrectedReceivers) {
  const std::string deviations =
      "drone-dji:RtkStdLon='0.012' drone-dji:RtkStdLat='0.011' drone-dji:RtkStdHgt='0.03' ";
  const auto of = [&](const std::string& more) {
    return info_of_xmp(xmp_block(deviations + more)).position_deviations_m;
  };
  EXPECT_EQ(of("drone-dji:RtkFlag='50'"), (Vec3{0.012, 0.011, 0.03}));
  EXPECT_EQ(of(""), (Vec3{0.012, 0.011, 0.03}));
  EXPECT_FALSE(of("drone-dji:RtkFlag='0'"));
  EXPECT_FALSE(info_of_xmp(xmp_block("drone-dji:RtkStdLon='0.012'")).position_deviations_m);
}

TEST(Xmp, IgnoresImpossibleNumbers) {
  for (const char* value : {"nan", "+inf", "1e300", "-99999", "", "12 m", "0x20", "1e999", "--4"}) {
    const std::string quoted = std::string("='") + value + "' ";
    const PhotographInfo info =
        info_of_xmp(xmp_block("drone-dji:RelativeAltitude" + quoted + "drone-dji:AbsoluteAltitude" +
                              quoted + "drone-dji:GimbalYawDegree" + quoted +
                              "drone-dji:GimbalPitchDegree='-90' "
                              "drone-dji:GimbalRollDegree='0' drone-dji:RtkStdLon" +
                              quoted + "drone-dji:RtkStdLat='1' drone-dji:RtkStdHgt='1'"));
    EXPECT_FALSE(info.relative_altitude_m) << value;
    EXPECT_FALSE(info.altitude_m) << value;
    EXPECT_FALSE(info.gimbal) << value;
    EXPECT_FALSE(info.position_deviations_m) << value;
  }
}

// A packet that is cut anywhere, damaged, deeply nested or full of entities is read as far as it
// is XML, or ignored.
TEST(Xmp, OfHostileFilesIsIgnored) {
  const std::string whole = xmp_block("drone-dji:RelativeAltitude='5'");
  ASSERT_EQ(info_of_xmp(whole).relative_altitude_m, 5);
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const auto altitude = info_of_xmp(whole.substr(0, n)).relative_altitude_m;
    EXPECT_TRUE(!altitude || *altitude == 5) << n;
    std::string damaged = whole;
    damaged[n] = '<';
    (void)info_of_xmp(damaged);
  }
  std::string nested;
  for (int i = 0; i < 20000; ++i) nested += "<a>";
  EXPECT_FALSE(info_of_xmp(xmp_block(">" + nested)).relative_altitude_m);
  const std::string bomb =
      "<!DOCTYPE x [<!ENTITY a '1'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>]><rdf:Description "
      "drone-dji:RelativeAltitude='&b;'/>";
  EXPECT_FALSE(info_of_xmp(std::string(io::kXmpStart) + bomb).relative_altitude_m);
  // Of nested and repeated packets the first value counts.
  EXPECT_EQ(info_of_xmp(xmp_block("drone-dji:RelativeAltitude='5'><rdf:Description "
                                  "drone-dji:RelativeAltitude='6'/></rdf:Description><rdf:li"))
                .relative_altitude_m,
            5);
}

TEST(Gravity, IsDownInTheAxesOfTheCamera) {
  const auto expect = [](const Attitude& camera, const Vec3& want) {
    const Vec3 g = gravity_of(camera);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(g[i], want[i], 1e-15) << i;
  };
  expect({123, -90, 0}, {0, 0, 1});                // down
  expect({10, 0, 0}, {0, 1, 0});                   // to the horizon
  expect({10, 90, 0}, {0, 0, -1});                 // up
  expect({10, 0, 90}, {1, 0, 0});                  // the right side is lower
  expect({0, -30, 0}, {0, std::sqrt(0.75), 0.5});  // half down
}

}  // namespace
}  // namespace bifocal
