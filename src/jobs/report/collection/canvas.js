// Common code of the pages: lists of numbers, stored as base64 of little-endian arrays, and canvases.
const bytesOf = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
const numbers = (text, Type) => new Type(bytesOf(text).buffer);

const element = id => document.getElementById(id);
const make = (tag, text, parent) => {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (parent) parent.append(node);
  return node;
};

// Gives a canvas the width of its parent (at most `widest`) and the given height, sharp on every screen; draws it with paint(canvas, width, height, ratio).
function sizedCanvas(id, heightOf, paint, widest = Infinity) {
  const canvas = element(id);
  const redraw = () => {
    const width = Math.min(widest, (canvas.parentElement.clientWidth || 802) - 2), height = heightOf(width), ratio = window.devicePixelRatio || 1;
    canvas.style.width = width + 'px';
    canvas.style.height = height + 'px';
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    paint(canvas, width, height, ratio);
  };
  let asked = false;
  const later = () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; redraw(); });
  };
  window.addEventListener('resize', later);
  redraw();
  return {canvas, later, redraw};
}

// Sizes a canvas like sizedCanvas and draws it with draw(context, width, height).
function canvasOf(id, heightOf, draw, widest) {
  return sizedCanvas(id, heightOf, (canvas, width, height, ratio) => {
    const context = canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    draw(context, width, height);
  }, widest);
}
