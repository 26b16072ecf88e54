// A run of one method, what it does to the energy, and the verdict. No drawing here; Node runs it too.

const BINS = 512; // of the history: when they are full, neighbours are taken together
const BLOCKS = 32; // of the fit
const FEWEST_TURNS = 100; // before anything is said
const LARGE = 0.25; // of the energy: an error above this is no drift but an instability
const SIGMAS = 5;
const TRAIL = 400; // steps that are drawn, at least
const ROUND_OFF = 1e-11;

class History {
  // Least, greatest and mean of a quantity in bins of equal length, however long the run.
  constructor() { this.bins = []; this.size = 1; this.open = null; this.count = 0; }
  add(value) {
    const o = this.open ??= { least: value, greatest: value, sum: 0, n: 0 };
    if (value < o.least) o.least = value;
    if (value > o.greatest) o.greatest = value;
    o.sum += value;
    o.n += 1;
    this.count += 1;
    if (o.n === this.size) { this.bins.push(o); this.open = null; }
    if (this.bins.length === BINS) {
      const twice = [];
      for (let i = 0; i < BINS; i += 2) {
        const a = this.bins[i], b = this.bins[i + 1];
        twice.push({ least: Math.min(a.least, b.least), greatest: Math.max(a.greatest, b.greatest), sum: a.sum + b.sum, n: a.n + b.n });
      }
      this.bins = twice;
      this.size *= 2;
    }
  }
}

class Run {
  constructor(data, methodName, fieldName, bodyName, h) {
    const method = data.methods[methodName], J = data.bodies[bodyName].J;
    const placed = data.fields[fieldName].placed[bodyName], c = method.coefficients;
    this.name = methodName;
    this.h = h;
    this.kept = data.fields[fieldName].momentum;
    this.step = POLHODE.methods[methodName].step;
    this.watched = POLHODE.fields[fieldName].watched;
    this.body = [J, J.map((x) => 1 / x), Array.isArray(c) ? c : c[bodyName], [POLHODE.fields[fieldName].torque, placed.par]];
    this.state = POLHODE.methods[methodName].start(h, 0, placed.q, placed.Pi, this.body);
    this.first = this.watched(0, placed.q, placed.Pi, this.body);
    this.steps = 0;
    this.angle = 0;
    this.scale = Math.abs(this.first[0]) + this.kinetic();
    this.size = Math.hypot(...placed.Pi);
    this.failure = null;
    this.energy = new History();
    this.momentum = new History();
    this.trail = []; // momentum in body axes
    this.tips = []; // the third body axis in space
    this.look();
  }
  get t() { return this.steps * this.h; }
  get turns() { return this.angle / (2 * Math.PI); }
  kinetic() { const Pi = this.state[1], iJ = this.body[1]; return (Pi[0] * Pi[0] * iJ[0] + Pi[1] * Pi[1] * iJ[1] + Pi[2] * Pi[2] * iJ[2]) / 2; }
  attitude() { return POLHODE.helpers.matrix(this.state[0]); }
  advance(n) {
    // As the loop of the library: t0 + i h, and the first step that fails is the last.
    for (let i = 0; i < n && !this.failure; i++) {
      const [after, report] = this.step(this.h, 0 + this.steps * this.h, this.state, this.body);
      const q = after[0], Pi = after[1], tau = after[2];
      const total = q[0] + Pi[0] + Pi[1] + Pi[2] + tau[0] + tau[1] + tau[2];
      if (!(report[1] === 0 && total - total === 0)) {
        this.failure = report[1] > 0 ? "its equations were not solved" : "a number is not finite";
        break;
      }
      this.state = after;
      this.steps += 1;
      this.note();
      this.look();
    }
  }
  note() {
    const [q, Pi] = this.state, iJ = this.body[1];
    const now = this.watched(this.t, q, Pi, this.body), f = this.first;
    this.angle += Math.abs(this.h) * Math.hypot(Pi[0] * iJ[0], Pi[1] * iJ[1], Pi[2] * iJ[2]);
    this.energy.add(now[0] - f[0]);
    if (this.kept !== "none") {
      const flat = this.kept === "all" ? [now[1] - f[1], now[2] - f[2]] : [0, 0];
      this.momentum.add(Math.hypot(flat[0], flat[1], now[3] - f[3]));
    }
  }
  look() {
    // What is drawn, kept for a while.
    const Q = this.attitude();
    this.trail.push(this.state[1]);
    this.tips.push([Q[2], Q[5], Q[8]]);
    if (this.trail.length >= 2 * TRAIL) { this.trail = this.trail.slice(-TRAIL); this.tips = this.tips.slice(-TRAIL); }
  }
}

function fitted(means, length) {
  // A line through block means: slope, its standard error (wider where residuals follow each other), and the line's ends.
  const n = means.length, middle = (n - 1) / 2;
  let mean = 0, xy = 0, xx = 0;
  for (let i = 0; i < n; i++) mean += means[i] / n;
  for (let i = 0; i < n; i++) { xy += (i - middle) * (means[i] - mean); xx += (i - middle) ** 2; }
  const slope = xy / xx, rest = means.map((y, i) => y - mean - slope * (i - middle));
  let square = 0, next = 0;
  for (let i = 0; i < n; i++) { square += rest[i] * rest[i]; if (i) next += rest[i] * rest[i - 1]; }
  const r = square > 0 ? Math.min(0.9, Math.max(0, next / square)) : 0;
  const error = Math.sqrt(square / (n - 2) / xx) * Math.sqrt((1 + r) / (1 - r));
  return { slope: slope / length, error: error / length };
}

function drift(history, h) {
  // Slope of the energy error by blocks, of the whole and of both halves; null while there is too little.
  const each = Math.floor(history.bins.length / BLOCKS);
  if (each < 1) return null;
  const means = [];
  for (let i = 0; i < BLOCKS; i++) {
    let sum = 0, n = 0;
    for (const bin of history.bins.slice(i * each, (i + 1) * each)) { sum += bin.sum; n += bin.n; }
    means.push(sum / n);
  }
  const length = each * history.size * h;
  const range = Math.max(...history.bins.map((b) => b.greatest)) - Math.min(...history.bins.map((b) => b.least));
  return { ...fitted(means, length), span: BLOCKS * length, range,
    halves: [fitted(means.slice(0, BLOCKS / 2), length), fitted(means.slice(BLOCKS / 2), length)] };
}

function verdict(run) {
  // {sign, words, detail}: "+" and "-" drift, "0" none seen, "!" stopped, "?" too early or undecided.
  const said = (sign, words, detail = "") => ({ sign, words, detail });
  if (run.failure) return said("!", `stopped at t = ${shown(run.t)}`, `${run.failure}. Reduce the step.`);
  const d = run.turns < FEWEST_TURNS ? null : drift(run.energy, run.h);
  if (!d) return said("?", "watching", `${Math.min(Math.floor(run.turns), FEWEST_TURNS)} of ${FEWEST_TURNS} turns`);
  if (d.range > LARGE * run.scale) return said("!", "unstable", `the energy has changed by ${shown(d.range)}`);
  if (d.range < ROUND_OFF * run.scale) return said("0", "keeps the energy to round-off", `within ${shown(d.range)}`);
  const [early, late] = d.halves, sign = Math.sign(d.slope);
  const steady = sign * early.slope > 2 * early.error && sign * late.slope > 2 * late.error
    && Math.abs(early.slope - late.slope) < Math.abs(d.slope);
  const rate = `${shown(d.slope)} ± ${shown(d.error)} per unit of time`;
  if (Math.abs(d.slope) > SIGMAS * d.error && steady && Math.abs(d.slope) * d.span > d.range / 4)
    return said(sign > 0 ? "+" : "-", sign > 0 ? "gains energy" : "loses energy", rate);
  if (Math.abs(d.slope) < 3 * d.error)
    return said("0", "no drift seen", `below ${shown(Math.abs(d.slope) + 2 * d.error)} per unit of time`);
  return said("?", "undecided", rate);
}

function shown(x, least = 0.00999) {
  // A number in a sentence: two digits and a power of ten, or plainly where it is neither small nor large.
  if (x === 0) return "0";
  const sign = x < 0 ? "\u2212" : "", a = Math.abs(x);
  if (a >= least && a < 1e6) return sign + String(Number(a.toPrecision(a >= 1000 ? 6 : a >= 100 ? 4 : 3)));
  let [m, e] = a.toExponential(1).split("e");
  const up = String(Number(e)).replace("-", "\u207b").replace(/\d/g, (d) => "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[d]);
  return `${sign}${m}·10${up}`;
}
