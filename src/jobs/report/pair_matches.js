// Shows the matches of the page's pair.
const matchData = JSON.parse(element('match-data').textContent);
const matchPhotos = [element('match-photo-0'), element('match-photo-1')];
showMatches({
  sizes: matchData.sizes, F: matchData.F, H: matchData.H, points: numbers(matchData.points, Float32Array), inliers: numbers(matchData.inliers, Uint8Array),
  residuals: matchData.residuals ? numbers(matchData.residuals, Float32Array) : null,
  picture: side => matchPhotos[side].complete && matchPhotos[side].naturalWidth ? matchPhotos[side] : null,
});
for (const photo of matchPhotos) photo.addEventListener('load', matchView.later);
