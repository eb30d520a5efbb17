// SPDX-License-Identifier: BSD-3-Clause
// libSGM and CudaSift as peers of the suites `stereo`, `features` and `match` on a CUDA device,
// built from folders of their sources (BIFOCAL_BENCH_LIBSGM, BIFOCAL_BENCH_CUDASIFT) in separate
// libraries. Images and descriptors are in device memory before a call; a call returns when its
// result is complete. If a peer is not built in, its functions return no call.
#pragma once

#include <bifocal/image.hpp>

#include <functional>
#include <span>

namespace bifocal::bench {

using PeerCall = std::function<void()>;

#ifdef BIFOCAL_PEER_LIBSGM
// Disparities of the pair, computed `frames` times, with libSGM's own settings (symmetric census 9
// x 7, P1 10, P2 120, median, cross-check of 1), with sub-pixels. Disparities are 64, 128 or 256,
// paths 4 or 8.
PeerCall libsgm_frames(const ImageU8& left, const ImageU8& right, int disparities, int paths,
                       int frames);
#else
inline PeerCall libsgm_frames(const ImageU8&, const ImageU8&, int, int, int) { return nullptr; }
#endif

#ifdef BIFOCAL_PEER_CUDASIFT
// SIFT features of all images, in sequence, at most `most` per image, with the threshold of
// CudaSift's own example. `found` is the number of features of the first image.
PeerCall cudasift_features(std::span<const ImageU8> images, int most, bool upsample, int* found);
// Matches of random descriptors, one way.
PeerCall cudasift_match(int rows, int columns);
// Features of two images, their matches, and the homography by 10,000 samples.
PeerCall cudasift_chain(const ImageU8& first, const ImageU8& second, int most, int* inliers);
#else
inline PeerCall cudasift_features(std::span<const ImageU8>, int, bool, int*) { return nullptr; }
inline PeerCall cudasift_match(int, int) { return nullptr; }
inline PeerCall cudasift_chain(const ImageU8&, const ImageU8&, int, int*) { return nullptr; }
#endif

}  // namespace bifocal::bench
