// The matrix of pairs and the histogram of inliers.
const rainbow = t => {  // blue, green, yellow, red
  const wave = (centre, spread) => Math.round(255 * Math.max(0, Math.min(1, 1.25 - Math.abs(t - centre) / spread)));
  return [wave(0.78, 0.34), wave(0.5, 0.38), wave(0.2, 0.3)];
};
const cells = bytesOf(data.matrix.cells);
const matrixOrder = numbers(data.matrix.order, Uint32Array);
const cellAt = (row, column) => {
  if (row > column) [row, column] = [column, row];
  return cells[row * data.matrix.size - row * (row - 1) / 2 + column - row];
};

function startMatrix() {
  const n = data.matrix.size;
  const picture = document.createElement('canvas');
  picture.width = picture.height = Math.max(n, 1);
  const pixels = picture.getContext('2d').createImageData(picture.width, picture.height);
  for (let row = 0; row < n; ++row)
    for (let column = 0; column < n; ++column) {
      const value = row === column && n === images.count ? 0 : cellAt(row, column);
      const [r, g, b] = value === 0 ? [255, 255, 255] : value === 1 ? [222, 226, 232] : rainbow((value - 2) / 253);
      pixels.data.set([r, g, b, 255], 4 * (row * n + column));
    }
  picture.getContext('2d').putImageData(pixels, 0, 0);
  const sideOf = width => Math.round(width);
  const view = canvasOf('matrix', sideOf, (context, width) => {
    const side = sideOf(width);
    context.imageSmoothingEnabled = false;
    context.drawImage(picture, 0, 0, side, side);
  }, 560);
  const cellOf = event => {
    const side = sideOf(view.canvas.clientWidth);
    return [event.offsetY, event.offsetX].map(v => Math.floor(v / side * n)).map(v => v >= 0 && v < n ? v : -1);
  };
  const imagesOfCell = c => {
    const first = Math.ceil(c * images.count / n), last = Math.ceil((c + 1) * images.count / n);
    return matrixOrder.slice(first, last);
  };
  view.canvas.addEventListener('pointermove', event => {
    const [row, column] = cellOf(event);
    if (row < 0 || column < 0) return;
    const name = c => { const list = imagesOfCell(c); return shortName(list[0]) + (list.length > 1 ? ` and ${list.length - 1} more` : ''); };
    element('matrix-note').textContent = `${name(row)} with ${name(column)}`;
  });
  view.canvas.addEventListener('click', event => {
    const [row, column] = cellOf(event);
    if (row < 0 || column < 0) return;
    const others = new Set(imagesOfCell(column));
    let best = -1;
    for (const i of imagesOfCell(row))
      for (const e of edgesOf[i])
        if (others.has(edges.a[e] === i ? edges.b[e] : edges.a[e]) && (best < 0 || edges.inliers[e] > edges.inliers[best])) best = e;
    if (best >= 0) showPair(best);
  });
}

function startHistogram() {
  const bins = data.histogram, top = Math.max(1, ...bins.verified, ...bins.rejected);
  canvasOf('histogram', () => 240, (context, width, height) => {
    const left = 52, bottom = height - 34, step = (width - left - 8) / bins.verified.length;
    const y = count => count === 0 ? bottom : bottom - (bottom - 16) * Math.log1p(count) / Math.log1p(top);
    context.font = '12px system-ui, sans-serif';
    context.textAlign = 'right';
    for (let count = 1; count <= top; count *= 10) {
      context.fillStyle = '#eaeef2';
      context.fillRect(left, y(count), width - left, 1);
      context.fillStyle = '#57606a';
      context.fillText(count, left - 6, y(count) + 4);
    }
    bins.verified.forEach((count, k) => {
      context.fillStyle = '#f0a58a';
      context.fillRect(left + (k + 0.52) * step, y(bins.rejected[k]), step * 0.4, bottom - y(bins.rejected[k]));
      context.fillStyle = '#1d4ed8';
      context.fillRect(left + (k + 0.08) * step, y(count), step * 0.4, bottom - y(count));
      context.fillStyle = '#57606a';
      context.textAlign = 'center';
      if (k % Math.ceil(44 / step) === 0) context.fillText(bins.from[k], left + (k + 0.08) * step, bottom + 16);
    });
    context.fillText('inliers or matches', left + (width - left) / 2, bottom + 31);
  });
}
