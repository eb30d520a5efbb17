// The scene points of the chosen pair, turned by the mouse; both cameras with their views.
const cloud = {turn: 0.8, tilt: 0.25, zoom: 1, points: [], cameras: [], centre: [0, 0, 0], size: 1, fit: 0};

// Without the few that lie far off: what is beyond five times the median depth.
function setCloud(e) {
  const found = details.get(e);
  cloud.points = [], cloud.cameras = [], cloud.zoom = 1, cloud.turn = 0.8, cloud.tilt = 0.25, cloud.fit = 0;
  if (!found || !found.points) return;
  const X = numbers(found.points, Float32Array), p = numbers(found.positions, Uint16Array);
  const depths = [];
  for (let k = 0; k < X.length; k += 3) if (Number.isFinite(X[k + 2])) depths.push(X[k + 2]);
  if (!depths.length) return;
  const median = depths.sort((a, b) => a - b)[depths.length >> 1];
  for (let k = 0; k < X.length / 3; ++k) {
    const at = [X[3 * k], X[3 * k + 1], X[3 * k + 2]];
    if (at.every(Number.isFinite) && at[2] < 5 * median) cloud.points.push({at, u: p[4 * k] / 65535, v: p[4 * k + 1] / 65535});
  }
  const [R, t] = [found.pose.slice(0, 9), found.pose.slice(9)];
  const second = q => { const d = q.map((v, i) => v - t[i]); return [0, 1, 2].map(c => R[c] * d[0] + R[3 + c] * d[1] + R[6 + c] * d[2]); };
  [edges.a[e], edges.b[e]].forEach((i, side) => {
    const [w, h] = sizeOf(i), focal = (data.cameras[images.camera[i]] || {}).focal || w, depth = 0.12 * median;
    const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([x, y]) => [x * w / 2 / focal * depth, y * h / 2 / focal * depth, depth]);
    const frame = [[0, 0, 0], ...corners];
    cloud.cameras.push(side === 0 ? frame : frame.map(second));
  });
  const middle = axis => cloud.points.map(q => q.at[axis]).sort((a, b) => a - b)[cloud.points.length >> 1] || 0;
  cloud.centre = [middle(0), middle(1), middle(2) * 0.6];
  const reach = cloud.points.map(q => Math.hypot(...q.at.map((v, i) => v - cloud.centre[i]))).sort((a, b) => a - b);
  cloud.size = Math.max(reach[Math.floor(reach.length * 0.9)] || 1, median * 0.75);
  cloud.edge = e;
}

// The grey of the first picture at the points, where it is in the page.
function colourPoints() {
  if (!cloud.points.length || cloud.points[0].colour) return;
  const picture = pictureOf(edges.a[cloud.edge]);
  if (!picture) return;
  const canvas = document.createElement('canvas');
  canvas.width = picture.naturalWidth, canvas.height = picture.naturalHeight;
  const context = canvas.getContext('2d', {willReadFrequently: true});
  context.drawImage(picture, 0, 0);
  for (const q of cloud.points) {
    const x = Math.min(canvas.width - 1, Math.floor(q.u * canvas.width)), y = Math.min(canvas.height - 1, Math.floor(q.v * canvas.height));
    const [r, g, b] = context.getImageData(x, y, 1, 1).data;
    q.colour = `rgb(${r} ${g} ${b})`;
  }
}

function drawCloud(context, width, height) {
  context.fillStyle = '#f3f5f7';
  context.fillRect(0, 0, width, height);
  if (!cloud.points.length) return;
  colourPoints();
  const [ct, st, cp, sp] = [Math.cos(cloud.turn), Math.sin(cloud.turn), Math.cos(cloud.tilt), Math.sin(cloud.tilt)];
  const distance = 2.6 * cloud.size;
  let focal = 1;
  const project = q => {
    const [x, y, z] = q.map((v, i) => v - cloud.centre[i]);
    const x1 = ct * x + st * z, z1 = -st * x + ct * z, y1 = cp * y - sp * z1, z2 = sp * y + cp * z1 + distance;
    return [width / 2 + focal * x1 / z2, height / 2 + focal * y1 / z2, z2];
  };
  if (!cloud.fit) {  // all but a few outer points fill the canvas, seen as at first
    const reach = q => { const [x, y] = project(q); return Math.max(Math.abs(x - width / 2) / width, Math.abs(y - height / 2) / height); };
    const all = cloud.points.map(q => reach(q.at)).sort((a, b) => a - b);
    cloud.fit = 0.44 / Math.max(all[Math.floor(all.length * 0.97)] || 0, ...cloud.cameras.flat().map(reach));
  }
  focal = cloud.fit * cloud.zoom;
  const placed = cloud.points.map(q => ({to: project(q.at), q})).filter(item => item.to[2] > 0.05 * distance);
  placed.sort((a, b) => b.to[2] - a.to[2]);
  for (const {to, q} of placed) {
    context.fillStyle = q.colour || '#1d4ed8';
    const r = Math.max(1.2, 2.2 * distance / to[2]);
    context.beginPath();
    context.arc(to[0], to[1], Math.min(r, 6), 0, 7);
    context.fill();
  }
  cloud.cameras.forEach((frame, side) => {
    const to = frame.map(project);
    if (to.some(q => q[2] <= 0.02 * distance)) return;
    context.strokeStyle = side === 0 ? '#1d4ed8' : '#dc2626';
    context.lineWidth = 1.5;
    context.beginPath();
    for (let k = 1; k <= 4; ++k) {
      context.moveTo(to[0][0], to[0][1]);
      context.lineTo(to[k][0], to[k][1]);
      context.lineTo(to[k % 4 + 1][0], to[k % 4 + 1][1]);
    }
    context.stroke();
  });
}

function startCloud() {
  const view = canvasOf('cloud', width => Math.round(Math.min(width * 0.6, 460)), drawCloud);
  let drag = null;
  view.canvas.addEventListener('pointerdown', event => {
    drag = {x: event.offsetX, y: event.offsetY, turn: cloud.turn, tilt: cloud.tilt};
    view.canvas.setPointerCapture(event.pointerId);
  });
  view.canvas.addEventListener('pointermove', event => {
    if (!drag) return;
    cloud.turn = drag.turn - (event.offsetX - drag.x) / 150;
    cloud.tilt = Math.max(-1.5, Math.min(1.5, drag.tilt + (event.offsetY - drag.y) / 150));
    view.later();
  });
  view.canvas.addEventListener('pointerup', () => { drag = null; });
  view.canvas.addEventListener('wheel', event => {
    event.preventDefault();
    cloud.zoom = Math.min(20, Math.max(0.2, cloud.zoom * Math.exp(-event.deltaY / 500)));
    view.later();
  }, {passive: false});
  return view;
}
