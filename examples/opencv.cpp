// SPDX-License-Identifier: BSD-3-Clause
// opencv LEFT RIGHT: depth of the left photograph as a cv::Mat.
#include <bifocal/two_photographs.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include <cstdio>
#include <string>

bifocal::ImageView<const std::uint8_t> view(const cv::Mat& image) {  // CV_8UC1, CV_8UC3 or CV_8UC4
  return {image.data, image.cols, image.rows, image.channels(), std::ptrdiff_t(image.step1())};
}

cv::Mat depth_of(const std::string& left_file, const std::string& right_file) {
  cv::Mat left = cv::imread(left_file), right = cv::imread(right_file);  // BGR
  cv::cvtColor(left, left, cv::COLOR_BGR2RGB);                           // Bifocal reads RGB
  cv::cvtColor(right, right, cv::COLOR_BGR2RGB);
  const bifocal::PairResult pair = bifocal::estimate_pair(view(left), view(right));
  if (!pair.dense) return {};                              // pair.reason, pair.dense_reason
  const bifocal::ImageF& depth = pair.dense->depth.depth;  // NaN: unknown
  return cv::Mat(depth.height, depth.width, CV_32FC1, const_cast<float*>(depth.pixels.data()))
      .clone();
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const cv::Mat depth = depth_of(argv[1], argv[2]);
  std::printf("depth of %d x %d px, %d known\n", depth.cols, depth.rows,
              cv::countNonZero(depth == depth));
  return depth.empty() ? 1 : 0;
}
