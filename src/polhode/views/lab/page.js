// The page: what is chosen, the two runs, keys, touch, and the link that holds it all.

const $ = (id) => document.getElementById(id);
const CHOSEN = { field: "stress", body: "plate", a: "ELN", b: "VLV", h: 0.25, speed: 5, theme: "" };
const LARGEST = 1e7; // steps: after these a run rests
const FRAME = 12; // milliseconds of a frame for the steps of both methods
const SLOWEST = 50; // steps a second: every turn can be seen; a run begins so, and gathers speed
const GATHERED = 0.8; // more of them for each step that was taken

const lab = {
  chosen: { ...CHOSEN }, runs: {}, apart: null,
  paused: matchMedia("(prefers-reduced-motion: reduce)").matches,
  due: 0, // steps that the clock asks for
  last: 0, // time of the last frame, milliseconds
  changed: true, // something is to be drawn that is not yet
};

function fill(select, entries) {
  // Options, in groups where there are any: [value, label, group].
  const groups = new Map();
  for (const [value, label, group] of entries) {
    if (group && !groups.has(group)) { const g = document.createElement("optgroup"); g.label = group; groups.set(group, g); select.append(g); }
    const option = new Option(label, value);
    (group ? groups.get(group) : select).append(option);
  }
}

function begin() {
  // Both runs from the start.
  const { field, body, h } = lab.chosen;
  for (const side of ["a", "b"]) {
    if (DATA.methods[lab.chosen[side]].free_only && field !== "free") lab.chosen[side] = CHOSEN[side];
    lab.runs[side] = new Run(DATA, lab.chosen[side], field, body, h);
  }
  lab.apart = new History();
  lab.due = 0;
  show();
}

const rate = () => SLOWEST * 2 ** lab.chosen.speed;

function show() {
  // The controls say what is chosen, and so does the address.
  lab.changed = true;
  const { chosen } = lab, f = DATA.fields[chosen.field];
  for (const key of ["field", "body", "a", "b"]) $(key).value = chosen[key];
  $("h").value = Math.log2(chosen.h);
  $("h-shown").value = `h = ${Number(chosen.h.toPrecision(3))}`;
  $("speed").value = chosen.speed;
  $("speed-shown").value = `${shown(rate())} steps a second`;
  $("words").textContent = f.words;
  $("energy-title").textContent = `Error of the ${f.energy}`;
  $("momentum-title").textContent = { all: "Error of the spatial momentum", vertical: "Error of the vertical momentum", none: "How far apart the two bodies are (no momentum is conserved here)" }[f.momentum];
  $("momentum-key").hidden = f.momentum === "none";
  for (const side of ["a", "b"]) {
    $(`name-${side}`).textContent = chosen[side];
    for (const key of document.querySelectorAll(`.key .${side}`)) key.textContent = chosen[side];
    $(`title-${side}`).textContent = DATA.methods[chosen[side]].title;
    for (const option of $(side).options) option.disabled = DATA.methods[option.value].free_only && chosen.field !== "free";
  }
  document.documentElement.dataset.theme = chosen.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  inks = {};
  $("theme").textContent = document.documentElement.dataset.theme === "dark" ? "Light" : "Dark";
  $("pause").setAttribute("aria-pressed", lab.paused);
  $("pause").textContent = lab.paused ? "Go on" : "Pause";
  const kept = Object.entries(chosen).filter(([key, value]) => value !== "" || key !== "theme");
  try { history.replaceState(null, "", "#" + new URLSearchParams(kept)); } catch { /* a page inside another may not */ }
}

function read() {
  // What the address asks for, as far as there is such a thing.
  const given = new URLSearchParams(location.hash.slice(1)), found = { ...CHOSEN };
  const among = (key, table) => { if (given.get(key) in table) found[key] = given.get(key); };
  among("field", DATA.fields);
  found.h = DATA.fields[found.field].h;
  found.body = DATA.fields[found.field].body;
  among("body", DATA.bodies);
  among("a", DATA.methods);
  among("b", DATA.methods);
  const h = Number(given.get("h")), speed = Number(given.get("speed"));
  if (h >= 2 ** -8 && h <= 2) found.h = h;
  if (given.has("speed") && Number.isInteger(speed) && speed >= 0 && speed <= 11) found.speed = speed;
  if (["light", "dark"].includes(given.get("theme"))) found.theme = given.get("theme");
  lab.chosen = found;
}

function change(key, value) {
  lab.chosen[key] = value;
  if (key === "field") Object.assign(lab.chosen, { body: DATA.fields[value].body, h: DATA.fields[value].h });
  if (key === "speed" || key === "theme") show(); else begin();
}

function advance(milliseconds) {
  // Steps of both, in turn, as many as the time asks for and the frame has room for; both are then at the same t.
  const { a, b } = lab.runs, until = performance.now() + FRAME;
  lab.due += Math.min(rate(), SLOWEST + GATHERED * a.steps) * Math.min(milliseconds, 100) / 1000;
  for (let done = 0; lab.due >= 1; done++, lab.due--) {
    if (!(done % 16 || performance.now() < until)) { lab.due = 0; break; }
    if (rests()) break;
    a.advance(1);
    b.advance(1);
    if (a.steps === b.steps) lab.apart.add(distance(a.attitude(), b.attitude()));
    lab.changed = true;
  }
}

const rests = () => lab.runs.a.steps >= LARGEST || (lab.runs.a.failure && lab.runs.b.failure);

function distance(P, Q) {
  let trace = 0;
  for (let i = 0; i < 9; i++) trace += P[i] * Q[i];
  return Math.sqrt(Math.max(0, 2 * (3 - trace)));
}

function draw() {
  const { runs, chosen } = lab, kept = DATA.fields[chosen.field].momentum, t = Math.max(runs.a.t, runs.b.t);
  for (const side of ["a", "b"]) {
    drawBody($(`space-${side}`), runs[side], ink(`--${side}`), kept);
    drawMomentum($(`momentum-${side}`), runs[side], ink(`--${side}`));
    const said = verdict(runs[side]), place = $(`verdict-${side}`);
    place.dataset.sign = said.sign;
    place.children[0].textContent = said.words;
    place.children[1].textContent = said.detail;
  }
  const both = (key) => ["a", "b"].map((side) => ({ history: runs[side][key], colour: ink(`--${side}`), h: chosen.h }));
  drawErrors($("energy"), both("energy"), t, false);
  if (kept === "none") drawErrors($("momentum"), [{ history: lab.apart, colour: ink("--quiet"), h: chosen.h }], t, true);
  else drawErrors($("momentum"), both("momentum"), t, true);
  $("clock").textContent = `t = ${shown(t)} · ${shown(Math.max(runs.a.steps, runs.b.steps))} steps · ${Math.floor(runs.a.turns)} turns${rests() ? " · at rest" : ""}`;
}

function frame(now) {
  if (!lab.paused) advance(now - lab.last);
  lab.last = now;
  if (lab.changed) { lab.changed = false; draw(); }
  requestAnimationFrame(frame);
}

function share() {
  show();
  const button = $("share"), done = (text) => { button.textContent = text; setTimeout(() => (button.textContent = "Share"), 1800); };
  const copied = navigator.clipboard?.writeText(location.href) ?? Promise.reject(new Error("no clipboard"));
  copied.then(() => done("Link copied"), () => done("Link is in the address bar"));
}

const pause = () => { lab.paused = !lab.paused; show(); };
const dark = () => change("theme", document.documentElement.dataset.theme === "dark" ? "light" : "dark");
const faster = (by) => change("speed", Math.min(11, Math.max(0, lab.chosen.speed + by)));
const longer = (by) => change("h", Math.min(2, Math.max(2 ** -8, lab.chosen.h * 2 ** by)));
const exchange = () => { [lab.chosen.a, lab.chosen.b] = [lab.chosen.b, lab.chosen.a]; begin(); };
const turn = (x, y) => { lab.changed = true; view.yaw += x; view.pitch = Math.min(1.5, Math.max(-1.5, view.pitch + y)); };

const KEYS = {
  " ": pause, r: begin, s: share, d: dark, x: exchange, "+": () => faster(1), "=": () => faster(1), "-": () => faster(-1),
  "]": () => longer(0.5), "[": () => longer(-0.5),
  ArrowLeft: () => turn(-0.12, 0), ArrowRight: () => turn(0.12, 0), ArrowUp: () => turn(0, 0.12), ArrowDown: () => turn(0, -0.12),
};
Object.keys(DATA.fields).forEach((name, i) => { KEYS[String(i + 1)] = () => change("field", name); });

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /SELECT|INPUT/.test(event.target.tagName)) return;
  if (event.target.tagName === "BUTTON" && (event.key === " " || event.key === "Enter")) return;
  const act = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (act) { event.preventDefault(); act(); }
});
for (const canvas of document.querySelectorAll(".views canvas")) {
  let held = null; // where the pointer was; what it moved by is not told by every browser
  canvas.addEventListener("pointerdown", (event) => { held = [event.clientX, event.clientY]; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointermove", (event) => {
    if (!canvas.hasPointerCapture(event.pointerId)) return;
    turn((event.clientX - held[0]) * 0.01, (event.clientY - held[1]) * 0.01);
    held = [event.clientX, event.clientY];
  });
}
fill($("field"), Object.entries(DATA.fields).map(([key, f]) => [key, f.title]));
fill($("body"), Object.entries(DATA.bodies).map(([key, b]) => [key, `${b.title} (${b.J.join(", ")})`]));
for (const side of ["a", "b"]) {
  fill($(side), Object.entries(DATA.methods).map(([key, m]) => [key, `${key}: ${m.title}`, m.family]));
  $(side).addEventListener("change", (event) => change(side, event.target.value));
}
for (const key of ["field", "body"]) $(key).addEventListener("change", (event) => change(key, event.target.value));
$("h").addEventListener("input", (event) => change("h", 2 ** event.target.valueAsNumber));
$("speed").addEventListener("input", (event) => change("speed", event.target.valueAsNumber));
$("pause").addEventListener("click", pause);
$("reset").addEventListener("click", begin);
$("share").addEventListener("click", share);
$("theme").addEventListener("click", dark);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
window.addEventListener("resize", () => { lab.changed = true; });
window.addEventListener("hashchange", () => { read(); begin(); });
read();
begin();
requestAnimationFrame(frame);
