// Tables of pairs, and the matches of the selected pair.
const kLines = 60, kDots = 300;  // largest numbers per pair, on its images
const pairs = {selected: -1, pictures: new Map()};

function pairTable(parent, title, list, nameOf = pairName) {
  const table = make('table', undefined, parent);
  make('caption', title, table);
  for (const e of list) {
    const row = make('tr', undefined, table);
    const link = make('a', nameOf(e), make('td', undefined, row));
    link.href = `#pair=${images.id[edges.a[e]]}-${images.id[edges.b[e]]}`;
    make('td', `${edges.inliers[e]} of ${edges.matches[e]}`, row);
  }
}

function pictureOf(i) {
  if (!data.thumbnails[i]) return null;
  if (!pairs.pictures.has(i)) {
    const picture = new Image();
    picture.onload = () => { matchesView.later(); cloudView.later(); };
    picture.src = 'data:image/jpeg;base64,' + data.thumbnails[i];
    pairs.pictures.set(i, picture);
  }
  const picture = pairs.pictures.get(i);
  return picture.complete && picture.naturalWidth ? picture : null;
}

// Positions of both images, side by side.
function pairBoxes(e, width) {
  const gap = 8, sizes = [sizeOf(edges.a[e]), sizeOf(edges.b[e])];
  const scale = (width - gap) / sizes.reduce((sum, [w, h]) => sum + w / h, 0);
  const height = Math.min(scale, 420);
  let x = 0;
  return sizes.map(([w, h]) => {
    const box = {x, y: 0, width: height * w / h, height};
    x += box.width + gap;
    return box;
  });
}

function drawMatches(context, width) {
  const e = pairs.selected;
  if (e < 0) return;
  const boxes = pairBoxes(e, width);
  [edges.a[e], edges.b[e]].forEach((i, side) => {
    const box = boxes[side], picture = pictureOf(i);
    context.fillStyle = '#e5e9ee';
    context.fillRect(box.x, box.y, box.width, box.height);
    if (picture) context.drawImage(picture, box.x, box.y, box.width, box.height);
  });
  const found = details.get(e);
  if (!found) return;
  const p = numbers(found.positions, Uint16Array);
  context.lineWidth = 1;
  const every = most => 4 * Math.max(1, Math.ceil(p.length / 4 / most)), dots = every(kDots), step = dots * Math.ceil(every(kLines) / dots);
  for (let k = 0; k < p.length; k += dots) {
    const at = [0, 1].map(s => [boxes[s].x + boxes[s].width * p[k + 2 * s] / 65535, boxes[s].y + boxes[s].height * p[k + 2 * s + 1] / 65535]);
    const colour = `hsl(${(k / dots * 38.8) % 360} 90% 50%`;
    context.fillStyle = colour + ')';
    for (const q of at) context.fillRect(q[0] - 1.5, q[1] - 1.5, 3, 3);
    if (k % step) continue;
    context.strokeStyle = colour + ' / 0.75)';
    context.beginPath();
    context.moveTo(...at[0]);
    context.lineTo(...at[1]);
    context.stroke();
  }
}

function showPair(e) {
  pairs.selected = e;
  const found = details.get(e), panel = element('pair-note');
  panel.replaceChildren();
  element('pair').hidden = e < 0;
  if (e >= 0) {
    make('h3', images.names[edges.a[e]] + ' – ' + images.names[edges.b[e]], panel);
    const what = data.configurations[edges.configuration[e]] || 'number ' + edges.configuration[e];
    make('p', `${edges.inliers[e]} inliers of ${edges.matches[e]} matches, ${what}. ` +
         (found ? `This page has ${numbers(found.positions, Uint16Array).length / 4} inliers, evenly selected; the images show at most ${kDots} points and ${kLines} lines. ${found.source}`
                : 'This page does not have the matches of this pair.'), panel);
    for (const i of [edges.a[e], edges.b[e]]) pictureOf(i);
  }
  element('cloud-place').hidden = !found || !found.points;
  setCloud(e);
  matchesView.later();
  cloudView.later();
  mapView.later();
}

function startPairs() {
  const view = canvasOf('matches', width => pairs.selected < 0 ? 10 : Math.ceil(pairBoxes(pairs.selected, width)[0].height), drawMatches);
  const list = element('pair-list'), filter = element('pair-filter'), kMost = 200;
  const shown = [...details.keys()].sort((e, f) => e - f);
  const fill = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const hits = [];
    for (const e of shown) {
      const name = (images.names[edges.a[e]] + ' ' + images.names[edges.b[e]]).toLowerCase();
      if (words.every(word => name.includes(word))) hits.push(e);
      if (hits.length === kMost) break;
    }
    list.replaceChildren();
    for (const e of hits) make('option', `${pairName(e)}: ${edges.inliers[e]}`, list).value = e;
    list.value = pairs.selected;
  };
  filter.addEventListener('input', fill);
  list.addEventListener('change', () => showPair(Number(list.value)));
  fill();
  return view;
}
