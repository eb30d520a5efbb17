// Tables of pairs, and the matches of the selected pair.
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
    picture.onload = () => { matchView.later(); cloudView.later(); };
    picture.src = 'data:image/jpeg;base64,' + data.thumbnails[i];
    pairs.pictures.set(i, picture);
  }
  const picture = pairs.pictures.get(i);
  return picture.complete && picture.naturalWidth ? picture : null;
}

// The matches of a pair. Positions are stored as shares of the image's size, residuals in 1/256 px.
function matchesOf(e) {
  const sides = [edges.a[e], edges.b[e]], found = details.get(e), sizes = sides.map(sizeOf);
  const picture = side => pictureOf(sides[side]);
  if (!found) return {sizes, picture, points: [], inliers: [], residuals: null};
  const extent = [...sizes[0], ...sizes[1]];
  return {
    sizes, picture, F: found.F, H: found.H,
    points: Array.from(numbers(found.positions, Uint16Array), (v, i) => v / 65535 * extent[i % 4] - 0.5),
    inliers: Array.from({length: matchCount(found)}, (_, k) => k < found.inliers ? 1 : 0),
    residuals: found.residuals ? Array.from(numbers(found.residuals, Uint16Array), v => v < 65535 ? v / 256 : Infinity) : null,
  };
}
const matchCount = found => numbers(found.positions, Uint16Array).length / 4;

function showPair(e) {
  pairs.selected = e;
  const found = details.get(e), panel = element('pair-note');
  panel.replaceChildren();
  element('pair').hidden = e < 0;
  if (e >= 0) {
    make('h3', images.names[edges.a[e]] + ' – ' + images.names[edges.b[e]], panel);
    const what = data.configurations[edges.configuration[e]] || 'number ' + edges.configuration[e];
    make('p', `${edges.inliers[e]} inliers of ${edges.matches[e]} matches, ${what}. ` +
         (found ? `This page has ${found.inliers} inliers and ${matchCount(found) - found.inliers} outliers, evenly selected. ${found.source}`
                : 'This page does not have the matches of this pair.'), panel);
    showMatches(matchesOf(e));
  }
  element('cloud-place').hidden = !found || !found.points;
  setCloud(e);
  cloudView.later();
  mapView.later();
}

function startPairs() {
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
}
