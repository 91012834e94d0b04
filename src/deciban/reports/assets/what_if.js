// The what-if panel: change a value, and see the weights of evidence and the posterior move.
//
// The model is the JSON document "what-if-model" (plain_form in classifiers/evidence.py): a sum over columns, or over the
// branches of a tree. Everything is computed here, with no request. The page's policy allows this script by its hash.
"use strict";
(() => {
  const panel = document.getElementById("what-if");
  const held = document.getElementById("what-if-model");
  if (!panel || !held) { return; }
  const { model, rows } = JSON.parse(held.textContent);
  const DB = 10 / Math.LN10;
  const TINY = 2.2250738585072014e-308;

  // Numbers -----------------------------------------------------------------------------------------------------------

  /** Numbers as JSON holds them: infinities are texts. */
  const num = (x) => (typeof x === "string" ? Number(x) : x);
  const sum = (xs) => xs.reduce((a, b) => a + b, 0);

  function logSum(logs) {
    const top = Math.max(...logs);
    return top === -Infinity ? top : top + Math.log(sum(logs.map((x) => Math.exp(x - top))));
  }

  /** log Γ(x), x > 0: Stirling's series from 10 on. */
  function logGamma(x) {
    let shift = 0;
    while (x < 10) { shift += Math.log(x); x += 1; }
    const r = 1 / (x * x);
    const series = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r / 1188)))) / x;
    return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + series - shift;
  }

  const product = (a, b) => (a === 0 || b === 0 ? 0 : a * b);

  // One column --------------------------------------------------------------------------------------------------------

  /** The value of a curve in class j. */
  function curveAt(c, x, j) {
    const outside = x < num(c.lowest) || (c.is_open && x <= num(c.lowest)) || x > num(c.highest)
      || (c.is_whole && x !== Math.floor(x));
    if (outside) { return -Infinity; }
    const t = c.of_log ? Math.log(x) : x;
    let y = num(c.constant[j]);
    if (c.slope) { y += product(num(c.slope[j]), t); }
    if (c.complement) { y += product(num(c.complement[j]), 1 - t); }
    if (c.half) { y -= product(num(c.half[j]), (t - num(c.mean[j])) ** 2); }
    if (c.size && Number.isFinite(num(c.size[j]))) {
      y += c.weight * (logGamma(t + num(c.size[j])) - logGamma(num(c.size[j])));
    }
    return y;
  }

  function isStrictlyOutside(c, x) {
    return c.kind === "curve" && c.is_strict && c.constant.every((_, j) => curveAt(c, x, j) === -Infinity);
  }

  /** The index of the state of a value among n states: n where it is unseen, null where it is missing or ignored. */
  function codeOf(c, value) {
    const n = c.logs.length;
    let code = value;
    if (value === null) { code = c.missing_code ?? n + 1; }
    else if (value === -1) { code = c.unseen_code ?? n; }
    else if (c.kind === "bins") { code = c.cuts.filter((cut) => num(cut) < value).length; }
    return code > n ? null : code;
  }

  /** log P(value | class) in each class. */
  function logsOf(c, value) {
    if (value === null) { return c.missing ? c.missing.map(num) : model.classes.map(() => 0); }
    if (c.kind === "curve") { return model.classes.map((_, j) => curveAt(c, value, j)); }
    if (value === -1) { return c.unseen.map(num); }
    return c.logs[codeOf(c, value)].map(num);
  }

  // The whole row -----------------------------------------------------------------------------------------------------

  /** The likelihood of a tree with what is missing summed out, class by class (Pearl's messages). */
  function treeLikelihood(codes) {
    const nodes = new Map(model.tree.columns.map((node) => [node.column, node]));
    const children = (i) => model.tree.columns.filter((node) => node.parent === i);
    const states = (i) => model.columns[i].logs.length;
    const known = new Map();
    const message = (node, above, j) => {
      const key = `${node.column} ${above} ${j}`;
      if (!known.has(key)) {
        const own = codes[node.column];
        const at = (v) => num(node.logs[above][v][j]) + sum(children(node.column).map((child) => message(child, v, j)));
        known.set(key, own === null ? logSum([...Array(states(node.column)).keys()].map(at)) : at(own));
      }
      return known.get(key);
    };
    const roots = [...nodes.values()].filter((node) => node.parent < 0);
    return model.classes.map((_, j) => sum(roots.map((root) => message(root, 0, j))));
  }

  /** The evidence of each column given its parent, and what is left: missing values that were summed out. */
  function treeEvidence(values) {
    const codes = model.columns.map((c, i) => codeOf(c, values[i]));
    const likelihood = treeLikelihood(codes);
    const parts = model.columns.map(() => model.classes.map(() => 0));
    for (const { column, parent, logs } of model.tree.columns) {
      if (codes[column] !== null && (parent < 0 || codes[parent] !== null)) {
        parts[column] = logs[parent < 0 ? 0 : codes[parent]][codes[column]].map(num);
      }
    }
    const rest = likelihood.map((whole, j) => (Number.isFinite(whole) ? whole - sum(parts.map((p) => p[j])) : 0));
    const isSummed = codes.includes(null);
    return { likelihood, parts: isSummed ? [...parts, rest] : parts, isSummed };
  }

  function evidenceOf(values) {
    if (model.tree) { return treeEvidence(values); }
    const parts = model.columns.map((c, i) => logsOf(c, values[i]));
    return { likelihood: model.classes.map((_, j) => sum(parts.map((p) => p[j]))), parts, isSummed: false };
  }

  function normalized(logs) {
    const whole = logSum(logs);
    return logs.map((x) => Math.exp(x - whole));
  }

  function interpolated(x, [xs, ys]) {
    if (x <= num(xs[0])) { return num(ys[0]); }
    for (let k = 1; k < xs.length; k += 1) {
      if (x <= num(xs[k])) {
        const share = (x - num(xs[k - 1])) / (num(xs[k]) - num(xs[k - 1]));
        return num(ys[k - 1]) + share * (num(ys[k]) - num(ys[k - 1]));
      }
    }
    return num(ys[ys.length - 1]);
  }

  function calibrated(posterior) {
    const calibration = model.calibration;
    if (!calibration) { return posterior; }
    if (calibration.temperature) {
      return normalized(posterior.map((p) => Math.log(Math.max(p, TINY)) / calibration.temperature));
    }
    const mapped = posterior.map((p, j) => interpolated(p, calibration.points[j]));
    const whole = sum(mapped);
    return whole > 0 ? mapped.map((p) => p / whole) : posterior;
  }

  /** The posterior; the prior where no class can have the row, and certain classes alone where there are some. */
  function posteriorOf(likelihood) {
    let joint = likelihood.map((x, j) => num(model.start[j]) + x / model.temperature);
    const prior = model.prior.map(num);
    if (joint.every((x) => x === -Infinity)) { joint = prior; }
    if (joint.includes(Infinity)) { joint = joint.map((x, j) => (x === Infinity ? prior[j] : -Infinity)); }
    return calibrated(normalized(joint));
  }

  const weight = (logs, j, k) => {
    const [a, b] = [num(logs[j]), num(logs[k])];
    return a === b ? 0 : (DB * (a - b)) / model.temperature;
  };

  // The page ----------------------------------------------------------------------------------------------------------

  function element(tag, attributes = {}, ...children) {
    const isDrawn = ["svg", "rect", "line"].includes(tag);
    const made = isDrawn ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) { made.setAttribute(name, value); }
    made.append(...children);
    return made;
  }

  const bar = (...shapes) => element(
    "svg",
    { class: "cell-bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    ...shapes,
  );
  const shareBar = (p) => bar(element("rect", { x: 0, y: 0, width: 100 * p, height: 10, class: "bar series-0" }));
  function signedBar(db, largest) {
    const width = Number.isFinite(db) ? (50 * Math.abs(db)) / (largest || 1) : 50;
    return bar(
      element("rect", { x: db >= 0 ? 50 : 50 - width, y: 0, width, height: 10, class: db >= 0 ? "for" : "against" }),
      element("line", { x1: 50, y1: -2, x2: 50, y2: 12, class: "axis" }),
    );
  }

  const percent = (p) => (p > 0.9995 || p < 0.0005 ? `${(100 * p).toPrecision(p > 0.5 ? 6 : 2)}%` : `${(100 * p).toFixed(1)}%`);
  const signed = (db) => (Number.isFinite(db) ? `${db > -0.005 ? "+" : "−"}${Math.abs(db).toFixed(2)}` : db > 0 ? "+∞" : "−∞");

  function tableOf(caption, heads, lines) {
    const head = element("tr", {}, ...heads.map((name) => (name ? element("th", { scope: "col" }, name) : element("td"))));
    const body = element("tbody", {}, ...lines);
    return element(
      "table", { class: "wide" }, element("caption", {}, caption), element("thead", {}, head), body,
    );
  }

  function lineOf(name, shown, drawn, value) {
    const number = element("td", { class: "number" }, shown);
    number.dataset.value = String(value);
    return element("tr", {}, element("th", { scope: "row" }, name), number, element("td", { class: "bars" }, drawn));
  }

  function optionsOf(c) {
    const known = c.kind === "presence" ? ["absent", "present"] : c.labels;
    const options = known.map((label, i) => [String(i), label]).filter(([, label]) => label !== null);
    if (c.unseen && c.kind === "labels") { options.push(["-1", "(another value)"]); }
    if (c.missing) { options.push(["", "(missing)"]); }
    return options.map(([value, label]) => element("option", { value }, label));
  }

  const isNumber = (c) => c.kind === "bins" || c.kind === "curve";
  const fields = model.columns.map((c, i) => {
    const id = `what-if-${i}`;
    const field = isNumber(c)
      ? element("input", { id, type: "number", step: "any", placeholder: c.missing ? "missing" : "" })
      : element("select", { id }, ...optionsOf(c));
    field.addEventListener("input", update);
    return { field, label: element("label", { for: id }, c.name) };
  });

  function chooser(id, name, options, changed) {
    const choice = element("select", { id }, ...options.map(([value, text]) => element("option", { value }, text)));
    choice.addEventListener("input", changed);
    return [choice, element("div", {}, element("label", { for: id }, name), choice)];
  }
  const starts = rows.map((row, i) => [String(i), row.name]);
  const [start, startField] = chooser("what-if-start", "Start from", starts, () => fill(rows[Number(start.value)]));
  const listed = [["", "the most probable class"], ...model.classes.map((label, j) => [String(j), label])];
  const [chosen, chosenField] = chooser("what-if-class", "Show the evidence for", listed, update);

  const answer = element("p", { class: "answer", "aria-live": "polite" });
  const fault = element("p", { class: "fault", role: "alert" });
  const posteriors = element("div", { id: "what-if-posterior", class: "scroll" });
  const weights = element("div", { id: "what-if-weights", class: "scroll" });
  panel.append(
    element("div", { class: "actions" }, startField, chosenField),
    element("div", { class: "fields" }, ...fields.map(({ field, label }) => element("div", {}, label, field))),
    fault, answer, element("div", { class: "grid" }, posteriors, weights),
  );

  function fill(row) {
    fields.forEach(({ field }, i) => { field.value = row.values[i] === null ? "" : String(row.values[i]); });
    update();
  }

  /** The value of a field: null where it is missing. */
  function read(i) {
    const text = fields[i].field.value;
    return text === "" ? null : Number(text);
  }

  function faults(values) {
    return model.columns.flatMap((c, i) => {
      if (fields[i].field.validity.badInput) { return [`${c.name}: this is not a number.`]; }
      if (values[i] === null && !c.missing) { return [`${c.name}: a value is needed.`]; }
      return values[i] !== null && isStrictlyOutside(c, values[i]) ? [`${c.name}: this value is not possible.`] : [];
    });
  }

  function update() {
    const values = model.columns.map((_, i) => read(i));
    const wrong = faults(values);
    fault.textContent = wrong.join(" ");
    if (wrong.length) { answer.textContent = ""; posteriors.replaceChildren(); weights.replaceChildren(); return; }
    const { likelihood, parts, isSummed } = evidenceOf(values);
    const posterior = posteriorOf(likelihood);
    const order = model.classes.map((_, j) => j).sort((a, b) => posterior[b] - posterior[a] || a - b);
    const j = chosen.value === "" ? order[0] : Number(chosen.value);
    const k = order.find((other) => other !== j) ?? j;
    answer.textContent = `${model.classes[order[0]]}: ${percent(posterior[order[0]])}`;
    posteriors.replaceChildren(tableOf("Probability of each class", ["class", "probability", ""], order.map(
      (c) => lineOf(model.classes[c], percent(posterior[c]), shareBar(posterior[c]), posterior[c]),
    )));
    const names = model.columns.map((c) => c.name);
    showWeights(j, k, isSummed ? [...names, "(missing values)"] : names, parts);
  }

  function showWeights(j, k, names, parts) {
    const [a, b] = [num(model.start[j]), num(model.start[k])];
    const prior = a === b ? 0 : DB * (a - b);
    const lines = parts.map((logs, i) => [names[i], weight(logs, j, k)]).sort((x, y) => Math.abs(y[1]) - Math.abs(x[1]));
    const total = prior + sum(lines.map(([, db]) => db));
    const all = [["prior", prior], ...lines];
    const largest = Math.max(...[...all.map(([, db]) => db), total].filter(Number.isFinite).map(Math.abs), 1e-9);
    const drawn = [...all, ["total", total]].map(([name, db]) => lineOf(name, signed(db), signedBar(db, largest), db));
    drawn[drawn.length - 1].className = "total";
    const caption = `Decibans for ${model.classes[j]} against ${model.classes[k]}`;
    weights.replaceChildren(tableOf(caption, ["column", "decibans", ""], drawn));
  }

  panel.hidden = false;
  fill(rows[0]);
})();
