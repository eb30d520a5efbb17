// The matches of a pair over both photographs: lines coloured by residual, the match under the pointer with its epipolar lines, and the histogram of the
// residuals. showMatches(shown) replaces the pair. It has sizes, [[width, height], [width, height]] of the photographs in px; picture(side), an image or
// null; points, x1 y1 x2 y2 in px of the photographs; inliers, 1 or 0; residuals in px, or null without a model; and F or H, if known.
const matches = {count: 0, order: [], hovered: -1, mostResidual: 0, shown: {sizes: [[4, 3], [4, 3]], picture: () => null, points: [], inliers: [], residuals: null}};
const kPhotoGap = 8, kTallest = 640;  // px

const residualColour = (share, alpha) => `hsla(${Math.round(150 - 150 * Math.min(1, share))}, 85%, 42%, ${alpha})`;
const matchColour = (k, alpha) => {
  const {inliers, residuals} = matches.shown;
  return inliers[k] ? residualColour(residuals && matches.mostResidual > 0 ? residuals[k] / matches.mostResidual : 0, alpha) : `rgba(120, 120, 120, ${alpha})`;
};
const isShown = k => element(matches.shown.inliers[k] ? 'show-inliers' : 'show-outliers').checked;

// Places of both photographs next to each other and equally tall, for a canvas of this width in px.
function matchBoxes(width) {
  const [first, second] = matches.shown.sizes.map(([w, h]) => w / h), height = Math.min(kTallest, (width - kPhotoGap) / (first + second));
  return [{x: 0, width: height * first, height}, {x: height * first + kPhotoGap, width: height * second, height}];
}

// Maps a point of photograph `side`, in px of the file, to px of the canvas.
const placeOf = (side, x, y, boxes) => {
  const [w, h] = matches.shown.sizes[side], box = boxes[side];
  return [box.x + (x + 0.5) / w * box.width, (y + 0.5) / h * box.height];
};
const pointOf = (k, side) => [matches.shown.points[4 * k + 2 * side], matches.shown.points[4 * k + 2 * side + 1]];
const endsOf = (k, boxes) => [0, 1].map(side => placeOf(side, ...pointOf(k, side), boxes));

function strokeSegment(context, [from, to]) {
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
}

// Ends of the line a x + b y + c = 0 within photograph `side`, in px of the file; null if the line misses it.
function clippedLine([a, b, c], side) {
  const [width, height] = matches.shown.sizes[side], ends = [];
  for (const x of [0, width]) if (b !== 0) { const y = -(a * x + c) / b; if (y >= 0 && y <= height) ends.push([x, y]); }
  for (const y of [0, height]) if (a !== 0) { const x = -(b * y + c) / a; if (x >= 0 && x <= width) ends.push([x, y]); }
  if (ends.length < 2) return null;
  return [ends[0], ends.reduce((far, p) => Math.hypot(p[0] - ends[0][0], p[1] - ends[0][1]) > Math.hypot(far[0] - ends[0][0], far[1] - ends[0][1]) ? p : far)];
}

const rowsTimes = (M, [x, y]) => [0, 3, 6].map(r => M[r] * x + M[r + 1] * y + M[r + 2]);
const transposedTimes = (M, [x, y]) => [0, 1, 2].map(c => M[c] * x + M[c + 3] * y + M[c + 6]);

// Draws the hovered match with both epipolar lines, or with the point that the homography predicts.
function drawHovered(context, boxes) {
  const k = matches.hovered, {F, H} = matches.shown, ends = endsOf(k, boxes);
  context.lineWidth = 1.5;
  context.strokeStyle = '#2563eb';
  if (F) {
    [[transposedTimes(F, pointOf(k, 1)), 0], [rowsTimes(F, pointOf(k, 0)), 1]].forEach(([line, side]) => {
      const clipped = clippedLine(line, side);
      if (clipped) strokeSegment(context, clipped.map(([x, y]) => placeOf(side, x, y, boxes)));
    });
  }
  if (H) {
    const [x, y, w] = rowsTimes(H, pointOf(k, 0));
    context.beginPath();
    context.arc(...placeOf(1, x / w, y / w, boxes), 9, 0, 7);
    context.stroke();
  }
  context.strokeStyle = matchColour(k, 1);
  context.lineWidth = 2.5;
  strokeSegment(context, ends);
  for (const [x, y] of ends) {
    context.beginPath();
    context.arc(x, y, 5, 0, 7);
    context.stroke();
  }
}

function drawMatches(context, width) {
  const boxes = matchBoxes(width);
  context.clearRect(0, 0, context.canvas.width, context.canvas.height);
  boxes.forEach((box, side) => {
    const picture = matches.shown.picture(side);
    context.fillStyle = '#e5e9ee';
    context.fillRect(box.x, 0, box.width, box.height);
    if (picture) context.drawImage(picture, box.x, 0, box.width, box.height);
  });
  const drawn = matches.order.filter(isShown), alpha = Math.max(0.12, Math.min(0.7, 60 / (drawn.length + 1)));
  for (const k of drawn.sort((a, b) => matches.shown.inliers[a] - matches.shown.inliers[b])) {
    const ends = endsOf(k, boxes);
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
  if (matches.hovered >= 0) drawHovered(context, boxes);
}

// Index of the shown match whose end lies nearest to a place of the canvas, within 25 px; -1 if there is none.
function matchAt(x, y, boxes) {
  let best = -1, nearest = 25 * 25;
  for (const k of matches.order.filter(isShown))
    for (const [px, py] of endsOf(k, boxes)) {
      const d = (px - x) ** 2 + (py - y) ** 2;
      if (d < nearest) { nearest = d; best = k; }
    }
  return best;
}

function matchText(k) {
  if (k < 0) return matches.count ? 'Point at a match to see its residual and its counterpart.' : '';
  const {F, H, residuals, inliers} = matches.shown, [one, two] = [0, 1].map(side => pointOf(k, side).map(v => v.toFixed(1)).join(', '));
  return `(${one}) and (${two}) px` + (residuals ? `, residual ${residuals[k] === Infinity ? 'above 255' : residuals[k].toFixed(2)} px` : '') +
         (residuals || !inliers[k] ? `, ${inliers[k] ? 'inlier' : 'outlier'}` : '') +
         (F ? '. Blue: the epipolar lines of both points.' : H ? '. Blue circle: position predicted by the homography.' : '');
}

// Returns 0 and further multiples of 1, 2 or 5 times a power of ten up to `most`, at most `count` steps, as strings.
function roundTicks(most, count) {
  const decade = 10 ** Math.floor(Math.log10(most / count)), step = [1, 2, 5, 10].map(factor => factor * decade).find(step => step * count >= most);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return Array.from({length: Math.floor(most / step + 1e-9) + 1}, (_, k) => (k * step).toFixed(digits));
}

// Histogram of residuals up to twice the largest residual of an inlier.
function drawResiduals(context, width, height) {
  const {inliers, residuals} = matches.shown, kBins = 40, most = 2 * matches.mostResidual || 1, bins = [new Array(kBins).fill(0), new Array(kBins).fill(0)];
  context.fillStyle = '#fff';
  context.fillRect(0, 0, width, height);
  if (!residuals) return;
  for (const k of matches.order)
    if (!Number.isNaN(residuals[k])) ++bins[inliers[k]][Math.min(kBins - 1, Math.floor(kBins * residuals[k] / most))];
  const highest = Math.max(1, ...bins[0].slice(0, -1), ...bins[1]), left = 44, bottom = 22, plotWidth = width - left - 10, plotHeight = height - bottom - 10;
  bins.forEach((counts, isInlier) => counts.forEach((count, bin) => {
    const tall = Math.min(plotHeight, plotHeight * count / highest);
    context.fillStyle = isInlier ? residualColour((bin + 0.5) / kBins * most / (matches.mostResidual || 1), 1) : '#b6bcc4';
    context.fillRect(left + plotWidth * bin / kBins, 10 + plotHeight - tall, Math.max(1, plotWidth / kBins - 1), tall);
  }));
  context.fillStyle = '#57606a';
  context.font = '12px system-ui, sans-serif';
  context.textAlign = 'center';
  for (const tick of roundTicks(most, 5))
    context.fillText(tick + ' px', Math.min(width - 24, left + plotWidth * tick / most), height - 6);
  context.textAlign = 'right';
  context.fillText(String(highest), left - 6, 20);
  context.fillText('0', left - 6, 10 + plotHeight);
}

function paintResidualScale() {
  const canvas = element('residual-scale'), context = canvas.getContext('2d');
  canvas.width = 100;
  canvas.height = 1;
  for (let x = 0; x < 100; ++x) { context.fillStyle = residualColour(x / 99, 1); context.fillRect(x, 0, 1, 1); }
}

const matchView = canvasOf('matches', width => Math.round(matchBoxes(width)[0].height) || 1, drawMatches);
const residualView = canvasOf('residuals', () => 150, drawResiduals, 560);
const pointAtMatch = k => {
  matches.hovered = k;
  element('match-text').textContent = matchText(k);
  matchView.later();
};
matchView.canvas.addEventListener('pointermove', event => {
  const k = matchAt(event.offsetX, event.offsetY, matchBoxes(matchView.canvas.clientWidth));
  if (k !== matches.hovered) pointAtMatch(k);
});
for (const id of ['show-inliers', 'show-outliers', 'show-lines']) element(id).addEventListener('change', matchView.later);
paintResidualScale();

function showMatches(shown) {
  matches.shown = shown;
  matches.count = shown.inliers.length;
  matches.order = Array.from({length: matches.count}, (_, k) => k);
  matches.mostResidual = shown.residuals ? matches.order.reduce((most, k) => shown.inliers[k] && Number.isFinite(shown.residuals[k]) ? Math.max(most, shown.residuals[k]) : most, 0) : 0;
  element('residual-legend').hidden = element('residual-place').hidden = !shown.residuals;
  element('residual-most').textContent = matches.mostResidual.toFixed(2) + ' px';
  element('show-outliers').checked = matches.count > 0 && !shown.inliers.includes(1);
  document.body.dataset.matches = matches.count;
  pointAtMatch(-1);
  residualView.later();
}
