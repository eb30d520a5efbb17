// Opens the pair or image named in the address: #pair=1-2 or #image=1, with numbers of the database.
function follow() {
  const [what, value] = location.hash.slice(1).split('=');
  if (what === 'pair' && edgeOfIds.has(value)) {
    showPair(edgeOfIds.get(value));
    element('pair-section').scrollIntoView();
  }
  if (what === 'image' && imageOfId.has(Number(value))) {
    showImage(imageOfId.get(Number(value)));
    element(data.depths[imageOfId.get(Number(value))] ? 'image' : 'map').scrollIntoView();
  }
}

const mapView = startMap();
startMatrix();
startHistogram();
const cloudView = startCloud();
startPairs();
for (const [title, list] of Object.entries(data.tables)) if (list.length) pairTable(element('tables'), title, list);
if (data.tables['Strongest pairs'].length) showPair(data.tables['Strongest pairs'][0]);
window.addEventListener('hashchange', follow);
follow();
document.body.dataset.ready = 'yes';
