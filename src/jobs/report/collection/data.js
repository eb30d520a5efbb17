// The data of the page.
const data = JSON.parse(document.getElementById('data').textContent);

const images = {
  count: data.images.names.length, names: data.images.names,
  id: numbers(data.images.id, Uint32Array), x: numbers(data.images.x, Uint16Array), y: numbers(data.images.y, Uint16Array),
  features: numbers(data.images.features, Int32Array), component: numbers(data.images.component, Int32Array),
  verified: numbers(data.images.verified, Int32Array), matched: numbers(data.images.matched, Int32Array),
  camera: numbers(data.images.camera, Int32Array),
};
const edges = {
  a: numbers(data.edges.a, Uint32Array), b: numbers(data.edges.b, Uint32Array),
  inliers: numbers(data.edges.inliers, Uint32Array), matches: numbers(data.edges.matches, Uint32Array),
  configuration: numbers(data.edges.configuration, Uint8Array),
};
edges.count = edges.a.length;
const details = new Map(data.pairs.map(p => [p.edge, p]));
const edgesOf = Array.from({length: images.count}, () => []);  // edges of each image on the page
for (let e = 0; e < edges.count; ++e) { edgesOf[edges.a[e]].push(e); edgesOf[edges.b[e]].push(e); }
const edgeOfIds = new Map();
for (let e = 0; e < edges.count; ++e) edgeOfIds.set(images.id[edges.a[e]] + '-' + images.id[edges.b[e]], e);
const imageOfId = new Map(Array.from(images.id, (id, i) => [id, i]));
const mostInliers = edges.inliers.reduce((m, v) => Math.max(m, v), 1);

const shortName = i => images.names[i].split('/').pop();
const pairName = e => shortName(edges.a[e]) + ' – ' + shortName(edges.b[e]);
const sizeOf = i => images.camera[i] < 0 ? [4, 3] : data.cameras[images.camera[i]].size;
const colourOf = i => {
  const c = images.component[i];
  return c < 0 ? '#c2410c' : c === 0 ? '#1d4ed8' : `hsl(${(c * 137.508 + 200) % 360} 60% 40%)`;
};
