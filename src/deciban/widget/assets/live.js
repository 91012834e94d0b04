// Live pictures: the belief bars of a Bayes net, which answer to a click, and the weights of evidence of a row, which
// answer to its values.
//
// One module in anywidget's form: a host calls render({ model, el }), where model has get, set, save_changes, on and off.
// The host is a notebook, the Studio, or a page without Python, where `localModel` answers with the tables of the net.
//
//   scene     from the host: what is drawn, and where (deciban/widget/scene.py); of a row, its columns and classes
//   findings  to the host: what is observed, weighed and set, by the indices of nodes and states; or the values of the
//             row, by the indices of labels; and a turn
//   answer    from the host: the probabilities for the findings of a turn
//   centre    to the host: the node around which a part of a large net is drawn; the host answers with another scene
//   asked, told   to and from the host: the edge whose reason is wanted, and the reason
//
// Text from data is only ever set as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";
const ROW = 17, TITLE = 24, PAD = 9, NUMBER = 40, BAR = 64, CURVE = 46;

// Elements ------------------------------------------------------------------------------------------------------------

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) { made.setAttribute(name, value === true ? "" : value); }
  }
  made.append(...children);
  return made;
}
const html = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

const button = (text, label, pressed, ...classes) => {
  const made = html("button", { type: "button", "aria-label": label, title: label, class: classes.join(" ") }, text);
  made.addEventListener("click", pressed);
  return made;
};

const cut = (text, longest) => (Array.from(text).length <= longest ? text : `${Array.from(text).slice(0, longest - 1).join("")}…`);
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

/** A probability in three digits; what is nearly impossible or certain is not shown as 0 or 1. */
function share(p) {
  if (p > 0 && p < 0.0005) { return "<0.001"; }
  return p < 1 && p > 0.9995 ? ">0.999" : p.toFixed(3);
}
const number = (x) => String(Number(x.toPrecision(4)));

// Probabilities without Python ----------------------------------------------------------------------------------------

/**
 * Exact inference on a tree of buckets (Dechter, 1999): the tables of a small net, and where messages go.
 *
 * Each node has a bucket whose scope begins with it. Messages go up in the order of elimination and back down, so that
 * every bucket ends with P(scope, evidence) up to a factor. deciban computes the same in its core.
 */
export class Propagation {
  constructor({ cards, order, buckets, factors }) {
    Object.assign(this, { cards, order, buckets, factors });
    this.maps = new Map();
    this.position = new Map(order.map((node, i) => [node, i]));
  }

  /** For each entry of a table over `scope`, the entry of a table over a part of it. */
  map(scope, part) {
    const key = `${scope}|${part}`;
    if (!this.maps.has(key)) {
      const steps = scope.map((node) => {
        const at = part.indexOf(node);
        return at < 0 ? 0 : part.slice(at + 1).reduce((size, other) => size * this.cards[other], 1);
      });
      const map = new Int32Array(this.size(scope));
      const code = scope.map(() => 0);
      for (let i = 0, at = 0; i < map.length; i += 1) {
        map[i] = at;
        for (let axis = scope.length - 1; axis >= 0; axis -= 1) {
          code[axis] += 1; at += steps[axis];
          if (code[axis] < this.cards[scope[axis]]) { break; }
          at -= steps[axis] * code[axis]; code[axis] = 0;
        }
      }
      this.maps.set(key, map);
    }
    return this.maps.get(key);
  }

  size(scope) { return scope.reduce((size, node) => size * this.cards[node], 1); }

  multiply(table, scope, by, part) {
    const map = this.map(scope, part);
    for (let i = 0; i < table.length; i += 1) { table[i] *= by[map[i]]; }
  }

  summed(table, scope, part) {
    const out = new Float64Array(this.size(part)), map = this.map(scope, part);
    for (let i = 0; i < table.length; i += 1) { out[map[i]] += table[i]; }
    return out;
  }

  /** P(node | findings) of every node and log P(findings); null where they are impossible. */
  beliefs({ observed = {}, likelihoods = {}, interventions = {} }) {
    const tables = this.buckets.map(({ scope }) => new Float64Array(this.size(scope)).fill(1));
    const into = (by, part) => {
      const home = Math.min(...part.map((node) => this.position.get(node)));
      this.multiply(tables[home], this.buckets[home].scope, by, part);
    };
    const only = (node, state) => Float64Array.from({ length: this.cards[node] }, (_, i) => Number(i === state));
    this.factors.forEach(({ scope, table }, node) => {
      if (node in interventions) { into(only(node, interventions[node]), [node]); } else { into(table, scope); }
    });
    for (const [node, state] of Object.entries(observed)) { into(only(Number(node), state), [Number(node)]); }
    for (const [node, weights] of Object.entries(likelihoods)) { into(weights, [Number(node)]); }

    const messages = [];
    let log = 0;
    for (let i = 0; i < tables.length; i += 1) {
      const { scope, parent } = this.buckets[i];
      const part = scope.slice(1), message = this.summed(tables[i], scope, part);
      const total = message.reduce((a, b) => a + b, 0);
      if (!(total > 0)) { return null; }
      log += Math.log(total);
      for (let k = 0; k < message.length; k += 1) { message[k] /= total; }
      messages.push(message);
      if (parent >= 0) { this.multiply(tables[parent], this.buckets[parent].scope, message, part); }
    }
    const out = this.cards.map(() => []);
    for (let i = tables.length - 1; i >= 0; i -= 1) {
      const { scope, parent } = this.buckets[i];
      const part = scope.slice(1);
      if (parent >= 0) {
        const back = this.summed(tables[parent], this.buckets[parent].scope, part);
        for (let k = 0; k < back.length; k += 1) { back[k] = messages[i][k] > 0 ? back[k] / messages[i][k] : 0; }
        this.multiply(tables[i], scope, back, part);
      }
      const of = this.summed(tables[i], scope, [scope[0]]);
      const total = of.reduce((a, b) => a + b, 0);
      if (!(total > 0)) { return null; }
      for (let k = 0; k < tables[i].length; k += 1) { tables[i][k] /= total; }
      out[scope[0]] = Array.from(of, (p) => p / total);
    }
    return { beliefs: out, log };
  }
}

/** What a host is to the view, in a page without Python: it answers with the tables in `document.net`. */
export function localModel({ scene, net, reasons = [] }) {
  const engine = new Propagation(net);
  const prior = engine.beliefs({}).beliefs.map((p) => ({ p }));
  const values = { scene, findings: {}, asked: null, told: null, answer: { turn: 0, prior, now: prior, log: 0 } };
  const heard = new Map();
  const tell = (name) => (heard.get(`change:${name}`) ?? []).forEach((listener) => listener());
  const put = (name, value) => { values[name] = value; tell(name); };
  return {
    get: (name) => values[name],
    set: (name, value) => { values[name] = value; },
    on: (event, listener) => { heard.set(event, [...(heard.get(event) ?? []), listener]); },
    off: (event, listener) => { heard.set(event, (heard.get(event) ?? []).filter((one) => one !== listener)); },
    save_changes() {
      const { findings, asked } = values;
      if (findings.turn > values.answer.turn) {
        const found = engine.beliefs(findings);
        const answered = found
          ? { now: found.beliefs.map((p) => ({ p })), log: found.log }
          : { error: "This is impossible in the net: together the findings have probability 0." };
        put("answer", { turn: findings.turn, prior, ...answered });
      }
      if (asked !== null && asked !== values.told?.edge) { put("told", { edge: asked, text: reasons[asked] ?? "" }); }
    },
  };
}

// Look ----------------------------------------------------------------------------------------------------------------

const STYLE = `
.deciban-live { --paper: #fff; --raised: #f6f7f9; --ink: #1c2530; --soft: #55606e; --rule: #d9dee5; --accent: #1f6fae;
  --now: #2b7bba; --mark: #b36b00; --mark-paper: #fff3d6; --set: #7a3fb5; --set-paper: #f3eafc; --weigh: #00755a;
  --fault: #a8323a; --fault-paper: #fdeeee; --contra: #c44e52;
  container-type: inline-size; color-scheme: light; background: var(--paper); color: var(--ink);
  font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  border: 1px solid var(--rule); border-radius: 8px; overflow: hidden; display: flex; flex-direction: column; }
.deciban-live[data-theme="dark"] { --paper: #12161c; --raised: #1a2028; --ink: #e6eaf0; --soft: #a7b1be; --rule: #343d49;
  --accent: #7ebcec; --now: #4f9fdc; --mark: #eba53f; --mark-paper: #352a14; --set: #c79bf2; --set-paper: #2c2138;
  --weigh: #3fbf92; --fault: #f09a9c; --fault-paper: #33191b; --contra: #e0777a; color-scheme: dark; }
.deciban-live * { box-sizing: border-box; }
.deciban-live .bar { display: flex; flex-wrap: wrap; gap: 6px 10px; align-items: center; padding: 8px 10px;
  border-bottom: 1px solid var(--rule); background: var(--raised); }
.deciban-live button, .deciban-live input { font: inherit; color: var(--ink); background: var(--paper); height: 30px;
  border: 1px solid var(--rule); border-radius: 6px; padding: 0 9px; margin: 0; }
.deciban-live button { cursor: pointer; }
.deciban-live button:hover { border-color: var(--soft); }
.deciban-live button:disabled { color: var(--soft); cursor: default; border-color: var(--rule); }
.deciban-live input { width: 8.5rem; border-color: var(--soft); }
.deciban-live .group { display: inline-flex; }
.deciban-live .group button { border-radius: 0; margin-left: -1px; }
.deciban-live .group button:first-child { border-radius: 6px 0 0 6px; margin-left: 0; }
.deciban-live .group button:last-child { border-radius: 0 6px 6px 0; }
.deciban-live .group [aria-checked="true"], .deciban-live [aria-pressed="true"] { background: var(--accent);
  border-color: var(--accent); color: var(--paper); }
.deciban-live .room { flex: 1; }
.deciban-live .evidence { font-variant-numeric: tabular-nums; color: var(--soft); white-space: nowrap; }
.deciban-live :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
.deciban-live .stage { position: relative; min-height: 160px; background: var(--paper); overflow: hidden; }
.deciban-live .stage > svg { display: block; width: 100%; height: 100%; touch-action: none; user-select: none;
  -webkit-user-select: none; cursor: grab; font: inherit; }
.deciban-live .stage > svg.moving { cursor: grabbing; }
.deciban-live .fault { margin: 0; padding: 7px 12px; background: var(--fault-paper); color: var(--fault); border-bottom: 1px solid var(--rule); }
.deciban-live .fault:empty, .deciban-live .note:empty { display: none; }
.deciban-live .note { margin: 0; padding: 5px 12px; color: var(--soft); font-size: 13px; border-bottom: 1px solid var(--rule); }
.deciban-live .detail { border-top: 1px solid var(--rule); background: var(--raised); padding: 9px 12px; min-height: 42px; max-height: 15rem; overflow: auto; }
.deciban-live .detail p { margin: 0; overflow-wrap: anywhere; }
.deciban-live .detail h3 { margin: 0 0 4px; font-size: 14px; font-weight: 620; overflow-wrap: anywhere; }
.deciban-live .hint { color: var(--soft); font-size: 13px; }
.deciban-live table { color: inherit; border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 13px; margin: 0; }
.deciban-live th, .deciban-live td { text-align: right; padding: 1px 0 1px 18px; border: 0; background: none; color: inherit; }
.deciban-live th:first-child, .deciban-live td:first-child { text-align: left; padding-left: 0; font-weight: 400; overflow-wrap: anywhere; }
.deciban-live thead th { color: var(--soft); font-weight: 400; }
.deciban-live .field { display: flex; gap: 8px; align-items: center; margin: 4px 0; }
.deciban-live .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.deciban-live .edge .line { fill: none; stroke: var(--soft); stroke-width: 1.3; }
.deciban-live .tip { fill: var(--soft); }
.deciban-live .edge .reach { fill: none; stroke: transparent; stroke-width: 13; cursor: pointer; pointer-events: stroke; }
.deciban-live .edge:hover .line, .deciban-live .edge.chosen .line { stroke: var(--accent); stroke-width: 2.2; }
.deciban-live .edge.cut .line { stroke-dasharray: 2 5; opacity: .55; }
.deciban-live.listed .edge { display: none; }
.deciban-live.listed .stage > svg { touch-action: pan-y; cursor: default; }
.deciban-live .node { outline: none; }
.deciban-live .node > .box { fill: var(--raised); stroke: var(--soft); stroke-width: 1; }
.deciban-live .node text { fill: var(--ink); font-size: 12px; }
.deciban-live .node .title { font-weight: 600; font-size: 13px; }
.deciban-live .node .value { font-variant-numeric: tabular-nums; font-size: 11.5px; fill: var(--soft); }
.deciban-live .node .tag { font-size: 10.5px; font-weight: 600; }
.deciban-live .node:focus-visible > .box, .deciban-live .node.chosen > .box { stroke: var(--accent); stroke-width: 2.2; }
.deciban-live .node.found > .box { stroke: var(--accent); stroke-width: 3.4; }
.deciban-live .row { cursor: pointer; }
.deciban-live .row .reach { fill: transparent; }
.deciban-live .row:hover .reach, .deciban-live .row.active .reach { fill: var(--rule); opacity: .55; }
.deciban-live .row .track { fill: var(--rule); opacity: .5; }
.deciban-live .row .now { fill: var(--now); transform-box: fill-box; transform-origin: left; transition: transform .14s ease-out; }
.deciban-live .row .before { fill: none; stroke: var(--soft); stroke-width: 1; }
.deciban-live .row .weight { stroke: var(--weigh); stroke-width: 3; stroke-linecap: round; }
.deciban-live .curve { cursor: crosshair; }
.deciban-live .curve .reach { fill: transparent; }
.deciban-live .curve .now { fill: var(--now); opacity: .85; }
.deciban-live .curve .before { fill: none; stroke: var(--soft); stroke-width: 1.2; }
.deciban-live .curve .at { stroke: var(--mark); stroke-width: 2; }
.deciban-live .observed > .box { fill: var(--mark-paper); stroke: var(--mark); }
.deciban-live .observed .now { fill: var(--mark); }
.deciban-live .observed .tag { fill: var(--mark); }
.deciban-live .set > .box { fill: var(--set-paper); stroke: var(--set); stroke-dasharray: 6 3; }
.deciban-live .set .now { fill: var(--set); }
.deciban-live .set .tag { fill: var(--set); }
.deciban-live .weighed > .box { stroke: var(--weigh); }
.deciban-live .weighed .tag { fill: var(--weigh); }
.deciban-live.stale .stage { opacity: .55; }
.deciban-live .columns { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1.3fr); }
.deciban-live .fields { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: 8px 12px; padding: 12px;
  align-content: start; max-height: 34rem; overflow: auto; border-right: 1px solid var(--rule); }
.deciban-live .fields label { display: block; color: var(--soft); font-size: 13px; overflow-wrap: anywhere; }
.deciban-live .fields :is(input, select, textarea) { width: 100%; font: inherit; color: var(--ink); background: var(--paper); margin: 0;
  border: 1px solid var(--soft); border-radius: 6px; padding: 0 8px; min-height: 30px; }
.deciban-live .fields select { max-width: none; }
.deciban-live .fields input[type="range"] { border: 0; padding: 0; min-height: 20px; height: 20px; accent-color: var(--accent); }
.deciban-live .fields .wide { grid-column: 1 / -1; }
.deciban-live select { font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--soft); border-radius: 6px; height: 30px; max-width: 12rem; }
.deciban-live .answers { padding: 12px; max-height: 34rem; overflow: auto; }
.deciban-live .answers h3 { margin: 0 0 2px; font-size: 17px; font-weight: 620; overflow-wrap: anywhere; }
.deciban-live .answers table { width: 100%; margin: 8px 0 14px; }
.deciban-live .answers caption { text-align: left; color: var(--soft); font-size: 13px; }
.deciban-live .answers th { font-weight: 400; max-width: 11rem; }
.deciban-live .answers td.drawn { width: 45%; padding-left: 12px; }
.deciban-live .answers td.drawn svg { display: block; width: 100%; height: 11px; overflow: visible; }
.deciban-live .answers .total > * { border-top: 1px solid var(--soft); font-weight: 600; }
.deciban-live .answers .track { fill: var(--rule); opacity: .5; }
.deciban-live .answers .now, .deciban-live .answers .for { fill: var(--now); }
.deciban-live .answers .against { fill: var(--contra); }
.deciban-live .answers .before { fill: none; stroke: var(--soft); vector-effect: non-scaling-stroke; }
.deciban-live .answers .axis { stroke: var(--soft); vector-effect: non-scaling-stroke; }
@container (max-width: 40rem) { .deciban-live .columns { grid-template-columns: minmax(0, 1fr); }
  .deciban-live .fields { border-right: 0; border-bottom: 1px solid var(--rule); } }
@media (prefers-reduced-motion: reduce) { .deciban-live .row .now { transition: none; } }
@container (max-width: 34rem) { .deciban-live .wide-only { display: none; } .deciban-live input { width: 7rem; } }
@media print { .deciban-live .bar { display: none; } .deciban-live .detail { display: none; } }
`;

/** Light or dark: as the notebook says, else as the reader's system says. Returns what ends the watch. */
function followTheme(root) {
  const system = matchMedia("(prefers-color-scheme: dark)"), paper = matchMedia("print");
  const settle = () => {
    const { body, documentElement: page } = document;
    const said = body.dataset.jpThemeLight ? body.dataset.jpThemeLight === "false"
      : body.dataset.vscodeThemeKind ? body.dataset.vscodeThemeKind.includes("dark")
        : page.dataset.theme ? page.dataset.theme === "dark"
          : [body, page].some((one) => one.classList.contains("dark")) ? true : null;
    root.dataset.theme = !paper.matches && (said ?? system.matches) ? "dark" : "light";
  };
  const watch = new MutationObserver(settle);
  for (const one of [document.body, document.documentElement]) { watch.observe(one, { attributes: true }); }
  for (const query of [system, paper]) { query.addEventListener("change", settle); }
  settle();
  return () => {
    watch.disconnect();
    for (const query of [system, paper]) { query.removeEventListener("change", settle); }
  };
}

// Pan and zoom --------------------------------------------------------------------------------------------------------

/** A drawing that is moved by a drag or two fingers, and enlarged by buttons, two fingers, or the wheel with Ctrl. */
class Canvas {
  constructor() {
    this.world = svg("g");
    this.svg = svg("svg", { "aria-label": "Bayes net", role: "group" }, this.world);
    this.stage = html("div", { class: "stage" }, this.svg);
    this.at = { x: 0, y: 0, scale: 1 };
    this.size = { width: 1, height: 1 };
    this.pointers = new Map();
    this.svg.addEventListener("pointerdown", (event) => this.press(event));
    this.svg.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"]) { this.svg.addEventListener(end, (event) => this.release(event)); }
    this.svg.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) { return; }  // a page must still scroll over the drawing
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY / 300), event.clientX, event.clientY);
    }, { passive: false });
  }

  press(event) {
    if (this.isList || event.target.closest("[data-holds]")) { return; }
    this.pointers.set(event.pointerId, event);
    this.svg.setPointerCapture(event.pointerId);
    this.svg.classList.add("moving");
  }

  move(event) {
    const last = this.pointers.get(event.pointerId);
    if (!last) { return; }
    const others = [...this.pointers.values()].filter((one) => one.pointerId !== event.pointerId);
    this.pointers.set(event.pointerId, event);
    if (others.length) {
      const [other] = others;
      const apart = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
      this.zoom(apart(event) / (apart(last) || 1), (event.clientX + other.clientX) / 2, (event.clientY + other.clientY) / 2);
    } else {
      this.place(this.at.x + event.clientX - last.clientX, this.at.y + event.clientY - last.clientY, this.at.scale);
    }
  }

  release(event) {
    this.pointers.delete(event.pointerId);
    if (!this.pointers.size) { this.svg.classList.remove("moving"); }
  }

  place(x, y, scale) {
    this.at = { x, y, scale };
    this.world.setAttribute("transform", `translate(${x.toFixed(2)} ${y.toFixed(2)}) scale(${scale.toFixed(4)})`);
  }

  /** Enlarge around a point of the window, or the middle. */
  zoom(factor, clientX, clientY) {
    if (this.isList) { return; }
    const box = this.svg.getBoundingClientRect();
    const x = clientX === undefined ? box.width / 2 : clientX - box.left;
    const y = clientY === undefined ? box.height / 2 : clientY - box.top;
    const scale = clamp(this.at.scale * factor, 0.08, 4), by = scale / this.at.scale;
    this.place(x - (x - this.at.x) * by, y - (y - this.at.y) * by, scale);
  }

  /** The whole drawing; of one that would be too small to read, the top. */
  fit() {
    const { width, height } = this.size, wide = this.stage.clientWidth || 600;
    if (this.isList) {
      this.stage.style.height = `${Math.ceil(height)}px`;
      this.place(Math.max((wide - width) / 2, 0), 0, 1);
      return;
    }
    const scale = clamp((wide - 16) / width, 0.55, 1);
    this.stage.style.height = `${Math.round(clamp(height * scale + 16, 170, 560))}px`;
    const high = this.stage.clientHeight;
    const whole = Math.min(scale, Math.max((high - 16) / height, 0.55));
    this.place(Math.max((wide - width * whole) / 2, 8), Math.max((high - height * whole) / 2, 8), whole);
  }

  /** Everything, however small. */
  fitWhole() {
    if (this.isList) { return; }
    const { width, height } = this.size, wide = this.stage.clientWidth, high = this.stage.clientHeight;
    const scale = clamp(Math.min((wide - 16) / width, (high - 16) / height), 0.08, 1);
    this.place((wide - width * scale) / 2, (high - height * scale) / 2, scale);
  }

  /** Move a box of the drawing into sight. */
  show({ x, y, width, height }) {
    if (this.isList) { return; }
    const { scale } = this.at, wide = this.stage.clientWidth, high = this.stage.clientHeight;
    const [left, top] = [x * scale + this.at.x, y * scale + this.at.y];
    const within = (start, length, room) => (start >= 0 && start + length <= room ? start : (room - length) / 2);
    this.place(this.at.x + within(left, width * scale, wide) - left, this.at.y + within(top, height * scale, high) - top, scale);
  }
}

// A node --------------------------------------------------------------------------------------------------------------

/** The box of a node: a title, and a bar for each state or the density of a number. */
class NodeBox {
  constructor(view, index, node) {
    Object.assign(this, { view, index, node });
    const { width, height, name } = node;
    const tooltip = svg("title", {}, cut(name, 300));
    this.tag = svg("text", { class: "tag", x: width - PAD, y: 16, "text-anchor": "end" });
    this.title = svg("text", { class: "title", x: PAD, y: 17 }, cut(name, node.letters));
    this.g = svg(
      "g", { class: "node", tabindex: 0, "data-holds": true, "data-node": name,
        role: node.states ? "listbox" : "spinbutton", "aria-label": cut(name, 300) },
      tooltip, svg("rect", { class: "box", width, height, rx: 6 }), this.title, this.tag,
    );
    this.active = -1;
    if (node.states) { this.drawRows(); } else { this.drawCurve(); }
    this.g.addEventListener("keydown", (event) => this.key(event));
    this.g.addEventListener("focus", () => { view.choose(index); });
    this.g.addEventListener("blur", () => { this.activate(-1); });
  }

  drawRows() {
    const { node, view, index } = this, left = node.width - PAD - NUMBER - BAR;
    this.rows = new Map();
    node.shown.forEach((state, line) => {
      const top = TITLE + line * ROW, name = node.states[state];
      const bar = { x: left, y: top + 4, height: 9 };
      const row = {
        now: svg("rect", { ...bar, class: "now", width: BAR }),
        before: svg("rect", { x: left, y: top + 2, height: 13, class: "before", width: 0 }),
        weight: svg("line", { class: "weight", y1: top + 1, y2: top + 16, visibility: "hidden" }),
        value: svg("text", { class: "value", x: node.width - PAD, y: top + 12.5, "text-anchor": "end" }),
        name,
      };
      row.g = svg(
        "g", { class: "row", role: "option", id: `${view.id}-${index}-${state}`, "aria-selected": "false" },
        svg("title", {}, cut(name, 300)),
        svg("rect", { class: "reach", x: 3, y: top, width: node.width - 6, height: ROW, rx: 3 }),
        svg("text", { x: PAD, y: top + 12.5 }, cut(name, node.stateLetters)),
        svg("rect", { ...bar, class: "track", width: BAR }), row.now, row.before, row.weight, row.value,
      );
      this.rows.set(state, row);
      this.g.append(row.g);
      this.hold(row.g, state, left);
    });
    if (node.shown.length < node.states.length) {
      const y = TITLE + node.shown.length * ROW + 12.5;
      this.g.append(svg("text", { class: "value", x: PAD, y }, `… ${node.states.length - node.shown.length} more below`));
    }
  }

  drawCurve() {
    const { node, view, index } = this, wide = node.width - 2 * PAD;
    this.curve = { now: svg("path", { class: "now" }), before: svg("path", { class: "before" }), at: svg("path", { class: "at" }) };
    this.value = svg("text", { class: "value", x: node.width / 2, y: TITLE + CURVE + 15, "text-anchor": "middle" });
    const g = svg(
      "g", { class: "curve", transform: `translate(${PAD} ${TITLE})` },
      svg("rect", { class: "reach", width: wide, height: CURVE }), this.curve.now, this.curve.before, this.curve.at,
    );
    g.addEventListener("click", (event) => {
      const box = g.firstChild.getBoundingClientRect();
      const { low, high } = this.shownRange;
      const value = low + clamp((event.clientX - box.left) / box.width, 0, 1) * (high - low);
      view.find(index, Number(value.toPrecision(3)), event.shiftKey);
    });
    this.g.append(g, this.value);
  }

  /** A click observes or sets a state; a drag along its bar weighs it. */
  hold(g, state, left) {
    const { view, index } = this;
    let start = null, isDrag = false;
    const weigh = (event) => {
      const scale = view.canvas.at.scale, box = this.g.querySelector(".box").getBoundingClientRect();
      view.weigh(index, state, clamp(((event.clientX - box.left) / scale - left) / BAR, 0, 1));
    };
    g.addEventListener("pointerdown", (event) => {
      start = event; isDrag = false;
      g.setPointerCapture(event.pointerId);
    });
    g.addEventListener("pointermove", (event) => {
      if (!start) { return; }
      isDrag ||= Math.abs(event.clientX - start.clientX) > 5;
      if (isDrag) { weigh(event); }
    });
    g.addEventListener("pointercancel", () => { start = null; });
    g.addEventListener("pointerup", (event) => {
      if (!start) { return; }
      start = null;
      if (isDrag) { return; }
      if (view.mode === "weigh") { weigh(event); } else { view.find(index, state, event.shiftKey || view.mode === "set"); }
    });
  }

  /** Where it lies in the graph, or in the list. */
  moveTo(x, y) {
    this.at = { x, y, width: this.node.width, height: this.node.height };
    this.g.setAttribute("transform", `translate(${x} ${y})`);
  }

  activate(line) {
    this.active = line;
    if (!this.rows) { return; }
    this.node.shown.forEach((state, i) => { this.rows.get(state).g.classList.toggle("active", i === line); });
    const id = line < 0 ? null : this.rows.get(this.node.shown[line]).g.id;
    if (id) { this.g.setAttribute("aria-activedescendant", id); } else { this.g.removeAttribute("aria-activedescendant"); }
  }

  key(event) {
    const { view, index, node } = this;
    const last = node.shown ? node.shown.length - 1 : -1;
    const state = node.shown?.[this.active];
    const act = {
      ArrowDown: () => this.activate(this.active >= last ? 0 : this.active + 1),
      ArrowUp: () => this.activate(this.active <= 0 ? last : this.active - 1),
      Home: () => this.activate(0),
      End: () => this.activate(last),
      Enter: () => (node.states ? state !== undefined && view.find(index, state, event.shiftKey) : view.enterValue()),
      i: () => state !== undefined && view.find(index, state, true),
      e: () => view.nextEdge(index),
      "+": () => state !== undefined && view.weigh(index, state, view.weightOf(index, state) + 0.1),
      "-": () => state !== undefined && view.weigh(index, state, view.weightOf(index, state) - 0.1),
      Delete: () => view.clear(index),
      Backspace: () => view.clear(index),
    }[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) { return; }
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  /** Show the probabilities before and now, and what was found. */
  update(before, now, finding) {
    const { node } = this;
    for (const kind of ["observed", "set", "weighed"]) { this.g.classList.toggle(kind, finding.kind === kind); }
    this.tag.textContent = { observed: "observed", set: "set", weighed: "weighed" }[finding.kind] ?? "";
    this.title.textContent = cut(node.name, finding.kind ? Math.max(node.letters - 9, 5) : node.letters);
    if (!node.states) { this.updateCurve(before, now, finding); return; }
    for (const [state, row] of this.rows) {
      const p = now.p[state], q = before.p[state];
      row.now.style.transform = `scaleX(${clamp(p, 0, 1)})`;
      row.before.setAttribute("width", BAR * clamp(q, 0, 1));
      row.value.textContent = share(p);
      row.g.dataset.value = String(p);
      row.g.setAttribute("aria-selected", String(finding.value === state));
      row.g.setAttribute("aria-label", `${cut(row.name, 300)}: ${share(p)}, before ${share(q)}`);
      const weight = finding.kind === "weighed" ? finding.value[state] : null;
      row.weight.setAttribute("visibility", weight === null ? "hidden" : "visible");
      if (weight !== null) {
        const x = node.width - PAD - NUMBER - BAR + BAR * clamp(weight, 0, 1);
        row.weight.setAttribute("x1", x); row.weight.setAttribute("x2", x);
      }
    }
  }

  updateCurve(before, now, finding) {
    const wide = this.node.width - 2 * PAD;
    const known = finding.kind === "observed" || finding.kind === "set" ? finding.value : null;
    // A value far from what was expected must still be in the picture.
    const low = Math.min(before.low, now.low, known ?? before.low), high = Math.max(before.high, now.high, known ?? before.high);
    this.shownRange = { low, high: high > low ? high : low + 1 };
    const across = (x) => ((x - low) / (this.shownRange.high - low)) * wide;
    const peak = Math.max(...before.curve.map(([, y]) => y), ...(known === null ? now.curve.map(([, y]) => y) : []), 1e-300);
    const path = (curve) => (curve.length
      ? `M${across(curve[0][0]).toFixed(2)} ${CURVE}${curve.map(([x, y]) => `L${across(x).toFixed(2)} ${(CURVE - (y / peak) * (CURVE - 4)).toFixed(2)}`).join("")}L${across(curve.at(-1)[0]).toFixed(2)} ${CURVE}Z`
      : "");
    this.curve.before.setAttribute("d", path(before.curve));
    this.curve.now.setAttribute("d", known === null ? path(now.curve) : "");
    this.curve.at.setAttribute("d", known === null ? "" : `M${across(known).toFixed(2)} 2V${CURVE}`);
    this.value.textContent = known === null ? `${number(now.mean)} ± ${number(now.sd)}` : `= ${number(known)}`;
    this.g.dataset.mean = String(now.mean);
    this.g.dataset.sd = String(now.sd);
    this.g.setAttribute("aria-valuenow", number(now.mean));
    this.g.setAttribute("aria-valuetext", known === null ? `about ${number(now.mean)}, give or take ${number(now.sd)}` : number(known));
  }
}

// A net ---------------------------------------------------------------------------------------------------------------

const MODES = [["observe", "Observe", "A click observes a state"], ["set", "Set", "A click sets a state from outside: edges into the node are cut"],
  ["weigh", "Weigh", "A click or drag on a bar says how well a finding fits a state"]];
const HINT = "Click a state to observe it, Shift-click to set it from outside, drag its bar to weigh it; click again to clear. "
  + "Keys: Tab and arrows move, Enter observes, i sets, + and − weigh, Delete clears, e reads the edges.";
let views = 0;

/** What both views do: stand in a shadow tree, follow the theme, and take turns with the host. */
class View {
  constructor(model, el) {
    views += 1;
    Object.assign(this, { model, el, id: `deciban-live-${views}`, turn: model.get("answer")?.turn ?? 0, isWaiting: false, hasMore: false });
    this.fault = html("p", { class: "fault", role: "alert" });
    this.spoken = html("div", { class: "unseen", "aria-live": "polite" });
  }

  /** Put the parts into the page, and listen to the host. */
  stand(parts, heard) {
    this.root = html("div", { class: "deciban-live" }, html("style", {}, STYLE), ...parts, this.spoken);
    // In a shadow tree, so that neither the styles of the page nor these reach the other.
    const host = html("div");
    host.attachShadow({ mode: "open" }).append(this.root);
    this.el.append(host);
    for (const [event, listener] of Object.entries(heard)) { this.model.on(event, listener); }
    const unwatch = followTheme(this.root);
    this.end = () => {
      for (const [event, listener] of Object.entries(heard)) { this.model.off(event, listener); }
      unwatch();
      host.remove();
    };
  }

  /** What is found goes to the host one turn at a time: what changes meanwhile waits for the answer. */
  post(findings) {
    if (this.isWaiting) { this.hasMore = true; return; }
    this.isWaiting = true;
    this.turn += 1;
    this.model.set("findings", { ...structuredClone(findings), turn: this.turn });
    this.model.save_changes();
  }

  /** Whether the answer is that of the last turn. */
  receive() {
    const { turn } = this.model.get("answer");
    if (turn < this.turn) { return false; }
    this.turn = turn;
    this.isWaiting = false;
    if (!this.hasMore) { return true; }
    this.hasMore = false;
    this.send();
    return false;
  }
}

class NetView extends View {
  constructor(model, el) {
    super(model, el);
    this.mode = "observe";
    this.canvas = new Canvas();
    this.findings = { observed: {}, likelihoods: {}, interventions: {} };
    this.build();
    this.adopt();
    this.draw();
  }

  build() {
    this.names = html("datalist", { id: `${this.id}-names` });
    this.search = html("input", { type: "search", placeholder: "Find a node", "aria-label": "Find a node by its name", list: `${this.id}-names` });
    this.search.addEventListener("input", () => this.mark());
    this.search.addEventListener("keydown", (event) => { if (event.key === "Enter") { this.go(); } });
    this.modes = MODES.map(([mode, text, label]) => {
      const one = button(text, label, () => this.choseMode(mode));
      fill(one, { role: "radio", "aria-checked": String(mode === this.mode), "aria-label": `${text}: ${label}` }, []);
      return one;
    });
    const radios = html("span", { class: "group", role: "radiogroup", "aria-label": "What a click does" }, ...this.modes);
    this.forget = button("Clear", "Clear all findings", () => this.clearAll());
    this.chance = html("span", { class: "evidence" });
    const zoom = html(
      "span", { class: "group wide-only" },
      button("−", "Make the picture smaller", () => this.canvas.zoom(1 / 1.25)),
      button("Fit", "Show the whole picture", () => this.canvas.fitWhole()),
      button("+", "Make the picture larger", () => this.canvas.zoom(1.25)),
    );
    this.kind = button("List", "Show the nodes as a list, without edges", () => { this.asked = !this.canvas.isList; this.lay(); });
    this.note = html("p", { class: "note" });
    this.detail = html("div", { class: "detail", tabindex: 0, role: "region", "aria-label": "Details" });
    const bar = html("div", { class: "bar" }, radios, this.forget, this.chance, html("span", { class: "room" }), this.search, this.names, this.kind, zoom);
    this.stand([bar, this.fault, this.note, this.canvas.stage, this.detail], {
      "change:scene": () => this.draw(), "change:answer": () => this.answered(),
      "change:findings": () => this.adopt(), "change:told": () => this.tellEdge(),
    });
    this.hint();
    const resized = new ResizeObserver(() => {
      const wide = this.canvas.stage.clientWidth;
      if (wide && wide !== this.wide) { this.wide = wide; this.lay(); }
    });
    resized.observe(this.root);
  }

  draw() {
    const scene = this.model.get("scene");
    this.scene = scene;
    this.boxes = new Map();
    this.chosen = null;
    this.chosenEdge = null;
    const tip = svg("marker", { id: `${this.id}-tip`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto" },
      svg("path", { class: "tip", d: "M0 0 8 4 0 8z" }));
    this.lines = scene.edges.map((edge, k) => this.line(edge, k));
    for (const { index, ...node } of scene.nodes) { this.boxes.set(index, new NodeBox(this, index, node)); }
    const boxes = [...this.boxes.values()].map((box) => box.g);
    this.canvas.world.replaceChildren(svg("defs", {}, tip), ...this.lines, ...boxes);
    this.names.replaceChildren(...scene.names.map((name) => html("option", { value: cut(name, 300) })));
    this.note.textContent = scene.note ?? "";
    this.lay();
    this.show();
  }

  /** As a graph, or as a list of boxes in columns; a graph that would be too small to read begins as a list. */
  lay() {
    const { scene, canvas } = this, wide = canvas.stage.clientWidth || 600;
    canvas.isList = this.asked ?? (wide < 560 && scene.width > 1.25 * wide);
    this.root.classList.toggle("listed", canvas.isList);
    this.kind.setAttribute("aria-pressed", String(canvas.isList));
    if (!canvas.isList) {
      canvas.size = { width: scene.width, height: scene.height };
      for (const box of this.boxes.values()) { box.moveTo(box.node.x, box.node.y); }
    } else {
      const width = Math.max(...scene.nodes.map((node) => node.width), 1) + 10;
      const tops = Array.from({ length: Math.max(Math.floor((wide - 10) / width), 1) }, () => 10);
      for (const box of this.boxes.values()) {
        const column = tops.indexOf(Math.min(...tops));
        box.moveTo(10 + column * width, tops[column]);
        tops[column] += box.node.height + 10;
      }
      canvas.size = { width: 10 + tops.length * width, height: Math.max(...tops) };
    }
    canvas.fit();
  }

  line({ from, to, points }, k) {
    const path = points.map(([x, y]) => `${x},${y}`).join(" ");
    const [a, b] = [this.scene.names[from], this.scene.names[to]].map((name) => cut(name, 60));
    const g = svg(
      "g", { class: "edge", tabindex: -1, role: "button", "aria-label": `Why ${a} → ${b}`, "data-holds": true },
      svg("title", {}, `${a} → ${b}`), svg("polyline", { class: "reach", points: path }),
      svg("polyline", { class: "line", points: path, "marker-end": `url(#${this.id}-tip)` }),
    );
    g.addEventListener("click", () => this.askEdge(k));
    g.addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); this.askEdge(k); } });
    return g;
  }

  // Findings ----------------------------------------------------------------------------------------------------------

  /** What is known of a node: how, and the state, the value or the weights. */
  finding(index) {
    const { observed, likelihoods, interventions } = this.findings;
    if (index in interventions) { return { kind: "set", value: interventions[index] }; }
    if (index in observed) { return { kind: "observed", value: observed[index] }; }
    return index in likelihoods ? { kind: "weighed", value: likelihoods[index] } : { kind: null, value: null };
  }

  /** Observe a state or a value, or set it; the same again clears it. */
  find(index, value, isSet) {
    const kind = isSet ? "set" : "observed", was = this.finding(index);
    this.drop(index);
    if (was.kind !== kind || was.value !== value) { this.findings[isSet ? "interventions" : "observed"][index] = value; }
    this.send();
  }

  weightOf(index, state) { return this.findings.likelihoods[index]?.[state] ?? 1; }

  weigh(index, state, weight) {
    const weights = this.findings.likelihoods[index] ?? this.boxes.get(index).node.states.map(() => 1);
    this.drop(index);
    const fresh = weights.map((old, i) => (i === state ? Number(clamp(weight, 0, 1).toFixed(2)) : old));
    if (fresh.some((one) => one !== fresh[0])) { this.findings.likelihoods[index] = fresh; }
    this.send();
  }

  drop(index) { for (const kind of Object.values(this.findings)) { delete kind[index]; } }
  clear(index) { this.drop(index); this.send(); }
  clearAll() { this.findings = { observed: {}, likelihoods: {}, interventions: {} }; this.send(); }

  send() {
    this.show();
    this.post(this.findings);
  }

  answered() {
    if (this.receive()) { this.show(); this.say(); }
  }

  /** The findings of the host, such as those that a cell has set. */
  adopt() {
    const { observed = {}, likelihoods = {}, interventions = {} } = this.model.get("findings") ?? {};
    if (this.isWaiting) { return; }
    this.findings = structuredClone({ observed, likelihoods, interventions });
    if (this.boxes) { this.show(); }
  }

  // What is seen ------------------------------------------------------------------------------------------------------

  show() {
    const { prior, now, error, log } = this.model.get("answer");
    this.fault.textContent = error ?? "";
    this.root.classList.toggle("stale", Boolean(error));
    for (const [index, box] of this.boxes) { box.update(prior[index], (now ?? prior)[index], this.finding(index)); }
    this.scene.edges.forEach(({ to }, k) => { this.lines[k].classList.toggle("cut", to in this.findings.interventions); });
    const count = Object.values(this.findings).reduce((sum, kind) => sum + Object.keys(kind).length, 0);
    this.forget.disabled = count === 0;
    const hasEvidence = Object.keys(this.findings.observed).length + Object.keys(this.findings.likelihoods).length > 0;
    this.chance.textContent = hasEvidence && !error && log !== undefined && log !== null ? `P(findings) ${chanceOf(log)}` : "";
    if (this.chosen !== null) { this.describe(); }
  }

  say() {
    const { prior, now, error } = this.model.get("answer");
    if (error) { return; }
    const index = this.chosen;
    const node = index === null ? null : this.boxes.get(index)?.node;
    const told = node ? `${cut(node.name, 60)}: ${node.states ? node.states.map((state, i) => `${cut(state, 40)} ${share(now[index].p[i])}`).slice(0, 6).join(", ") : `mean ${number(now[index].mean)}`}. ` : "";
    const moved = [...this.boxes.values()].map((box) => [box, changeOf(prior[box.index], now[box.index])])
      .filter(([box, change]) => box.index !== index && change > 0.005).sort((a, b) => b[1] - a[1]).slice(0, 3);
    this.spoken.textContent = told + (moved.length ? `Changed most: ${moved.map(([box]) => cut(box.node.name, 60)).join(", ")}.` : "Nothing else has changed.");
  }

  choose(index) {
    if (this.chosen !== null) { this.boxes.get(this.chosen)?.g.classList.remove("chosen"); }
    this.unchooseEdge();
    this.chosen = index;
    const box = this.boxes.get(index);
    box.g.classList.add("chosen");
    this.canvas.show(box.at);
    this.describe();
  }

  hint() { this.detail.replaceChildren(html("p", { class: "hint" }, HINT)); }

  /** The chosen node below the picture: every state, or a field for a value. */
  describe() {
    const box = this.boxes.get(this.chosen), { prior, now } = this.model.get("answer");
    const { node } = box, before = prior[this.chosen], after = (now ?? prior)[this.chosen];
    const title = html("h3", {}, cut(node.name, 300));
    if (!node.states) {
      if (this.detail.dataset.node !== String(this.chosen) || !this.field) { this.makeField(title); }
      this.summary.textContent = `before ${number(before.mean)} ± ${number(before.sd)}, now ${number(after.mean)} ± ${number(after.sd)}`;
      return;
    }
    this.field = null;
    this.detail.dataset.node = String(this.chosen);
    const line = (cells, tag) => html("tr", {}, ...cells.map((cell) => html(tag, {}, cell)));
    const rows = node.states.map((state, i) => line([cut(state, 300), before.p[i].toFixed(4), after.p[i].toFixed(4)], "td"));
    if (node.states.length > node.shown.length) {
      rows.forEach((row, i) => { row.style.cursor = "pointer"; row.addEventListener("click", () => this.find(this.chosen, i, this.mode === "set")); });
    }
    this.detail.replaceChildren(title, html("table", {}, html("thead", {}, line(["state", "before", "now"], "th")), html("tbody", {}, ...rows)));
  }

  makeField(title) {
    const index = this.chosen, id = `${this.id}-value`;
    const known = this.finding(index).value;
    this.detail.dataset.node = String(index);
    this.field = html("input", { id, type: "number", step: "any", value: known ?? "" });
    this.summary = html("p", { class: "hint" });
    const take = (isSet) => { if (this.field.value !== "" && this.field.validity.valid) { this.find(index, Number(this.field.value), isSet); } };
    this.field.addEventListener("keydown", (event) => { if (event.key === "Enter") { take(event.shiftKey || this.mode === "set"); } });
    this.detail.replaceChildren(title, html(
      "div", { class: "field" }, html("label", { for: id }, "Value"), this.field,
      button("Observe", "Observe this value", () => take(false)), button("Set", "Set this value from outside", () => take(true)),
      button("Clear", "Clear the value", () => { this.field.value = ""; this.clear(index); }),
    ), this.summary);
  }

  enterValue() { this.field?.focus(); }

  // Edges -------------------------------------------------------------------------------------------------------------

  askEdge(k) {
    if (this.chosen !== null) { this.boxes.get(this.chosen).g.classList.remove("chosen"); }
    this.chosen = null;
    this.unchooseEdge();
    this.chosenEdge = k;
    this.lines[k].classList.add("chosen");
    this.tellEdge();
    this.model.set("asked", this.scene.edges[k].index);
    this.model.save_changes();
  }

  unchooseEdge() {
    if (this.chosenEdge !== null) { this.lines[this.chosenEdge].classList.remove("chosen"); }
    this.chosenEdge = null;
  }

  tellEdge() {
    if (this.chosenEdge === null) { return; }
    const { from, to, index } = this.scene.edges[this.chosenEdge], told = this.model.get("told");
    const title = `${cut(this.scene.names[from], 120)} → ${cut(this.scene.names[to], 120)}`;
    const text = told?.edge === index ? told.text : "…";
    this.field = null;
    delete this.detail.dataset.node;
    this.detail.replaceChildren(html("h3", {}, title), ...text.split("\n").map((one) => html("p", {}, one)));
    this.spoken.textContent = `${title}. ${text}`;
  }

  /** The next edge of a node, for readers without a mouse. */
  nextEdge(index) {
    const own = this.scene.edges.flatMap(({ from, to }, k) => (from === index || to === index ? [k] : []));
    if (own.length) {
      const next = own[(own.indexOf(this.lastEdge) + 1) % own.length];
      this.askEdge(next);
      this.lastEdge = next;
    }
  }

  // Finding nodes -----------------------------------------------------------------------------------------------------

  matches() {
    const wanted = this.search.value.trim().toLowerCase();
    return wanted ? this.scene.names.flatMap((name, i) => (name.toLowerCase().includes(wanted) ? [i] : [])) : [];
  }

  mark() {
    const found = new Set(this.matches());
    for (const [index, box] of this.boxes) { box.g.classList.toggle("found", found.has(index)); }
  }

  go() {
    const wanted = this.search.value.trim().toLowerCase(), found = this.matches();
    const index = found.find((i) => this.scene.names[i].toLowerCase() === wanted) ?? found[0];
    if (index === undefined) { this.spoken.textContent = "No node has this name."; return; }
    if (this.boxes.has(index)) { this.boxes.get(index).g.focus(); return; }
    this.model.set("centre", index);
    this.model.save_changes();
  }

  choseMode(mode) {
    this.mode = mode;
    this.modes.forEach((one, i) => { one.setAttribute("aria-checked", String(MODES[i][0] === mode)); });
  }
}

function changeOf(before, now) {
  if (before.p) { return before.p.reduce((sum, p, i) => sum + Math.abs(p - now.p[i]) / 2, 0); }
  return Math.abs(before.mean - now.mean) / (before.sd || 1);
}

function chanceOf(log) {
  const p = Math.exp(log);
  return p >= 0.001 ? String(Number(p.toPrecision(3))) : p > 0 ? p.toExponential(2) : `e^${log.toFixed(0)}`;
}

// A row ---------------------------------------------------------------------------------------------------------------

const signed = (db) => (Number.isFinite(db) ? `${db > -0.005 ? "+" : "−"}${Math.abs(db).toFixed(2)}` : db > 0 ? "+∞" : "−∞");

/** The values of a row in fields; beside them the probability of each class, and what each value says in decibans. */
class RowView extends View {
  constructor(model, el) {
    super(model, el);
    this.against = html("select", { "aria-label": "Compare with" });
    this.against.addEventListener("input", () => this.send());
    this.fields = html("div", { class: "fields" });
    this.answers = html("div", { class: "answers", tabindex: 0, role: "region", "aria-label": "Answer" });
    const reset = button("Back to the start", "Take the values that the row began with", () => { this.adopt(model.get("scene").values); this.send(); });
    const bar = html("div", { class: "bar" }, reset, html("span", { class: "room" }), html("span", { class: "hint" }, "compare with"), this.against);
    this.stand([bar, this.fault, html("div", { class: "columns" }, this.fields, this.answers)], {
      "change:scene": () => this.draw(), "change:answer": () => { if (this.receive()) { this.show(); this.say(); } },
      "change:findings": () => { if (!this.isWaiting) { this.adopt(this.model.get("findings").values); } },
    });
    this.draw();
  }

  draw() {
    const { columns, classes, values } = this.scene = this.model.get("scene");
    this.inputs = columns.map((column, i) => this.field(column, i));
    this.fields.replaceChildren(...this.inputs.map(({ whole }) => whole));
    this.against.replaceChildren(html("option", { value: "" }, "the next best class"), ...classes.map((name, j) => html("option", { value: j }, cut(name, 60))));
    this.adopt(this.model.get("findings")?.values ?? values);
    this.show();
  }

  field({ name, kind, labels, low, high }, i) {
    const id = `${this.id}-${i}`, changed = () => this.send();
    const label = html("label", { for: id, title: cut(name, 300) }, cut(name, 60));
    let input, slider = null;
    if (kind === "label") {
      const options = labels.map((text, k) => html("option", { value: k }, cut(text, 60)));
      input = html("select", { id }, ...options, html("option", { value: "" }, "(missing)"));
    } else if (kind === "number") {
      input = html("input", { id, type: "number", step: "any", placeholder: "missing" });
      if (low < high) {
        slider = html("input", { type: "range", min: low, max: high, step: (high - low) / 200, "aria-label": `${cut(name, 60)}, as a slider` });
        slider.addEventListener("input", () => { input.value = String(Number(Number(slider.value).toPrecision(6))); changed(); });
        input.addEventListener("input", () => { slider.value = input.value; });
      }
    } else {
      input = kind === "text" ? html("textarea", { id, rows: 3 }) : html("input", { id, type: "text", placeholder: "missing" });
    }
    input.addEventListener("input", changed);
    return { kind, input, slider, whole: html("div", { class: kind === "text" ? "wide" : "" }, label, input, ...(slider ? [slider] : [])) };
  }

  adopt(values) {
    values.forEach((value, i) => {
      const { input, slider } = this.inputs[i];
      input.value = value === null ? "" : String(value);
      if (slider) { slider.value = input.value; }
    });
  }

  read({ kind, input }) {
    if (input.value === "") { return null; }
    return kind === "label" || kind === "number" ? Number(input.value) : input.value;
  }

  send() { this.post({ values: this.inputs.map((one) => this.read(one)), against: this.against.value === "" ? null : Number(this.against.value) }); }

  show() {
    const { error, prior, posterior, label, explained, against, parts, total } = this.model.get("answer");
    this.fault.textContent = error ?? "";
    if (error) { return; }
    const { classes } = this.scene;
    const order = classes.map((_, j) => j).sort((a, b) => posterior[b] - posterior[a] || a - b).slice(0, 30);
    const box = (...shapes) => svg("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": true }, ...shapes);
    const chances = order.map((j) => this.line(classes[j], share(posterior[j]), posterior[j], box(
      svg("rect", { class: "track", width: 100, y: 1, height: 8 }), svg("rect", { class: "now", width: 100 * posterior[j], y: 1, height: 8 }),
      svg("rect", { class: "before", width: 100 * prior[j], y: -1, height: 12 }),
    )));
    const sizes = [...parts.map((part) => part[1]), total].map((db) => Math.abs(Number(db))).filter(Number.isFinite);
    const largest = Math.max(...sizes, 1e-9);
    const weighed = [...parts, ["total", total]].map(([name, text]) => {
      const db = Number(text), wide = Number.isFinite(db) ? (50 * Math.abs(db)) / largest : 50;
      return this.line(name, signed(db), db, box(
        svg("rect", { class: db >= 0 ? "for" : "against", x: db >= 0 ? 50 : 50 - wide, width: wide, y: 1, height: 8 }),
        svg("line", { class: "axis", x1: 50, x2: 50, y1: -3, y2: 13 }),
      ));
    });
    weighed.at(-1).className = "total";
    const table = (caption, lines) => html("table", {}, html("caption", {}, caption), html("tbody", {}, ...lines));
    this.answers.replaceChildren(
      html("h3", {}, label === null ? "No decision" : `${cut(classes[label], 120)}: ${share(posterior[label])}`),
      table("Probability of each class; the outline is the one before the row", chances),
      ...(against === null ? [] : [table(`Decibans for ${cut(classes[explained], 60)} against ${cut(classes[against], 60)}`, weighed)]),
    );
  }

  line(name, shown, value, drawn) {
    const cell = html("td", { "data-value": value }, shown);
    return html("tr", {}, html("th", { scope: "row", title: cut(name, 300) }, cut(name, 80)), cell, html("td", { class: "drawn" }, drawn));
  }

  say() {
    const { error, label, posterior } = this.model.get("answer");
    if (!error) { this.spoken.textContent = label === null ? "No decision" : `${cut(this.scene.classes[label], 60)}: ${share(posterior[label])}`; }
  }
}

// Hosts ---------------------------------------------------------------------------------------------------------------

/** Draw what the model says; what it returns ends the view. */
export function render({ model, el }) {
  const view = model.get("scene").columns ? new RowView(model, el) : new NetView(model, el);
  return () => view.end();
}

export default { render };
