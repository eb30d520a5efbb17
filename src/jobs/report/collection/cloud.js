// The scene points of a pair (on a collection's page the selected one) and its two cameras, with rotation, translation and zoom by the user. They are drawn by
// cloud_gl.js (WebGL), or without WebGL by cloud_2d.js. Distances are in baselines of the pair; y points down, z ahead of the first camera.
const cloud = {points: [], cameras: [], home: null, at: null, near: 1, edge: -1, version: 0};

// Converts a point from the frame of the second camera to the frame of the first: X2 = R X1 + t.
const secondFrame = (R, t) => q => {
  const d = q.map((v, i) => v - t[i]);
  return [0, 1, 2].map(c => R[c] * d[0] + R[3 + c] * d[1] + R[6 + c] * d[2]);
};

// Sets the scene points of a pair without distant ones: points beyond five times the median depth are left out.
function setCloud(e) {
  const found = details.get(e);
  Object.assign(cloud, {points: [], cameras: [], home: null, at: null, edge: e, version: cloud.version + 1});
  if (!found || !found.points) return;
  const X = numbers(found.points, Float32Array), p = numbers(found.positions, Uint16Array);
  const depths = [];
  for (let k = 2; k < X.length; k += 3) if (Number.isFinite(X[k])) depths.push(X[k]);
  if (!depths.length) return;
  const median = depths.sort((a, b) => a - b)[depths.length >> 1];
  for (let k = 0; k < X.length / 3; ++k) {
    const at = [X[3 * k], X[3 * k + 1], X[3 * k + 2]];
    if (at.every(Number.isFinite) && at[2] < 5 * median) cloud.points.push({at, u: p[4 * k] / 65535, v: p[4 * k + 1] / 65535, rgb: [29, 78, 216]});
  }
  const second = secondFrame(found.pose.slice(0, 9), found.pose.slice(9));
  [edges.a[e], edges.b[e]].forEach((image, side) => {
    const [w, h] = sizeOf(image), focal = (data.cameras[images.camera[image]] || {}).focal || w, depth = 0.12 * median;
    const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([x, y]) => [x * w / 2 / focal * depth, y * h / 2 / focal * depth, depth]);
    const frame = [[0, 0, 0], ...corners];  // the camera centre, then the corners of its image, from the top left
    cloud.cameras.push({image, frame: side === 0 ? frame : frame.map(second), rgb: side === 0 ? [29, 78, 216] : [220, 38, 38]});
  });
  placeEye(median);
}

// Sets the initial view so that points and cameras fill the canvas.
function placeEye(median) {
  const middle = axis => cloud.points.map(q => q.at[axis]).sort((a, b) => a - b)[cloud.points.length >> 1] || 0;
  const centre = [middle(0), middle(1), middle(2) * 0.6];
  const reach = cloud.points.map(q => Math.hypot(...q.at.map((v, i) => v - centre[i]))).sort((a, b) => a - b);
  const size = Math.max(reach[Math.floor(reach.length * 0.9)] || 1, median * 0.75);
  cloud.home = {turn: 0.8, tilt: 0.25, centre, distance: 2.6 * size, focal: 1};
  cloud.home.focal = focalToFit(cloud.home);
  cloud.near = 0.01 * size;
  goHome();
}

const goHome = () => { cloud.at = cloud.home && {...cloud.home, centre: [...cloud.home.centre]}; };

// Returns the axes of the view in the scene: right, down, ahead.
function axesOf(view) {
  const [ct, st, cp, sp] = [Math.cos(view.turn), Math.sin(view.turn), Math.cos(view.tilt), Math.sin(view.tilt)];
  return [[ct, 0, st], [sp * st, cp, -sp * ct], [-cp * st, sp, cp * ct]];
}

// Returns the coordinates of a point relative to the eye: right, down, ahead.
function seen(view, q) {
  const d = q.map((v, i) => v - view.centre[i]);
  const [x, y, z] = axesOf(view).map(axis => axis[0] * d[0] + axis[1] * d[1] + axis[2] * d[2]);
  return [x, y, z + view.distance];
}

// Returns the focal length, in heights of the canvas, with which all cameras and 97 % of the points fit into it.
function focalToFit(view) {
  const reach = q => { const [x, y, z] = seen(view, q); return Math.max(Math.abs(x / z) / 1.65, Math.abs(y / z)); };
  const all = cloud.points.map(q => reach(q.at)).sort((a, b) => a - b);
  return 0.44 / Math.max(all[Math.floor(all.length * 0.97)] || 0, ...cloud.cameras.flatMap(c => c.frame).map(reach));
}

// Takes the grey values of the points from the first image, if the page contains it.
function colourPoints() {
  const picture = cloud.points.length && !cloud.points[0].coloured && pictureOf(edges.a[cloud.edge]);
  if (!picture) return;
  const canvas = document.createElement('canvas'), [w, h] = [picture.naturalWidth, picture.naturalHeight];
  canvas.width = w, canvas.height = h;
  const context = canvas.getContext('2d', {willReadFrequently: true});
  context.drawImage(picture, 0, 0);
  const pixels = context.getImageData(0, 0, w, h).data;
  for (const q of cloud.points) {
    const k = 4 * (Math.min(h - 1, Math.floor(q.v * h)) * w + Math.min(w - 1, Math.floor(q.u * w)));
    Object.assign(q, {rgb: [...pixels.slice(k, k + 3)], coloured: true});
  }
  ++cloud.version;
}

// ---- User input. Lengths are in heights of the canvas.

function turnBy(x, y) {
  cloud.at.turn -= 2.5 * x;
  cloud.at.tilt = Math.max(-1.5, Math.min(1.5, cloud.at.tilt + 2.5 * y));
}

function moveBy(x, y) {
  const [right, down] = axesOf(cloud.at), scale = cloud.at.distance / cloud.at.focal;
  cloud.at.centre = cloud.at.centre.map((v, i) => v - scale * (x * right[i] + y * down[i]));
}

function zoomBy(factor) {
  const nearer = cloud.at.distance / factor;
  cloud.at.distance = Math.min(20 * cloud.home.distance, Math.max(0.02 * cloud.home.distance, nearer));
}

const kKeys = {
  ArrowLeft: () => turnBy(0.06, 0), ArrowRight: () => turnBy(-0.06, 0), ArrowUp: () => turnBy(0, -0.06), ArrowDown: () => turnBy(0, 0.06),
  '+': () => zoomBy(1.2), '=': () => zoomBy(1.2), '-': () => zoomBy(1 / 1.2), '0': goHome,
};

function listenToHands(canvas, later) {
  const fingers = new Map(), place = e => [e.offsetX / canvas.clientHeight, e.offsetY / canvas.clientHeight];
  const changed = event => { event.preventDefault(); later(); };
  canvas.tabIndex = 0;
  canvas.addEventListener('pointerdown', event => {
    fingers.set(event.pointerId, place(event));
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', event => {
    const before = fingers.get(event.pointerId), now = place(event);
    if (!before || !cloud.at) return;
    const [x, y] = [now[0] - before[0], now[1] - before[1]];
    const other = [...fingers].find(([id]) => id !== event.pointerId);
    if (other) {  // two fingers: points below the fingers stay there, except for rotation
      const far = ([a, b]) => Math.max(0.02, Math.hypot(a - other[1][0], b - other[1][1]));
      zoomBy(far(now) / far(before));
      moveBy(x / 2, y / 2);
    } else if (event.shiftKey || event.buttons === 2 || event.buttons === 4) {
      moveBy(x, y);
    } else {
      turnBy(x, y);
    }
    fingers.set(event.pointerId, now);
    changed(event);
  });
  for (const end of ['pointerup', 'pointercancel', 'lostpointercapture']) canvas.addEventListener(end, event => fingers.delete(event.pointerId));
  canvas.addEventListener('contextmenu', event => event.preventDefault());
  canvas.addEventListener('wheel', event => { if (cloud.at) zoomBy(Math.exp(-event.deltaY / 500)), changed(event); }, {passive: false});
  canvas.addEventListener('dblclick', event => { goHome(); changed(event); });
  canvas.addEventListener('keydown', event => { if (cloud.at && kKeys[event.key]) kKeys[event.key](), changed(event); });
}

function startCloud() {
  const height = width => Math.round(Math.min(width * 0.6, 460));
  const gl = startGl(element('cloud'));
  const view = gl ? sizedCanvas('cloud', height, gl.draw) : canvasOf('cloud', height, drawCloud);
  view.kind = gl ? 'WebGL' : 'canvas';
  if (gl) gl.restored = view.later;
  listenToHands(view.canvas, view.later);
  return view;
}
