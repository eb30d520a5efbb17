// Draws the cloud without WebGL, from far to near.
function drawCloud(context, width, height) {
  context.fillStyle = '#f3f5f7';
  context.fillRect(0, 0, width, height);
  if (!cloud.at) return;
  colourPoints();
  const colour = rgb => `rgb(${rgb.join(' ')})`;
  const project = q => {
    const [x, y, z] = seen(cloud.at, q), scale = height * cloud.at.focal / z;
    return [width / 2 + scale * x, height / 2 + scale * y, z];
  };
  const placed = cloud.points.map(q => ({to: project(q.at), q})).filter(item => item.to[2] > cloud.near);
  placed.sort((a, b) => b.to[2] - a.to[2]);
  for (const {to, q} of placed) {
    context.fillStyle = colour(q.rgb);
    context.strokeStyle = colour(q.rgb.map(v => v * 0.6));
    context.beginPath();
    context.arc(to[0], to[1], Math.min(9, Math.max(1.4, 2.4 * cloud.home.distance / to[2])), 0, 7);
    context.fill();
    context.stroke();
  }
  for (const {frame, rgb} of cloud.cameras) {
    const to = frame.map(project);
    if (to.some(q => q[2] <= cloud.near)) continue;
    context.strokeStyle = colour(rgb);
    context.lineWidth = 1.5;
    context.beginPath();
    for (let k = 1; k <= 4; ++k) {
      context.moveTo(to[0][0], to[0][1]);
      context.lineTo(to[k][0], to[k][1]);
      context.lineTo(to[k % 4 + 1][0], to[k % 4 + 1][1]);
    }
    context.stroke();
  }
}
