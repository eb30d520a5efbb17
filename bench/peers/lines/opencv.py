# Usual jobs with OpenCV. bench/peers/lines-of-code counts and runs them.

# --- homography of two photographs
import cv2
import numpy as np

image1 = cv2.imread("plane1.png", cv2.IMREAD_GRAYSCALE)
image2 = cv2.imread("plane2.png", cv2.IMREAD_GRAYSCALE)
sift = cv2.SIFT_create()
keypoints1, descriptors1 = sift.detectAndCompute(image1, None)
keypoints2, descriptors2 = sift.detectAndCompute(image2, None)
nearest = cv2.BFMatcher().knnMatch(descriptors1, descriptors2, k=2)
good = [m for m, n in nearest if m.distance < 0.75 * n.distance]
x1 = np.float32([keypoints1[m.queryIdx].pt for m in good])
x2 = np.float32([keypoints2[m.trainIdx].pt for m in good])
H, mask = cv2.findHomography(x1, x2, cv2.RANSAC, 3.0)

# --- fundamental matrix of two photographs
import cv2
import numpy as np

image1 = cv2.imread("left.jpg", cv2.IMREAD_GRAYSCALE)
image2 = cv2.imread("right.jpg", cv2.IMREAD_GRAYSCALE)
sift = cv2.SIFT_create()
keypoints1, descriptors1 = sift.detectAndCompute(image1, None)
keypoints2, descriptors2 = sift.detectAndCompute(image2, None)
nearest = cv2.BFMatcher().knnMatch(descriptors1, descriptors2, k=2)
good = [m for m, n in nearest if m.distance < 0.75 * n.distance]
x1 = np.float32([keypoints1[m.queryIdx].pt for m in good])
x2 = np.float32([keypoints2[m.trainIdx].pt for m in good])
F, mask = cv2.findFundamentalMat(x1, x2, cv2.USAC_MAGSAC, 1.0, 0.999, 10000)

# --- pose of two photographs
import cv2
import numpy as np

image1 = cv2.imread("left.jpg", cv2.IMREAD_GRAYSCALE)
image2 = cv2.imread("right.jpg", cv2.IMREAD_GRAYSCALE)
sift = cv2.SIFT_create()
keypoints1, descriptors1 = sift.detectAndCompute(image1, None)
keypoints2, descriptors2 = sift.detectAndCompute(image2, None)
nearest = cv2.BFMatcher().knnMatch(descriptors1, descriptors2, k=2)
good = [m for m, n in nearest if m.distance < 0.75 * n.distance]
x1 = np.float32([keypoints1[m.queryIdx].pt for m in good])
x2 = np.float32([keypoints2[m.trainIdx].pt for m in good])
E, mask = cv2.findEssentialMat(x1, x2, K, cv2.RANSAC, 0.999, 1.0)
count, R, t, mask = cv2.recoverPose(E, x1, x2, K, mask=mask)

# --- pose from matches
import cv2

E, mask = cv2.findEssentialMat(x1, x2, K, cv2.RANSAC, 0.999, 1.0)
count, R, t, inliers = cv2.recoverPose(E, x1, x2, K, mask=mask)

# --- rectified pair and disparity
import cv2
import numpy as np

image1, image2 = cv2.imread("left.jpg"), cv2.imread("right.jpg")
sift = cv2.SIFT_create()
keypoints1, descriptors1 = sift.detectAndCompute(image1, None)
keypoints2, descriptors2 = sift.detectAndCompute(image2, None)
nearest = cv2.BFMatcher().knnMatch(descriptors1, descriptors2, k=2)
good = [m for m, n in nearest if m.distance < 0.75 * n.distance]
x1 = np.float32([keypoints1[m.queryIdx].pt for m in good])
x2 = np.float32([keypoints2[m.trainIdx].pt for m in good])
E, mask = cv2.findEssentialMat(x1, x2, K, cv2.RANSAC, 0.999, 1.0)
count, R, t, mask = cv2.recoverPose(E, x1, x2, K, mask=mask)
size = image1.shape[1::-1]
R1, R2, P1, P2, Q, roi1, roi2 = cv2.stereoRectify(K, None, K, None, size, R, t, alpha=0)
maps1 = cv2.initUndistortRectifyMap(K, None, R1, P1, size, cv2.CV_16SC2)
maps2 = cv2.initUndistortRectifyMap(K, None, R2, P2, size, cv2.CV_16SC2)
left, right = cv2.remap(image1, *maps1, cv2.INTER_LINEAR), cv2.remap(image2, *maps2, cv2.INTER_LINEAR)
if P2[0, 3] > 0:  # photograph 2 is the left one
    left, right = right, left
inliers = mask.ravel() > 0
y1 = cv2.undistortPoints(x1[inliers, None], K, None, R=R1, P=P1)
y2 = cv2.undistortPoints(x2[inliers, None], K, None, R=R2, P=P2)
least, largest = np.percentile(np.sign(-P2[0, 3]) * (y1 - y2)[:, 0, 0], (1, 99))
least = int(least) - 16
range16 = (int(largest) + 16 - least + 15) // 16 * 16
sgbm = cv2.StereoSGBM_create(least, range16, 5, P1=600, P2=2400, speckleWindowSize=100, speckleRange=2)
disparity = sgbm.compute(left, right) / 16

# --- 1,000 pairs in a batch
import cv2

found = [cv2.findFundamentalMat(m[:, :2], m[:, 2:], cv2.USAC_MAGSAC, 1.0, 0.999, 10000) for m in matches]
models = [model for model, mask in found]
inliers = [mask.ravel() > 0 for model, mask in found]
