// The map: images at the positions of the layout, lines for verified pairs.
const map = {zoom: 1, x: 0, y: 0, selected: -1, hovered: -1};
const kLevels = 6;  // classes of edges by number of inliers
const edgesOfLevel = Array.from({length: kLevels}, () => []);
for (let e = 0; e < edges.count; ++e) {
  const level = Math.floor(kLevels * Math.log1p(edges.inliers[e]) / Math.log1p(mostInliers));
  edgesOfLevel[Math.min(kLevels - 1, level)].push(e);
}

function mapPlaces(width, height) {
  const margin = images.count <= 60 ? 54 : 14, box = data.layout;
  const scale = Math.min((width - 2 * margin) / box.width, (height - 2 * margin) / box.height);
  const left = (width - scale * box.width) / 2, top = (height - scale * box.height) / 2;
  const px = new Float32Array(images.count), py = new Float32Array(images.count);
  for (let i = 0; i < images.count; ++i) {
    px[i] = (left + scale * box.width * images.x[i] / 65535 - width / 2) * map.zoom + width / 2 + map.x;
    py[i] = (top + scale * box.height * images.y[i] / 65535 - height / 2) * map.zoom + height / 2 + map.y;
  }
  return [px, py];
}

function drawMap(context, width, height) {
  context.fillStyle = '#fff';
  context.fillRect(0, 0, width, height);
  const [px, py] = mapPlaces(width, height);
  map.px = px, map.py = py;
  // Edges are fainter on a map with many edges, and if each image has many.
  const crowd = (0.15 + 0.85 * Math.min(1, 40 / Math.sqrt(edges.count + 1))) * Math.min(1, 8 * images.count / (edges.count + 1));
  edgesOfLevel.forEach((list, level) => {
    context.strokeStyle = `rgba(71, 85, 105, ${(0.12 + 0.75 * level / kLevels) * crowd})`;
    context.lineWidth = edges.count < 2000 ? 0.6 + 2.4 * (level / (kLevels - 1)) ** 2 : 0.7;
    context.beginPath();
    for (const e of list) {
      context.moveTo(px[edges.a[e]], py[edges.a[e]]);
      context.lineTo(px[edges.b[e]], py[edges.b[e]]);
    }
    context.stroke();
  });
  drawChosen(context, px, py);
  if (drawThumbnails(context, px, py, width, height)) return;
  const radius = Math.max(1.2, Math.min(6, 60 / Math.sqrt(images.count + 1))) * Math.min(3, Math.sqrt(map.zoom));
  for (let i = 0; i < images.count; ++i) {
    context.fillStyle = colourOf(i);
    context.beginPath();
    context.arc(px[i], py[i], radius, 0, 7);
    context.fill();
  }
  drawLabels(context, px, py, width, height, radius);
}

function drawChosen(context, px, py) {
  const line = (e, colour, size) => {
    context.strokeStyle = colour;
    context.lineWidth = size;
    context.beginPath();
    context.moveTo(px[edges.a[e]], py[edges.a[e]]);
    context.lineTo(px[edges.b[e]], py[edges.b[e]]);
    context.stroke();
  };
  if (map.selected >= 0) for (const e of edgesOf[map.selected]) line(e, '#16a34a', 1.2);
  if (pairs.selected >= 0) line(pairs.selected, '#dc2626', 3);
}

// Photographs of the nodes, decoded when they are first drawn.
const nodePhotos = new Map();
function nodePhoto(i) {
  if (!nodePhotos.has(i)) {
    const photo = new Image();
    photo.addEventListener('load', () => mapView.later());
    photo.src = 'data:image/jpeg;base64,' + data.thumbnails[i];
    nodePhotos.set(i, photo);
  }
  return nodePhotos.get(i);
}

// Draws the images as thumbnails framed in their component's colour if at most 40 are visible and all of these have one; returns whether it did.
function drawThumbnails(context, px, py, width, height) {
  const visible = [];
  for (let i = 0; i < images.count && visible.length <= 40; ++i)
    if (px[i] > -40 && px[i] < width + 40 && py[i] > -40 && py[i] < height + 40) visible.push(i);
  if (visible.length === 0 || visible.length > 40 || !visible.every(i => data.thumbnails[i])) return false;
  const side = Math.max(26, Math.min(72, 320 / Math.sqrt(visible.length + 1)));
  context.font = '11px system-ui, sans-serif';
  context.textAlign = 'center';
  for (const i of visible) {
    const photo = nodePhoto(i), [w, h] = photo.naturalWidth ? [photo.naturalWidth, photo.naturalHeight] : sizeOf(i);
    const scale = side / Math.max(w, h), left = px[i] - w * scale / 2, top = py[i] - h * scale / 2;
    if (photo.naturalWidth) context.drawImage(photo, left, top, w * scale, h * scale);
    context.lineWidth = i === map.selected || i === map.hovered ? 3.5 : 2;
    context.strokeStyle = colourOf(i);
    context.strokeRect(left, top, w * scale, h * scale);
    context.lineWidth = 3;
    context.strokeStyle = 'rgba(255, 255, 255, 0.85)';
    context.fillStyle = '#1c2128';
    if (i === map.selected || i === map.hovered || visible.length <= 24) {
      context.strokeText(shortName(i), px[i], top + h * scale + 12);
      context.fillText(shortName(i), px[i], top + h * scale + 12);
    }
  }
  return true;
}

function drawLabels(context, px, py, width, height, radius) {
  const visible = [];
  for (let i = 0; i < images.count && visible.length <= 60; ++i)
    if (px[i] > 0 && px[i] < width && py[i] > 0 && py[i] < height) visible.push(i);
  const named = visible.length <= 60 ? visible : [];
  for (const i of [map.selected, map.hovered]) if (i >= 0 && !named.includes(i)) named.push(i);
  context.font = '12px system-ui, sans-serif';
  context.textAlign = 'center';
  context.lineWidth = 3;
  context.strokeStyle = 'rgba(255, 255, 255, 0.85)';
  context.fillStyle = '#1c2128';
  for (const i of named) {
    context.strokeText(shortName(i), px[i], py[i] - radius - 4);
    context.fillText(shortName(i), px[i], py[i] - radius - 4);
  }
}

function imageAt(x, y) {
  let best = -1, nearest = 20 * 20;
  for (let i = 0; i < images.count; ++i) {
    const d = (map.px[i] - x) ** 2 + (map.py[i] - y) ** 2;
    if (d < nearest) { nearest = d; best = i; }
  }
  return best;
}

function showImage(i) {
  map.selected = i;
  const panel = element('image');
  panel.replaceChildren();
  if (i < 0) { mapView.later(); return; }
  const features = images.features[i] < 0 ? 'no features' : images.features[i] + ' features';
  make('h3', images.names[i], panel);
  make('p', `image ${images.id[i]}, ${features}; ${images.matched[i]} pairs with matches, ${images.verified[i]} verified` +
       (edgesOf[i].length < images.verified[i] ? ` (${edgesOf[i].length} on this page)` : ''), panel);
  const pictures = make('div', undefined, panel), depth = data.depths[i];
  pictures.className = 'beside';
  if (data.thumbnails[i]) make('img', undefined, make('figure', undefined, pictures)).src = 'data:image/jpeg;base64,' + data.thumbnails[i];
  if (depth) {
    pictures.insertAdjacentHTML('beforeend', depth.html);
    make('p', depth.html ? `Depth: ${depth.text} (medians).` : `No depth: ${depth.text}.`, panel).className = 'note';
  }
  const list = edgesOf[i].slice().sort((e, f) => edges.inliers[f] - edges.inliers[e]);
  if (list.length) pairTable(panel, 'Partners', list.slice(0, 30), e => shortName(edges.a[e] === i ? edges.b[e] : edges.a[e]));
  mapView.later();
}

function startMap() {
  const view = canvasOf('map', width => Math.round(Math.min(width * 0.62, 680)), drawMap);
  const canvas = view.canvas;
  let drag = null;
  canvas.addEventListener('wheel', event => {
    event.preventDefault();
    const by = Math.exp(-event.deltaY / 500), w = canvas.clientWidth / 2, h = canvas.clientHeight / 2;
    const zoom = Math.min(200, Math.max(0.5, map.zoom * by)), change = zoom / map.zoom;
    map.x = (map.x + w - event.offsetX) * change + event.offsetX - w;
    map.y = (map.y + h - event.offsetY) * change + event.offsetY - h;
    map.zoom = zoom;
    view.later();
  }, {passive: false});
  canvas.addEventListener('pointerdown', event => {
    drag = {x: event.offsetX, y: event.offsetY, mx: map.x, my: map.y, moved: false};
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', event => {
    if (drag) {
      drag.moved = drag.moved || Math.hypot(event.offsetX - drag.x, event.offsetY - drag.y) > 4;
      if (drag.moved) { map.x = drag.mx + event.offsetX - drag.x; map.y = drag.my + event.offsetY - drag.y; }
      view.later();
      return;
    }
    const hovered = imageAt(event.offsetX, event.offsetY);
    if (hovered !== map.hovered) { map.hovered = hovered; view.later(); }
  });
  canvas.addEventListener('pointerup', event => {
    if (drag && !drag.moved) showImage(imageAt(event.offsetX, event.offsetY));
    drag = null;
  });
  canvas.addEventListener('dblclick', () => { map.zoom = 1; map.x = map.y = 0; view.later(); });
  return view;
}
