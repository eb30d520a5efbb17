// Draws the cloud with WebGL 1: points as discs, frames of the cameras as lines several pixels wide, with the images inside them.
const kShaders = {
  points: [`
    attribute vec3 at; attribute vec3 rgb; uniform mat4 clip; uniform vec2 size; varying vec3 colour;
    void main() { gl_Position = clip * vec4(at, 1.0); colour = rgb; gl_PointSize = clamp(size.x / gl_Position.w, size.y, 8.0 * size.y); }`, `
    precision mediump float; varying vec3 colour;
    void main() {
      float r = 2.0 * length(gl_PointCoord - 0.5);
      if (r > 1.0) discard;
      gl_FragColor = vec4(colour * (r > 0.72 ? 0.6 : 1.0), 1.0);
    }`],
  //   // `way`: direction on the screen to the second end; `side`: side of the line, -1 or 1.
  lines: [`
    attribute vec3 at; attribute vec3 other; attribute float side; attribute vec3 rgb;
    uniform mat4 clip; uniform vec2 screen; uniform float width; varying vec3 colour;
    void main() {
      vec4 here = clip * vec4(at, 1.0), there = clip * vec4(other, 1.0);
      vec2 way = (there.xy / max(there.w, 1e-6) - here.xy / max(here.w, 1e-6)) * screen;
      vec2 across = length(way) > 0.0 ? normalize(vec2(-way.y, way.x)) : vec2(0.0);
      gl_Position = here + vec4(across * side * width / screen * here.w, 0.0, 0.0);
      colour = rgb;
    }`, 'precision mediump float; varying vec3 colour; void main() { gl_FragColor = vec4(colour, 1.0); }'],
  pictures: [`
    attribute vec3 at; attribute vec2 uv; uniform mat4 clip; varying vec2 place;
    void main() { gl_Position = clip * vec4(at, 1.0); place = uv; }`, `
    precision mediump float; varying vec2 place; uniform sampler2D picture;
    void main() { gl_FragColor = vec4(texture2D(picture, place).rgb, 1.0); }`],
};

// Returns the column-major matrix from the scene to a canvas of width x height pixels.
function clipMatrix(view, width, height) {
  const [right, down, ahead] = axesOf(view), f = 2 * view.focal, far = 100 * cloud.home.distance, near = cloud.near;
  const dot = axis => -axis.reduce((sum, v, i) => sum + v * view.centre[i], 0);
  const a = (far + near) / (far - near), b = -2 * far * near / (far - near), z = dot(ahead) + view.distance;
  const columns = [0, 1, 2].flatMap(i => [f * height / width * right[i], -f * down[i], a * ahead[i], ahead[i]]);
  return [...columns, f * height / width * dot(right), -f * dot(down), a * z + b, z];
}

function makeProgram(gl, [vertex, fragment]) {
  const program = gl.createProgram();
  for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  return gl.getProgramParameter(program, gl.LINK_STATUS) ? program : null;
}

// Makes a vertex list from the named attributes and their sizes, with a function that draws it.
function makeList(gl, program, attributes, numbers) {
  const buffer = gl.createBuffer(), width = Object.values(attributes).reduce((sum, n) => sum + n, 0);
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(numbers), gl.STATIC_DRAW);
  const places = Object.entries(attributes).map(([name, n]) => [gl.getAttribLocation(program, name), n]);
  const draw = (mode, uniforms, first = 0, count = numbers.length / width) => {
    gl.useProgram(program);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    let offset = 0;
    for (const [place, n] of places) {
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, n, gl.FLOAT, false, 4 * width, offset);
      offset += 4 * n;
    }
    for (const [name, value] of Object.entries(uniforms)) {
      const at = gl.getUniformLocation(program, name);
      if (value.length === 16) gl.uniformMatrix4fv(at, false, value);
      else if (value.length === 2) gl.uniform2fv(at, value);
      else gl.uniform1f(at, value);
    }
    gl.drawArrays(mode, first, count);
    for (const [place] of places) gl.disableVertexAttribArray(place);
  };
  return {draw, free: () => gl.deleteBuffer(buffer)};
}

const unit = rgb => rgb.map(v => v / 255);

function lineNumbers() {
  const list = [];
  for (const {frame, rgb} of cloud.cameras) {
    for (let k = 1; k <= 4; ++k) {
      for (const [a, b] of [[frame[0], frame[k]], [frame[k], frame[k % 4 + 1]]]) {
        //         // Seen from the second end, the sides are exchanged.
        const corner = (from, to, side) => [...from, ...to, side, ...unit(rgb)];
        const [p, q, r, s] = [corner(a, b, 1), corner(a, b, -1), corner(b, a, -1), corner(b, a, 1)];
        list.push(...p, ...q, ...r, ...q, ...r, ...s);
      }
    }
  }
  return list;
}

function pictureNumbers() {
  const uv = [[0, 0], [1, 0], [1, 1], [0, 1]];
  return cloud.cameras.flatMap(({frame}) => [0, 1, 2, 0, 2, 3].flatMap(k => [...frame[k + 1], ...uv[k]]));
}

function makeTexture(gl, picture) {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGB, gl.RGB, gl.UNSIGNED_BYTE, picture);
  for (const [name, value] of [[gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]])
    gl.texParameteri(gl.TEXTURE_2D, name, value);
  return texture;
}

// Returns null without WebGL, otherwise {draw(canvas, width, height, ratio), restored}.
function startGl(canvas) {
  const gl = canvas.getContext('webgl', {antialias: true, alpha: false});
  if (!gl) return null;
  let programs = null, lists = null, version = -1, textures = new Map();
  const prepare = () => {
    programs = Object.fromEntries(Object.entries(kShaders).map(([name, texts]) => [name, makeProgram(gl, texts)]));
    lists = null, version = -1, textures = new Map();
    gl.enable(gl.DEPTH_TEST);
    gl.clearColor(0.953, 0.961, 0.969, 1);
  };
  const update = () => {
    colourPoints();
    if (version === cloud.version) return;
    for (const list of Object.values(lists || {})) list.free();
    for (const texture of textures.values()) gl.deleteTexture(texture);
    textures.clear();
    version = cloud.version;
    lists = {
      points: makeList(gl, programs.points, {at: 3, rgb: 3}, cloud.points.flatMap(q => [...q.at, ...unit(q.rgb)])),
      lines: makeList(gl, programs.lines, {at: 3, other: 3, side: 1, rgb: 3}, lineNumbers()),
      pictures: makeList(gl, programs.pictures, {at: 3, uv: 2}, pictureNumbers()),
    };
  };
  const drawPictures = clip => cloud.cameras.forEach(({image}, side) => {
    const picture = pictureOf(image);
    if (!picture) return;
    if (!textures.has(side)) textures.set(side, makeTexture(gl, picture));
    gl.bindTexture(gl.TEXTURE_2D, textures.get(side));
    lists.pictures.draw(gl.TRIANGLES, {clip}, 6 * side, 6);
  });
  const draw = (of, width, height, ratio) => {
    if (gl.isContextLost()) return;
    gl.viewport(0, 0, of.width, of.height);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    if (!cloud.at) return;
    update();
    const clip = clipMatrix(cloud.at, width, height);
    lists.points.draw(gl.POINTS, {clip, size: [4.8 * ratio * cloud.home.distance, 2.8 * ratio]});
    drawPictures(clip);
    lists.lines.draw(gl.TRIANGLES, {clip, screen: [of.width, of.height], width: 1.6 * ratio});
  };
  prepare();
  if (Object.values(programs).some(program => !program)) return replaceCanvas(canvas);
  const made = {draw, restored: () => {}};
  canvas.addEventListener('webglcontextlost', event => event.preventDefault());
  canvas.addEventListener('webglcontextrestored', () => { prepare(); made.restored(); });
  return made;
}

// Replaces the canvas, because a canvas with a failed WebGL request gives no other context.
function replaceCanvas(canvas) {
  canvas.replaceWith(canvas.cloneNode());
  return null;
}
