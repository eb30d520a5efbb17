// The page of one pair: its cloud, and a slider between the first photograph and the second one seen from its position.
const data = JSON.parse(element('data').textContent);
const pictureOf = image => { const shown = element('photo-' + image); return shown && shown.complete && shown.naturalWidth ? shown : null; };

function setPairCloud() {
  const X = numbers(data.points, Float32Array), rgb = numbers(data.colours, Uint8Array);
  const depths = X.filter((_, k) => k % 3 === 2).sort(), median = depths[depths.length >> 1];
  if (!median) return;
  for (let k = 0; k < X.length; k += 3)
    if (X[k + 2] < 5 * median) cloud.points.push({at: [X[k], X[k + 1], X[k + 2]], rgb: [...rgb.slice(k, k + 3)], coloured: true});
  data.cameras.forEach(({width, height, fx, fy, cx, cy}, side) => {
    const depth = 0.12 * median, second = secondFrame(data.R, data.t);
    const corners = [[0, 0], [width, 0], [width, height], [0, height]].map(([x, y]) => [(x - 0.5 - cx) / fx * depth, (y - 0.5 - cy) / fy * depth, depth]);
    const frame = [[0, 0, 0], ...corners];
    cloud.cameras.push({image: side, frame: side === 0 ? frame : frame.map(second), rgb: side === 0 ? [29, 78, 216] : [220, 38, 38]});
  });
  placeEye(median);
  Object.assign(cloud.home, {turn: 0.35, tilt: 0.15});
  goHome();
  ++cloud.version;
}

function startSlider() {
  const slider = element('slider'), over = element('warped');
  const show = () => { over.style.clipPath = `inset(0 0 0 ${slider.value}%)`; };
  slider.addEventListener('input', show);
  show();
}

setPairCloud();
const cloudView = startCloud();
for (const picture of document.querySelectorAll('[id^=photo-]')) picture.addEventListener('load', cloudView.later);
startSlider();
document.body.dataset.ready = 'yes';
