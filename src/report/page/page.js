"use strict";
(() => {
  const data = JSON.parse(document.getElementById("plot-data").textContent);
  const svgSpace = "http://www.w3.org/2000/svg";
  const tip = document.getElementById("tip");
  const colours = 8, dashes = ["", "7 4", "2 4"], mostPerPlot = 10;

  /* ---- small helpers ---- */
  function svg(name, attributes, parent) {
    const element = document.createElementNS(svgSpace, name);
    for (const key in attributes) element.setAttribute(key, attributes[key]);
    if (parent) parent.append(element);
    return element;
  }
  function html(name, attributes, parent) {
    const element = document.createElement(name);
    Object.assign(element, attributes);
    if (parent) parent.append(element);
    return element;
  }
  function bytes(base64) {
    const text = atob(base64), result = new Uint8Array(text.length);
    for (let i = 0; i < text.length; ++i) result[i] = text.charCodeAt(i);
    return result.buffer;
  }
  function text(value, digits) {
    if (!isFinite(value)) return isNaN(value) ? "–" : value > 0 ? "∞" : "−∞";
    if (value === 0) return "0";
    const size = Math.abs(value);
    const result = size >= 1e6 || size < 1e-4 ? value.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e")
      : String(+value.toPrecision(digits));
    return result.replace("-", "−");
  }
  /* Steps of 1, 2 or 5 times a power of ten, about `count` of them. */
  function ticks(low, high, count) {
    const raw = (high - low) / Math.max(1, count), power = 10 ** Math.floor(Math.log10(raw));
    const step = power * [1, 2, 5, 10].find(f => f * power >= raw * 0.999);
    const values = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) values.push(k * step);
    const size = Math.max(Math.abs(low), Math.abs(high));
    const digits = Math.min(12, Math.max(1, Math.floor(Math.log10(size || 1)) - Math.floor(Math.log10(step) + 1e-9) + 1));
    return values.map(v => ({ value: v, label: text(Math.abs(v) < step * 1e-6 ? 0 : v, digits) }));
  }
  function moveTip(x, y) {
    const box = tip.getBoundingClientRect(), gap = 14;
    const left = x + gap + box.width > innerWidth - 8 ? x - gap - box.width : x + gap;
    tip.style.left = Math.max(8, left) + "px";
    tip.style.top = Math.max(8, Math.min(y + gap, innerHeight - box.height - 8)) + "px";
  }

  /* ---- series ---- */
  const axes = data.times.map(t => new Float64Array(bytes(t)));
  const series = data.series.map(s => ({ ...s, t: axes[s.t], v: Float64Array.from(new Float32Array(bytes(s.v)), v => s.offset + s.scale * v) }));
  const times = axes.filter(t => t.length);
  const whole = [Math.min(...times.map(t => t[0])), Math.max(...times.map(t => t[t.length - 1]))];
  if (!(whole[1] > whole[0])) whole[1] = whole[0] + 1;
  let view = [...whole];

  /* Index of the last point at or before t, or -1. */
  function before(s, t) {
    let low = -1, high = s.t.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (s.t[middle] <= t) low = middle; else high = middle;
    }
    return low;
  }
  /* After an event when t is exactly its time. */
  function valueAt(s, t) {
    const i = before(s, t);
    if (i < 0 || (i === s.t.length - 1 && t > s.t[i])) return NaN;
    if (i === s.t.length - 1 || s.t[i] === t) return s.v[i];
    const part = (t - s.t[i]) / (s.t[i + 1] - s.t[i]);
    return s.v[i] + part * (s.v[i + 1] - s.v[i]);
  }
  function rangeOf(list) {
    let low = Infinity, high = -Infinity;
    for (const s of list) {
      const first = Math.max(0, before(s, view[0])), last = Math.min(s.t.length - 1, before(s, view[1]) + 1);
      for (let i = first; i <= last; ++i) {
        const inside = s.t[i] >= view[0] && s.t[i] <= view[1];
        const v = inside ? s.v[i] : valueAt(s, Math.min(view[1], Math.max(view[0], s.t[i])));
        if (!isFinite(v)) continue;
        if (v < low) low = v;
        if (v > high) high = v;
      }
    }
    if (low > high) return [0, 1];
    const size = Math.max(Math.abs(low), Math.abs(high));
    if (high - low <= 1e-12 * size || high === low) {
      const pad = size > 0 ? 0.1 * size : 1;
      return [low - pad, high + pad];
    }
    const pad = 0.06 * (high - low);
    return [low - pad, high + pad];
  }

  /* ---- one plot ---- */
  class Plot {
    constructor(title, unit, list, parent) {
      this.unit = unit;
      this.list = list.map((s, i) => ({ ...s, colour: i % colours, dash: dashes[Math.floor(i / colours) % dashes.length], on: true }));
      this.root = html("div", { className: "plot" }, parent);
      const heading = html("h3", { textContent: title }, this.root);
      html("span", { textContent: unit ? "  in " + unit : "" }, heading);
      this.svg = svg("svg", { role: "img", "aria-label": "Plot of " + list.map(s => s.name).join(", ") }, this.root);
      if (list.length > 1) this.legend();
      this.listen();
      this.seen = false;
    }
    legend() {
      const legend = html("div", { className: "legend" }, this.root);
      for (const s of this.list) {
        const button = html("button", { type: "button", title: "Show or hide " + s.name }, legend);
        button.setAttribute("aria-pressed", "true");
        const sample = svg("svg", { viewBox: "0 0 20 8" }, button);
        svg("line", { x1: 0, x2: 20, y1: 4, y2: 4, "stroke-width": 2.4, "stroke-dasharray": s.dash, style: `stroke:var(--c${s.colour})` }, sample);
        html("span", { textContent: s.label }, button);
        button.onclick = () => {
          s.on = !s.on;
          button.setAttribute("aria-pressed", String(s.on));
          this.draw();
        };
        button.onmouseenter = () => this.emphasise(s);
        button.onmouseleave = () => this.emphasise(null);
      }
    }
    emphasise(chosen) {
      for (const s of this.list) if (s.path) s.path.classList.toggle("dim", chosen !== null && chosen !== s);
    }
    x(t) { return this.left + (t - view[0]) / (view[1] - view[0]) * this.inner; }
    y(v) { return this.bottom - (v - this.range[0]) / (this.range[1] - this.range[0]) * (this.bottom - this.top); }
    time(x) { return view[0] + (x - this.left) / this.inner * (view[1] - view[0]); }
    draw() {
      if (!this.seen) return;
      this.drawn = this.svg.clientWidth;
      const width = Math.max(260, this.drawn || 600), height = width > 800 ? 300 : 230;
      this.svg.replaceChildren();
      this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
      this.svg.style.height = height + "px";
      this.range = rangeOf(this.list.filter(s => s.on));
      this.top = 8;
      this.bottom = height - 36;
      const yTicks = ticks(this.range[0], this.range[1], height / 30);
      this.left = Math.max(46, 14 + 6.9 * Math.max(...yTicks.map(t => t.label.length)));
      this.inner = width - this.left - 12;
      this.frame(yTicks, height);
      for (const s of this.list) s.path = s.on ? this.curve(s) : null;
      this.overlay = svg("g", { class: "overlay" }, this.svg);
    }
    frame(yTicks, height) {
      const right = this.left + this.inner;
      for (const tick of yTicks) {
        const y = this.y(tick.value);
        svg("line", { class: tick.value === 0 ? "zero" : "grid", x1: this.left, x2: right, y1: y, y2: y }, this.svg);
        svg("text", { x: this.left - 8, y: y + 4, "text-anchor": "end" }, this.svg).textContent = tick.label;
      }
      for (const tick of ticks(view[0], view[1], this.inner / 72)) {
        const x = this.x(tick.value);
        svg("line", { class: "grid", x1: x, x2: x, y1: this.top, y2: this.bottom }, this.svg);
        svg("line", { class: "axis", x1: x, x2: x, y1: this.bottom, y2: this.bottom + 4 }, this.svg);
        svg("text", { x, y: this.bottom + 17, "text-anchor": "middle" }, this.svg).textContent = tick.label;
      }
      svg("line", { class: "axis", x1: this.left, x2: right, y1: this.bottom, y2: this.bottom }, this.svg);
      svg("text", { x: right, y: height - 5, "text-anchor": "end" }, this.svg).textContent = "time in s";
      this.clip = this.clip || "clip" + Plot.count++;
      const clip = svg("clipPath", { id: this.clip }, svg("defs", {}, this.svg));
      svg("rect", { x: this.left, y: this.top - 2, width: this.inner, height: this.bottom - this.top + 4 }, clip);
    }
    curve(s) {
      const first = Math.max(0, before(s, view[0])), last = Math.min(s.t.length - 1, before(s, view[1]) + 1);
      let d = "", pen = "M";
      for (let i = first; i <= last; ++i) {
        const v = s.v[i];
        if (!isFinite(v)) { pen = "M"; continue; }
        d += pen + this.x(s.t[i]).toFixed(1) + "," + this.y(v).toFixed(1);
        pen = "L";
      }
      return svg("path", { class: "curve", d, "data-name": s.name, "stroke-dasharray": s.dash, "clip-path": `url(#${this.clip})`, style: `stroke:var(--c${s.colour})` }, this.svg);
    }
    cross(t, values) {
      if (!this.overlay) return;
      this.overlay.replaceChildren();
      if (t === null) return;
      const x = this.x(t);
      svg("line", { class: "cross", x1: x, x2: x, y1: this.top, y2: this.bottom }, this.overlay);
      if (!values) return;
      for (const { s, value } of values) {
        const y = this.y(value);
        if (isFinite(y)) svg("circle", { class: "dot", cx: x, cy: y, r: 4, style: `fill:var(--c${s.colour})` }, this.overlay);
      }
    }
    hover(event) {
      const t = this.time(this.position(event));
      const values = this.list.filter(s => s.on).map(s => ({ s, value: valueAt(s, t) }));
      for (const plot of plots) plot.cross(t, plot === this ? values : null);
      tip.replaceChildren(html("div", { className: "when", textContent: "t = " + text(t, 6) + " s" }));
      const table = html("table", {}, tip);
      for (const { s, value } of values) {
        const row = html("tr", {}, table);
        html("span", { className: "swatch c" + s.colour }, html("td", {}, row));
        html("td", { textContent: s.label }, row);
        html("td", { className: "n", textContent: text(value, 6) + (this.unit ? " " + this.unit : "") }, row);
      }
      tip.hidden = false;
      moveTip(event.clientX, event.clientY);
    }
    position(event) {
      const x = event.clientX - this.svg.getBoundingClientRect().left;
      return Math.min(this.left + this.inner, Math.max(this.left, x));
    }
    listen() {
      let start = null;
      const leave = () => {
        tip.hidden = true;
        for (const plot of plots) plot.cross(null);
      };
      this.svg.addEventListener("mousemove", event => {
        if (start === null) this.hover(event); else this.select(start, this.position(event));
      });
      this.svg.addEventListener("mouseleave", leave);
      this.svg.addEventListener("mousedown", event => {
        if (event.button !== 0) return;
        event.preventDefault();
        start = this.position(event);
        leave();
        const end = up => {
          removeEventListener("mouseup", end);
          const from = start, to = this.position(up);
          start = null;
          this.overlay.replaceChildren();
          if (Math.abs(to - from) > 4) zoom([this.time(Math.min(from, to)), this.time(Math.max(from, to))]);
        };
        addEventListener("mouseup", end);
      });
      this.svg.addEventListener("dblclick", () => zoom([...whole]));
    }
    select(from, to) {
      this.overlay.replaceChildren();
      svg("rect", { class: "select", x: Math.min(from, to), width: Math.abs(to - from), y: this.top, height: this.bottom - this.top }, this.overlay);
    }
  }
  Plot.count = 0;

  /* ---- all plots ---- */
  const place = document.getElementById("plots"), tools = document.getElementById("tools");
  let plots = [], grouping = "", filter = "";
  const drawnAtOnce = 12;
  function show(list) {
    for (const plot of list) plot.seen = true;
    for (const plot of list) plot.draw();
    /* A scroll bar that came meanwhile made them narrower. */
    for (const plot of list) if (plot.drawn !== plot.svg.clientWidth) plot.draw();
  }
  /* One after the other, so that the page answers meanwhile. */
  function showRest(list) {
    const next = list.find(plot => !plot.seen);
    if (next && list === plots) setTimeout(() => { if (list === plots) show([next]); showRest(list); });
  }

  function zoom(range) {
    const least = 1e-9 * (whole[1] - whole[0]);
    if (!(range[1] - range[0] > least)) return;
    view = range;
    reset.disabled = view[0] === whole[0] && view[1] === whole[1];
    for (const plot of plots) plot.draw();
  }
  function titleOf(part, bySubsystem) {
    if (part.length === 1) return part[0].name;
    if (bySubsystem) return part[0].subsystem;
    const same = part.every(s => s.variable === part[0].variable);
    return same ? part[0].variable : part[0].unit ? "Variables" : "Variables without unit";
  }
  /* One plot per unit, or per subsystem and unit; long groups are split. */
  function groups() {
    const found = new Map();
    const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
    for (const s of series) {
      if (!words.every(w => s.name.toLowerCase().includes(w))) continue;
      const key = grouping === "unit" ? s.unit : s.subsystem + "\n" + s.unit;
      if (!found.has(key)) found.set(key, []);
      found.get(key).push(s);
    }
    const list = [];
    for (const members of found.values()) {
      const bySubsystem = grouping === "subsystem" && members[0].subsystem;
      const pieces = Math.ceil(members.length / mostPerPlot), size = Math.ceil(members.length / pieces);
      for (let k = 0; k < pieces; ++k) {
        const part = members.slice(k * size, (k + 1) * size).map(s => ({ ...s, label: bySubsystem ? s.variable : s.name }));
        const number = pieces > 1 ? ` (${k + 1} of ${pieces})` : "";
        list.push({ title: titleOf(part, bySubsystem) + number, unit: members[0].unit, part });
      }
    }
    return list;
  }
  function rebuild() {
    place.replaceChildren();
    tip.hidden = true;
    const list = groups();
    place.classList.toggle("single", list.length < 3);
    plots = list.map(g => new Plot(g.title, g.unit, g.part, place));
    show(plots.slice(0, drawnAtOnce));
    showRest(plots);
    if (!list.length) html("p", { className: "none", textContent: series.length ? "No variable has that in its name." : "No results to plot." }, place);
  }
  const segments = html("div", { className: "segments" });
  function choose(how) {
    grouping = how;
    for (const button of segments.children) button.setAttribute("aria-pressed", String(button.value === how));
    rebuild();
  }
  for (const how of ["unit", "subsystem"]) html("button", { type: "button", value: how, textContent: "By " + how, onclick: () => choose(how) }, segments);
  const search = html("input", { type: "search", placeholder: "Find a variable" });
  search.setAttribute("aria-label", "Find a variable");
  search.oninput = () => { filter = search.value; rebuild(); };
  const reset = html("button", { type: "button", textContent: "Whole time", disabled: true, onclick: () => zoom([...whole]) });
  if (series.length) {
    if (series.length > 4) tools.append(search);
    if (new Set(series.map(s => s.subsystem)).size > 1) tools.append(segments);
    tools.append(reset);
    document.getElementById("plot-caption").textContent = "Drag across a plot to zoom into a time span, double-click for the whole; click a name to hide its curve."
      + (data.reduced ? ` ${data.reduced === series.length ? "All" : data.reduced} of the ${series.length} curves are drawn with fewer points than recorded; their extremes are kept.` : "");
  }
  choose("unit");
  let pending = 0;
  addEventListener("resize", () => {
    cancelAnimationFrame(pending);
    pending = requestAnimationFrame(() => { for (const plot of plots) if (plot.drawn !== plot.svg.clientWidth) plot.draw(); });
  });
  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details.section")) details.open = true;
    show(plots);
  });

  /* ---- tips, and what belongs together in the graph ---- */
  const graph = document.querySelector("svg.system");
  function light(target) {
    const node = target && target.closest(".node"), edge = target && target.closest(".edge");
    graph.classList.toggle("focus", Boolean(node || edge));
    for (const element of graph.querySelectorAll(".lit")) element.classList.remove("lit");
    const lit = new Set();
    if (node) lit.add(node.dataset.node);
    for (const e of graph.querySelectorAll(".edge")) {
      if (e !== edge && !(node && (e.dataset.a === node.dataset.node || e.dataset.b === node.dataset.node))) continue;
      e.classList.add("lit");
      lit.add(e.dataset.a).add(e.dataset.b);
    }
    for (const n of graph.querySelectorAll(".node")) n.classList.toggle("lit", lit.has(n.dataset.node));
  }
  document.addEventListener("mousemove", event => {
    const target = event.target instanceof Element ? event.target : null;
    if (target && target.closest(".plot svg")) return;
    const holder = target && target.closest("[data-tip]");
    if (graph) light(holder && graph.contains(holder) ? holder : null);
    tip.hidden = !holder;
    if (!holder) return;
    tip.textContent = holder.dataset.tip;
    moveTip(event.clientX, event.clientY);
  });

  /* ---- the page tries itself: open it with #selftest ---- */
  function selftest() {
    const findings = {}, claim = (name, holds) => { findings[name] = Boolean(holds); };
    show(plots);
    const plot = plots[0], curves = [...document.querySelectorAll(".plot .curve")];
    claim("there are plots", plots.length > 0);
    claim("every curve has a path", curves.length === series.length && curves.every(c => c.getAttribute("d").length > 3));
    claim("no curve that changes is flat", plots.every(p => p.list.every(s => !s.v.some(v => v !== s.v[0] && isFinite(v)) || p.list.length > 1 || new Set(s.path.getAttribute("d").match(/,[-.0-9]+/g)).size > 1)));
    claim("no path has a broken number", curves.every(c => !c.getAttribute("d").includes("NaN")));
    const box = plot.svg.getBoundingClientRect();
    /* Mouse events have whole pixels: returns the time of the one used. */
    const mouse = (type, part, target = plot.svg) => {
      const clientX = Math.round(box.left + plot.left + part * plot.inner), t = plot.time(clientX - box.left);
      target.dispatchEvent(new MouseEvent(type, { bubbles: true, button: 0, clientX, clientY: box.top + 60 }));
      return t;
    };
    const near = (a, b) => Math.abs(a - b) <= 1e-9 * (whole[1] - whole[0]);
    const middle = mouse("mousemove", 0.4), shown = [...tip.querySelectorAll("td.n")].map(td => td.textContent);
    claim("hover shows a value per curve", !tip.hidden && shown.length === plot.list.length);
    claim("hover shows the interpolated value", shown.every((value, i) => value.startsWith(text(valueAt(plot.list[i], middle), 6))));
    claim("hover draws a crosshair and dots", plot.overlay.querySelectorAll(".dot").length > 0 && plot.overlay.querySelector(".cross"));
    const from = mouse("mousedown", 0.25), to = mouse("mousemove", 0.5);
    claim("dragging marks a span", plot.overlay.querySelector(".select"));
    mouse("mouseup", 0.5, window);
    claim("releasing zooms into the span", near(view[0], from) && near(view[1], to));
    mouse("dblclick", 0.5);
    claim("a double click resets the zoom", view[0] === whole[0] && view[1] === whole[1]);
    const entry = document.querySelector(".legend button"), count = () => document.querySelectorAll(".curve").length, all = count();
    if (entry) entry.click();
    claim("a click on the legend hides a curve", !entry || count() === all - 1);
    if (entry) entry.click();
    claim("a second click shows it again", count() === all);
    const edge = graph && graph.querySelector(".edge .halo");
    if (edge) edge.dispatchEvent(new MouseEvent("mousemove", { bubbles: true, clientX: 200, clientY: 200 }));
    claim("an edge of the graph lists its connections", !edge || (!tip.hidden && tip.textContent.includes("→")));
    tip.hidden = true;
    html("pre", { id: "selftest", textContent: JSON.stringify(findings) }, document.body);
  }
  if (location.hash === "#selftest") {
    try { selftest(); } catch (error) { html("pre", { id: "selftest", textContent: "failed: " + error }, document.body); }
  }
})();
