// The matches of a pair over both photographs, and the histogram of their residuals.
const matchData = JSON.parse(element('match-data').textContent);
const matches = {
  points: numbers(matchData.points, Float32Array), residuals: numbers(matchData.residuals, Float32Array),
  inliers: numbers(matchData.inliers, Uint8Array), hovered: -1,
};
matches.count = matches.inliers.length;
matches.order = Array.from({length: matches.count}, (_, k) => k);
matches.mostResidual = matches.order.reduce((most, k) => matches.inliers[k] ? Math.max(most, matches.residuals[k]) : most, 0);
const matchPhotos = [element('match-photo-0'), element('match-photo-1')];
const kPhotoGap = 8;  // px of the reduced photographs

const residualColour = (share, alpha) => `hsla(${Math.round(150 - 150 * Math.min(1, share))}, 85%, 42%, ${alpha})`;
const matchColour = (k, alpha) =>
  matches.inliers[k] ? residualColour(matches.mostResidual > 0 ? matches.residuals[k] / matches.mostResidual : 0, alpha) : `rgba(120, 120, 120, ${alpha})`;
const isShown = k => element(matches.inliers[k] ? 'show-inliers' : 'show-outliers').checked;

// Size of both photographs next to each other, in px of the reduced photographs.
const matchSize = () => [matchPhotos[0].naturalWidth + kPhotoGap + matchPhotos[1].naturalWidth, Math.max(matchPhotos[0].naturalHeight, matchPhotos[1].naturalHeight)];

// Maps a point of photograph `side`, in px of the file, to px of the canvas; `zoom` is canvas px per reduced px.
const placeOf = (side, x, y, zoom) => {
  const scale = matchData.scales[side], left = side ? matchPhotos[0].naturalWidth + kPhotoGap : 0;
  return [((x + 0.5) * scale + left) * zoom, (y + 0.5) * scale * zoom];
};
const endsOf = (k, zoom) => [0, 1].map(side => placeOf(side, matches.points[4 * k + 2 * side], matches.points[4 * k + 2 * side + 1], zoom));

function strokeSegment(context, [from, to]) {
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
}

// Ends of the line a x + b y + c = 0 within photograph `side`, in px of the file; null if the line misses it.
function clippedLine([a, b, c], side) {
  const scale = matchData.scales[side], width = matchPhotos[side].naturalWidth / scale, height = matchPhotos[side].naturalHeight / scale;
  const ends = [];
  for (const x of [0, width]) if (b !== 0) { const y = -(a * x + c) / b; if (y >= 0 && y <= height) ends.push([x, y]); }
  for (const y of [0, height]) if (a !== 0) { const x = -(b * y + c) / a; if (x >= 0 && x <= width) ends.push([x, y]); }
  if (ends.length < 2) return null;
  return [ends[0], ends.reduce((far, p) => Math.hypot(p[0] - ends[0][0], p[1] - ends[0][1]) > Math.hypot(far[0] - ends[0][0], far[1] - ends[0][1]) ? p : far)];
}

const rowsTimes = (M, [x, y]) => [0, 3, 6].map(r => M[r] * x + M[r + 1] * y + M[r + 2]);
const transposedTimes = (M, [x, y]) => [0, 1, 2].map(c => M[c] * x + M[c + 3] * y + M[c + 6]);

// Draws the hovered match with both epipolar lines, or with the point that the homography predicts.
function drawHovered(context, zoom) {
  const k = matches.hovered, [first, second] = endsOf(k, zoom);
  const at = side => [matches.points[4 * k + 2 * side], matches.points[4 * k + 2 * side + 1]];
  context.lineWidth = 1.5;
  context.strokeStyle = '#2563eb';
  if (matchData.F) {
    [[transposedTimes(matchData.F, at(1)), 0], [rowsTimes(matchData.F, at(0)), 1]].forEach(([line, side]) => {
      const ends = clippedLine(line, side);
      if (ends) strokeSegment(context, ends.map(([x, y]) => placeOf(side, x, y, zoom)));
    });
  }
  if (matchData.H) {
    const [x, y, w] = rowsTimes(matchData.H, at(0)), predicted = placeOf(1, x / w, y / w, zoom);
    context.beginPath();
    context.arc(...predicted, 9, 0, 7);
    context.stroke();
  }
  context.strokeStyle = matchColour(k, 1);
  context.lineWidth = 2.5;
  strokeSegment(context, [first, second]);
  for (const [x, y] of [first, second]) {
    context.beginPath();
    context.arc(x, y, 5, 0, 7);
    context.stroke();
  }
}

function drawMatches(context, width) {
  const zoom = width / matchSize()[0];
  context.clearRect(0, 0, context.canvas.width, context.canvas.height);
  matchPhotos.forEach((photo, side) => {
    const left = side ? matchPhotos[0].naturalWidth + kPhotoGap : 0;
    context.drawImage(photo, left * zoom, 0, photo.naturalWidth * zoom, photo.naturalHeight * zoom);
  });
  const shown = matches.order.filter(isShown), alpha = Math.max(0.12, Math.min(0.7, 60 / (shown.length + 1)));
  for (const k of shown.sort((a, b) => matches.inliers[a] - matches.inliers[b])) {
    const ends = endsOf(k, zoom);
    if (element('show-lines').checked) {
      context.strokeStyle = matchColour(k, alpha);
      context.lineWidth = 1;
      strokeSegment(context, ends);
    }
    context.fillStyle = matchColour(k, 0.9);
    for (const [x, y] of ends) {
      context.beginPath();
      context.arc(x, y, 1.8, 0, 7);
      context.fill();
    }
  }
  if (matches.hovered >= 0) drawHovered(context, zoom);
}

// Index of the shown match whose end lies nearest to a place of the canvas, within 25 px; -1 if there is none.
function matchAt(x, y, zoom) {
  let best = -1, nearest = 25 * 25;
  for (const k of matches.order.filter(isShown))
    for (const [px, py] of endsOf(k, zoom)) {
      const d = (px - x) ** 2 + (py - y) ** 2;
      if (d < nearest) { nearest = d; best = k; }
    }
  return best;
}

function matchText(k) {
  if (k < 0) return 'Point at a match to see its residual and its counterpart.';
  const [x1, y1, x2, y2] = matches.points.slice(4 * k, 4 * k + 4), has = matchData.F || matchData.H;
  return `(${x1.toFixed(1)}, ${y1.toFixed(1)}) and (${x2.toFixed(1)}, ${y2.toFixed(1)}) px` +
         (has ? `, residual ${matches.residuals[k].toFixed(2)} px, ${matches.inliers[k] ? 'inlier' : 'outlier'}` : '') +
         (matchData.F ? '. Blue: the epipolar lines of both points.' : matchData.H ? '. Blue circle: position predicted by the homography.' : '');
}

function startMatches() {
  const view = canvasOf('matches', width => Math.round(width * matchSize()[1] / matchSize()[0]) || 1, drawMatches);
  view.canvas.addEventListener('pointermove', event => {
    const k = matchAt(event.offsetX, event.offsetY, view.canvas.clientWidth / matchSize()[0]);
    if (k === matches.hovered) return;
    matches.hovered = k;
    element('match-text').textContent = matchText(k);
    view.later();
  });
  for (const id of ['show-inliers', 'show-outliers', 'show-lines']) element(id).addEventListener('change', view.later);
  if (!matches.inliers.includes(1)) element('show-outliers').checked = true;
  return view;
}

// Histogram of residuals up to twice the largest residual of an inlier.
function drawResiduals(context, width, height) {
  const kBins = 40, most = 2 * matches.mostResidual || 1, bins = [new Array(kBins).fill(0), new Array(kBins).fill(0)];
  for (const k of matches.order)
    if (Number.isFinite(matches.residuals[k])) ++bins[matches.inliers[k]][Math.min(kBins - 1, Math.floor(kBins * matches.residuals[k] / most))];
  const highest = Math.max(1, ...bins[0].slice(0, -1), ...bins[1]), left = 44, bottom = 22, plotWidth = width - left - 10, plotHeight = height - bottom - 10;
  context.fillStyle = '#fff';
  context.fillRect(0, 0, width, height);
  bins.forEach((counts, isInlier) => counts.forEach((count, bin) => {
    const tall = Math.min(plotHeight, plotHeight * count / highest);
    context.fillStyle = isInlier ? residualColour((bin + 0.5) / kBins * most / (matches.mostResidual || 1), 1) : '#b6bcc4';
    context.fillRect(left + plotWidth * bin / kBins, 10 + plotHeight - tall, Math.max(1, plotWidth / kBins - 1), tall);
  }));
  context.fillStyle = '#57606a';
  context.font = '12px system-ui, sans-serif';
  context.textAlign = 'center';
  for (let tick = 0; tick <= 4; ++tick)
    context.fillText((most * tick / 4).toFixed(2) + ' px', Math.min(width - 24, left + plotWidth * tick / 4), height - 6);
  context.textAlign = 'right';
  context.fillText(String(highest), left - 6, 20);
  context.fillText('0', left - 6, 10 + plotHeight);
}

function paintResidualScale() {
  const canvas = element('residual-scale'), context = canvas.getContext('2d');
  canvas.width = 100;
  canvas.height = 1;
  for (let x = 0; x < 100; ++x) { context.fillStyle = residualColour(x / 99, 1); context.fillRect(x, 0, 1, 1); }
  element('residual-most').textContent = matches.mostResidual.toFixed(2) + ' px';
}

const matchView = startMatches();
for (const photo of matchPhotos) photo.addEventListener('load', matchView.redraw);
paintResidualScale();
const residualView = element('residuals') ? canvasOf('residuals', () => 150, drawResiduals, 560) : null;
document.body.dataset.matches = matches.count;
