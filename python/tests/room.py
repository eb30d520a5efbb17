"""Two rendered photographs of a room with a floor, two walls and a box, and their matches."""

import numpy as np

# Parallelograms as an origin and two axes in m, y down: floor, wall ahead, wall on the left, and the front and the top of a box.
PLANES = [
    ((-4, 1.5, 0), (9, 0, 0), (0, 0, 8)),
    ((-4, -6.5, 8), (9, 0, 0), (0, 8, 0)),
    ((-4, -6.5, 0), (0, 0, 8), (0, 8, 0)),
    ((0.2, 0.2, 4.5), (1.6, 0, 0), (0, 1.3, 0)),
    ((0.2, 0.2, 4.5), (1.6, 0, 0), (0, 0, 1.5)),
]


def texture(rng, size=800):
    """Returns random rectangles with noise, RGB."""
    picture = np.full((size, size, 3), 120.0)
    for _ in range(1500):
        (x, y), (w, h) = rng.integers(0, size, 2), rng.integers(6, 70, 2)
        picture[y : y + h, x : x + w] = rng.integers(0, 256, 3)
    return np.clip(picture + rng.normal(0, 6, picture.shape), 0, 255)


class Room:
    """Photographs `left` and `right`, camera `K`, pose `R`, `t` (in m) of the right camera, and true depths of `left`."""

    def __init__(self, width=640, height=480, focal=560.0, seed=3):
        rng = np.random.default_rng(seed)
        textures = [texture(rng) for _ in PLANES]
        self.K = np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1]])
        a = np.radians(4)
        self.R = np.array([[np.cos(a), 0, np.sin(a)], [0, 1, 0], [-np.sin(a), 0, np.cos(a)]])
        self.t = -self.R @ (0.6, 0.05, 0.1)
        v, u = np.mgrid[:height, :width]
        self.pixels = np.c_[u.ravel(), v.ravel()].astype(float)
        self.left, self.depth = self.photograph(textures, np.eye(3), np.zeros(3))
        self.right, self.right_depth = self.photograph(textures, self.R, self.t)

    def photograph(self, textures, R, t):
        """Follows the ray of each pixel to the nearest plane. Returns the image and its depths, both of shape (H, W, ...)."""
        height, width = (int(round(2 * c)) + 1 for c in (self.K[1, 2], self.K[0, 2]))
        rays, centre = np.c_[self.pixels, np.ones(len(self.pixels))] @ np.linalg.inv(self.K).T @ R, -R.T @ t
        picture, nearest = np.zeros((len(rays), 3)), np.full(len(rays), np.inf)
        for (origin, a, b), colours in zip(PLANES, textures):
            origin, a, b = map(np.array, (origin, a, b))
            normal = np.cross(a, b)
            with np.errstate(divide="ignore", invalid="ignore"):
                depth = ((origin - centre) @ normal) / (rays @ normal)
                at = centre + depth[:, None] * rays - origin
                s, r = at @ a / (a @ a), at @ b / (b @ b)
            seen = (depth > 0) & (depth < nearest) & (s >= 0) & (s < 1) & (r >= 0) & (r < 1)
            size = len(colours)
            picture[seen] = colours[(size * r[seen]).astype(int), (size * s[seen]).astype(int)]
            nearest[seen] = depth[seen]
        return picture.reshape(height, width, 3).astype(np.uint8), nearest.reshape(height, width)

    def matches(self, count=1000, noise=0.3, seed=0):
        """Returns x1, x2 [count, 2] in px of points that both photographs see."""
        rng = np.random.default_rng(seed)
        height, width = self.depth.shape
        x1 = rng.uniform(0, (width - 1, height - 1), (5 * count, 2))
        depth = self.depth[tuple(np.rint(x1).astype(int).T[::-1])]
        Y = depth[:, None] * (np.c_[x1, np.ones(len(x1))] @ np.linalg.inv(self.K).T) @ self.R.T + self.t
        x2 = (Y @ self.K.T)[:, :2] / Y[:, 2:]
        inside = (x2 >= 0).all(1) & (x2 < (width - 1, height - 1)).all(1)
        x1, x2, far = x1[inside], x2[inside], Y[inside, 2]
        seen = np.abs(self.right_depth[tuple(np.rint(x2).astype(int).T[::-1])] / far - 1) < 0.02
        assert seen.sum() >= count
        return x1[seen][:count] + rng.normal(0, noise, (count, 2)), x2[seen][:count] + rng.normal(0, noise, (count, 2))
