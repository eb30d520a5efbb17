"""Photographs of Strecha et al. (CVPR 2008) with measured cameras: pairs, their fundamental matrices, and the epipolar test of matches."""

from dataclasses import dataclass

import numpy as np

import oxford

RIGHT_PX = 1.5  # Sampson distance


@dataclass
class Pair:
    name: str
    first: str
    second: str
    F: np.ndarray

    def right(self, x1, x2):
        """Returns the mask of matches within RIGHT_PX of the epipolar lines."""
        return right(self.F, x1, x2)


def camera(file, reduction):
    """Returns (K, R, C) of an image reduced by this factor."""
    numbers = [float(v) for v in file.read_text().split()]
    K = np.array(numbers[:9]).reshape(3, 3)
    K[:2, 2] = (K[:2, 2] + 0.5) / reduction - 0.5
    K[0, 0], K[1, 1] = K[0, 0] / reduction, K[1, 1] / reduction
    return K, np.array(numbers[12:21]).reshape(3, 3).T, np.array(numbers[21:24])


def fundamental(first, second):
    (K1, R1, C1), (K2, R2, C2) = first, second
    t = R2 @ (C1 - C2)
    cross = np.array([[0, -t[2], t[1]], [t[2], 0, -t[0]], [-t[1], t[0], 0]])
    return np.linalg.inv(K2).T @ cross @ R2 @ R1.T @ np.linalg.inv(K1)


def right(F, x1, x2):
    p, q = np.c_[x1, np.ones(len(x1))], np.c_[x2, np.ones(len(x2))]
    l2, l1 = p @ F.T, q @ F
    return (l2 * q).sum(1) ** 2 / (l2[:, :2] ** 2 + l1[:, :2] ** 2).sum(1) < RIGHT_PX**2


def neighbours(folder, reduction, most=2):
    """Returns the pairs of photographs that are at most `most` places apart, and the grey images {name: uint8 [H, W]} in the order of the pairs."""
    files = sorted(folder.glob("*.jpg"))
    cameras = [camera(file.with_name(f"{file.name}.camera"), reduction) for file in files]
    pictures = {file.stem: oxford.grey(file) for file in files}
    pairs = [
        Pair(f"{folder.name} {files[i].stem}-{files[j].stem}", files[i].stem, files[j].stem, fundamental(cameras[i], cameras[j]))
        for j in range(1, len(files))
        for i in range(max(0, j - most), j)
    ]
    return pairs, pictures
