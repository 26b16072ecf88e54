// Drawing: the body in space, its momentum on sphere and ellipsoid, and the errors against time. Plain canvas.

const view = { yaw: -0.6, pitch: 0.38 };

let inks = {}; // the colours of the theme; emptied when it changes

function ink(name) { return inks[name] ??= getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

function sheet(canvas) {
  // The canvas at the resolution of the screen, cleared: its context, width and height.
  const ratio = window.devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
  if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(h * ratio);
  }
  const c = canvas.getContext("2d");
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.clearRect(0, 0, w, h);
  return [c, w, h];
}

function camera(w, h, size) {
  // From a point to (x, y, depth), z up; depth grows towards the eye.
  const [a, b] = [Math.cos(view.yaw), Math.sin(view.yaw)], [c, s] = [Math.cos(view.pitch), Math.sin(view.pitch)];
  const k = size * Math.min(w, h) / 2;
  return (p) => {
    const x = a * p[0] - b * p[1], y = b * p[0] + a * p[1];
    return [w / 2 + k * x, h / 2 - k * (c * p[2] + s * y), c * -y + s * p[2]];
  };
}

const turned = (Q, v) => [Q[0] * v[0] + Q[1] * v[1] + Q[2] * v[2], Q[3] * v[0] + Q[4] * v[1] + Q[5] * v[2], Q[6] * v[0] + Q[7] * v[1] + Q[8] * v[2]];

function path(c, points, colour, width, faint, parts = [true, false]) {
  // A path, faint where it is behind the middle of the picture; or only what is behind, or before.
  for (const behind of parts) {
    c.globalAlpha = behind ? faint : 1;
    c.strokeStyle = colour;
    c.lineWidth = width;
    c.beginPath();
    for (let i = 1; i < points.length; i++) {
      if (points[i][2] + points[i - 1][2] < 0 !== behind) continue;
      c.moveTo(points[i - 1][0], points[i - 1][1]);
      c.lineTo(points[i][0], points[i][1]);
    }
    c.stroke();
  }
  c.globalAlpha = 1;
}

function box(J) {
  // Half the sides of the box with these moments, the longest 1; a plate keeps some thickness.
  const a = [J[1] + J[2] - J[0], J[2] + J[0] - J[1], J[0] + J[1] - J[2]].map((x) => Math.sqrt(Math.max(0, x)));
  const most = Math.hypot(...a);
  return a.map((x) => Math.max(0.05, x / most));
}

const FACES = [0, 1, 2].flatMap((i) => [1, -1].map((s) => [i, s]));

function drawBody(canvas, run, colour, kept) {
  const [c, w, h] = sheet(canvas), Q = run.attitude(), at = camera(w, h, 0.86), sides = box(run.body[0]);
  path(c, ring(2).map(at), ink("--rule"), 1, 0.5);
  if (kept === "vertical") arrow(c, at([0, 0, -1.05]), at([0, 0, 1.05]), ink("--rule"), 1);
  const tips = run.tips.slice(-TRAIL).map(at), tip = at(turned(Q, [0, 0, 1])), foot = at(turned(Q, [0, 0, sides[2]]));
  path(c, tips, colour, 1.4, 0.3, [true]);
  if (tip[2] < 0) arrow(c, foot, tip, colour, 2);
  const tones = ["--x", "--y", "--z"].map(ink), faces = FACES.map(([i, s]) => {
    const j = (i + 1) % 3, k = (i + 2) % 3, n = [0, 0, 0];
    n[i] = s;
    const corners = [[1, 1], [-1, 1], [-1, -1], [1, -1]].map(([a, b]) => {
      const p = [0, 0, 0];
      p[i] = s * sides[i]; p[j] = a * sides[j]; p[k] = b * sides[k];
      return at(turned(Q, p));
    });
    const depth = at(turned(Q, n))[2];
    return { corners, depth, tone: tones[i] };
  });
  for (const f of faces.filter((x) => x.depth > 0)) {
    c.beginPath();
    f.corners.forEach((p, i) => (i ? c.lineTo(p[0], p[1]) : c.moveTo(p[0], p[1])));
    c.closePath();
    c.fillStyle = ink("--paper");
    c.fill();
    c.globalAlpha = 0.35 + 0.6 * f.depth;
    c.fillStyle = f.tone;
    c.fill();
    c.globalAlpha = 1;
    c.strokeStyle = ink("--paper");
    c.lineWidth = 1;
    c.stroke();
  }
  path(c, tips, colour, 1.4, 0.3, [false]);
  if (tip[2] >= 0) arrow(c, foot, tip, colour, 2);
}

function arrow(c, a, b, colour, width) {
  c.strokeStyle = c.fillStyle = colour;
  c.lineWidth = width;
  c.beginPath();
  c.moveTo(a[0], a[1]);
  c.lineTo(b[0], b[1]);
  c.stroke();
  c.beginPath();
  c.arc(b[0], b[1], 1.6 * width, 0, 7);
  c.fill();
}

function ring(i, lift = 0) {
  // The unit circle about axis i, or a parallel of the unit sphere.
  const r = Math.sqrt(1 - lift * lift), found = [];
  for (let n = 0; n <= 72; n++) {
    const p = [0, 0, 0];
    p[i] = lift; p[(i + 1) % 3] = r * Math.cos(n * Math.PI / 36); p[(i + 2) % 3] = r * Math.sin(n * Math.PI / 36);
    found.push(p);
  }
  return found;
}

function drawMomentum(canvas, run, colour) {
  const [c, w, h] = sheet(canvas), Pi = run.state[1], J = run.body[0], size = Math.hypot(...Pi);
  const axes = J.map((x) => Math.sqrt(2 * run.kinetic() * x));
  const most = run.widest = Math.max(run.widest || 0, size, ...axes.map((x) => Math.min(x, 2 * run.size)));
  const at = camera(w, h, 0.9), scaled = (p, a) => at([p[0] * a[0] / most, p[1] * a[1] / most, p[2] * a[2] / most]);
  const r = 0.9 * Math.min(w, h) / 2 * size / most, shade = c.createRadialGradient(w / 2 - r / 3, h / 2 - r / 3, r / 8, w / 2, h / 2, r);
  shade.addColorStop(0, ink("--paper"));
  shade.addColorStop(1, ink("--ball"));
  c.fillStyle = shade;
  c.beginPath();
  c.arc(w / 2, h / 2, r, 0, 7);
  c.fill();
  c.strokeStyle = ink("--rule");
  c.lineWidth = 1;
  c.stroke();
  ["--x", "--y", "--z"].forEach((tone, i) => {
    path(c, ring(i).map((p) => scaled(p, axes)), ink(tone), 1, 0.25);
    for (const lift of [-0.5, 0.5]) path(c, ring(i, lift).map((p) => scaled(p, axes)), ink(tone), 0.5, 0.12);
  });
  const one = [1, 1, 1];
  path(c, run.trail.slice(-TRAIL).map((p) => scaled(p, one)), colour, 1.6, 0.3);
  const now = scaled(Pi, one);
  c.fillStyle = colour;
  c.globalAlpha = now[2] < 0 ? 0.4 : 1;
  c.beginPath();
  c.arc(now[0], now[1], 4, 0, 7);
  c.fill();
  c.globalAlpha = 1;
}

function ticks(low, high, many) {
  const raw = (high - low) / many, ten = 10 ** Math.floor(Math.log10(raw)), f = raw / ten;
  const step = ten * (f < 1.5 ? 1 : f < 3.5 ? 2 : f < 7.5 ? 5 : 10), found = [];
  for (let x = Math.ceil(low / step) * step; x <= high + step * 1e-9; x += step) found.push(Math.abs(x) < step / 2 ? 0 : x);
  return found;
}

function drawErrors(canvas, series, t, log) {
  // Least to greatest as a band, the mean as a line; the vertical axis linear, or decades.
  const [c, w, h] = sheet(canvas), em = 0.8 * parseFloat(getComputedStyle(document.documentElement).fontSize);
  const left = 4.8 * em, right = w - 8, top = 8, bottom = h - 1.7 * em;
  let low = Infinity, high = -Infinity;
  const value = log ? (x) => Math.log10(Math.max(x, 1e-17)) : (x) => x;
  for (const { history } of series) for (const b of history.bins) {
    low = Math.min(low, value(log ? b.sum / b.n : b.least));
    high = Math.max(high, value(b.greatest));
  }
  if (!(high >= low)) { low = log ? -16 : -1; high = log ? 0 : 1; }
  if (log) { low = Math.floor(low - 0.1); high = Math.ceil(high + 0.1); }
  else { const pad = 0.06 * (high - low) || Math.abs(high) || 1e-16; low = Math.min(low - pad, 0); high = Math.max(high + pad, 0); }
  const x = (s) => left + (right - left) * (t > 0 ? s / t : 0), y = (v) => bottom - (bottom - top) * (v - low) / (high - low);
  c.font = `${em}px 'Segoe UI', Helvetica, Arial, sans-serif`;
  c.fillStyle = ink("--quiet");
  c.strokeStyle = ink("--rule");
  c.lineWidth = 0.7;
  c.textAlign = "right";
  c.textBaseline = "middle";
  for (const v of log ? ticks(low, high, 4).filter(Number.isInteger) : ticks(low, high, 4)) {
    c.beginPath(); c.moveTo(left, y(v)); c.lineTo(right, y(v)); c.stroke();
    c.fillText(log ? shown(10 ** v).replace("1.0·", "") : shown(v, 9.9e-5), left - 6, y(v));
  }
  c.textAlign = "center";
  c.textBaseline = "top";
  for (const s of ticks(0, t || 1, w < 30 * em ? 3 : 6)) if (x(s) <= right - 5 * em || s === 0) c.fillText(s >= 1e5 ? shown(s) : String(s), x(s), bottom + em / 2);
  c.textAlign = "right";
  c.fillText("time", right, bottom + em / 2);
  for (const { history, colour, h: step } of series) {
    const centre = (i) => x((i + 0.5) * history.size * step), bins = history.bins;
    if (bins.length < 2) continue;
    c.fillStyle = c.strokeStyle = colour;
    c.globalAlpha = 0.25;
    c.beginPath();
    bins.forEach((b, i) => (i ? c.lineTo(centre(i), y(value(b.greatest))) : c.moveTo(centre(i), y(value(b.greatest)))));
    for (let i = bins.length - 1; i >= 0; i--) c.lineTo(centre(i), y(value(bins[i].least)) > bottom ? bottom : y(value(bins[i].least)));
    c.fill();
    c.globalAlpha = 1;
    c.lineWidth = 1.6;
    c.beginPath();
    bins.forEach((b, i) => (i ? c.lineTo(centre(i), y(value(b.sum / b.n))) : c.moveTo(centre(i), y(value(b.sum / b.n)))));
    c.stroke();
  }
}
