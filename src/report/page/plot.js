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
  const numbers = p => Float64Array.from(new Float32Array(bytes(p.v)), v => p.offset + p.scale * v);
  /* h: what the curve is drawn over, if that is not time. */
  const unpacked = s => ({ ...s, t: axes[s.t], v: numbers(s), h: s.x ? numbers(s.x) : null });
  const series = data.series.map(unpacked);
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
  function valueAt(s, t, v = s.v) {
    const i = before(s, t);
    if (i < 0 || (i === s.t.length - 1 && t > s.t[i])) return NaN;
    if (i === s.t.length - 1 || s.t[i] === t) return v[i];
    const part = (t - s.t[i]) / (s.t[i + 1] - s.t[i]);
    return v[i] + part * (v[i + 1] - v[i]);
  }
  function padded(low, high) {
    if (low > high) return [0, 1];
    const size = Math.max(Math.abs(low), Math.abs(high));
    const flat = high - low <= 1e-12 * size || high === low;
    const pad = !flat ? 0.06 * (high - low) : size > 0 ? 0.1 * size : 1;
    return [low - pad, high + pad];
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
    return padded(low, high);
  }

  /* ---- one plot ---- */
  class Plot {
    constructor(title, unit, list, parent) {
      this.xLabel = "time in s";
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
    get span() { return view; }
    x(h) { return this.left + (h - this.span[0]) / (this.span[1] - this.span[0]) * this.inner; }
    y(v) { return this.bottom - (v - this.range[0]) / (this.range[1] - this.range[0]) * (this.bottom - this.top); }
    time(x) { return view[0] + (x - this.left) / this.inner * (view[1] - view[0]); }
    /* Ranges and margins; returns the height. */
    measure(width) {
      const height = width > 800 ? 300 : 230;
      this.range = rangeOf(this.list.filter(s => s.on));
      this.margins(width, height);
      return height;
    }
    margins(width, height) {
      this.top = 8;
      this.bottom = height - 36;
      this.yTicks = ticks(this.range[0], this.range[1], height / 30);
      this.left = Math.max(46, 14 + 6.9 * Math.max(...this.yTicks.map(t => t.label.length)));
      this.inner = width - this.left - 12;
    }
    draw() {
      if (!this.seen) return;
      this.drawn = this.svg.clientWidth;
      const width = Math.max(260, this.drawn || 600), height = this.measure(width);
      this.svg.replaceChildren();
      this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
      this.svg.style.height = height + "px";
      this.frame(this.yTicks, height);
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
      for (const tick of ticks(this.span[0], this.span[1], this.inner / 72)) {
        const x = this.x(tick.value);
        svg("line", { class: "grid", x1: x, x2: x, y1: this.top, y2: this.bottom }, this.svg);
        svg("line", { class: "axis", x1: x, x2: x, y1: this.bottom, y2: this.bottom + 4 }, this.svg);
        svg("text", { x, y: this.bottom + 17, "text-anchor": "middle" }, this.svg).textContent = tick.label;
      }
      svg("line", { class: "axis", x1: this.left, x2: right, y1: this.bottom, y2: this.bottom }, this.svg);
      svg("text", { x: right, y: height - 5, "text-anchor": "end" }, this.svg).textContent = this.xLabel;
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
      this.show(this.time(this.position(event)), event);
    }
    /* All plots at one time, and a table of the values of this one. */
    show(t, event) {
      const values = this.list.filter(s => s.on).map(s => ({ s, value: valueAt(s, t) }));
      for (const plot of allPlots()) plot.cross(t, plot === this ? values : null);
      tip.replaceChildren(html("div", { className: "when", textContent: "t = " + text(t, 6) + " s" }));
      const table = html("table", {}, tip);
      for (const { s, value } of values) {
        const row = html("tr", {}, table);
        html("span", { className: "swatch c" + s.colour }, html("td", {}, row));
        html("td", { textContent: s.label }, row);
        html("td", { className: "n", textContent: text(value, 6) + (s.unit ? " " + s.unit : "") }, row);
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
        for (const plot of allPlots()) plot.cross(null);
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
          this.zoomTo(from, to);
        };
        addEventListener("mouseup", end);
      });
      this.svg.addEventListener("dblclick", () => this.zoomOut());
    }
    zoomTo(from, to) {
      if (Math.abs(to - from) > 4) zoom([this.time(Math.min(from, to)), this.time(Math.max(from, to))]);
    }
    zoomOut() { zoom([...whole]); }
    select(from, to) {
      this.overlay.replaceChildren();
      svg("rect", { class: "select", x: Math.min(from, to), width: Math.abs(to - from), y: this.top, height: this.bottom - this.top }, this.overlay);
    }
  }
  Plot.count = 0;

  /* ---- one plot over another variable than time: the part of the time span is drawn in full ---- */
  class XyPlot extends Plot {
    constructor(title, unit, list, parent, x, equal) {
      super(title, unit, list, parent);
      this.variable = x;
      this.xLabel = x.name + (x.unit ? " in " + x.unit : "");
      this.equal = equal;
      this.box = null;
    }
    get span() { return this.across; }
    measure(width) {
      const on = this.list.filter(s => s.on);
      const extent = of => {
        let low = Infinity, high = -Infinity;
        for (const s of on) for (const v of of(s)) if (isFinite(v)) { low = Math.min(low, v); high = Math.max(high, v); }
        return padded(low, high);
      };
      this.range = this.box ? this.box.y : extent(s => s.v);
      this.across = this.box ? this.box.x : extent(s => s.h);
      let height = width > 800 ? 420 : 300;
      this.margins(width, height);
      if (!this.equal) return height;
      const length = r => r[1] - r[0], between = this.inner * length(this.range) / length(this.across);
      height = 44 + Math.min(Math.max(160, between), 600, 0.8 * width);
      const room = height - 44, scale = Math.min(this.inner / length(this.across), room / length(this.range));
      const widened = (r, size) => [(r[0] + r[1] - size) / 2, (r[0] + r[1] + size) / 2];
      this.range = widened(this.range, room / scale);
      this.margins(width, height);
      this.across = widened(this.across, this.inner / scale);
      return height;
    }
    path(s, first, last) {
      let d = "", pen = "M";
      for (let i = first; i <= last; ++i) {
        if (!isFinite(s.h[i]) || !isFinite(s.v[i])) { pen = "M"; continue; }
        d += pen + this.x(s.h[i]).toFixed(1) + "," + this.y(s.v[i]).toFixed(1);
        pen = "L";
      }
      return d;
    }
    curve(s) {
      const look = { "stroke-dasharray": s.dash, "clip-path": `url(#${this.clip})`, style: `stroke:var(--c${s.colour})` };
      const first = Math.max(0, before(s, view[0])), last = Math.min(s.t.length - 1, before(s, view[1]) + 1);
      if (first > 0 || last < s.t.length - 1) svg("path", { class: "trace", d: this.path(s, 0, s.t.length - 1), ...look }, this.svg);
      return svg("path", { class: "curve", d: this.path(s, first, last), "data-name": s.name, ...look }, this.svg);
    }
    cross(t) {
      if (!this.overlay) return;
      this.overlay.replaceChildren();
      if (t === null) return;
      for (const s of this.list.filter(one => one.on)) {
        const cx = this.x(valueAt(s, t, s.h)), cy = this.y(valueAt(s, t));
        if (isFinite(cx) && isFinite(cy)) svg("circle", { class: "dot", cx, cy, r: 4.5, style: `fill:var(--c${s.colour})` }, this.overlay);
      }
    }
    /* The point of a curve that is nearest to the mouse tells the time. */
    hover(event) {
      const [x, y] = this.position(event);
      let nearest = null, least = Infinity;
      for (const s of this.list) for (let i = 0; s.on && i < s.t.length; ++i) {
        const far = Math.hypot(this.x(s.h[i]) - x, this.y(s.v[i]) - y);
        if (s.t[i] >= view[0] && s.t[i] <= view[1] && far < least) { least = far; nearest = { s, t: s.t[i] }; }
      }
      if (!nearest) return;
      this.show(nearest.t, event);
      const row = html("tr", {}, tip.querySelector("table"));
      html("td", {}, row);
      html("td", { textContent: this.variable.name }, row);
      html("td", { className: "n", textContent: text(valueAt(nearest.s, nearest.t, nearest.s.h), 6) + (this.variable.unit ? " " + this.variable.unit : "") }, row);
      moveTip(event.clientX, event.clientY);
    }
    position(event) {
      const y = event.clientY - this.svg.getBoundingClientRect().top;
      return [super.position(event), Math.min(this.bottom, Math.max(this.top, y))];
    }
    select([x0, y0], [x1, y1]) {
      this.overlay.replaceChildren();
      svg("rect", { class: "select", x: Math.min(x0, x1), width: Math.abs(x1 - x0), y: Math.min(y0, y1), height: Math.abs(y1 - y0) }, this.overlay);
    }
    zoomTo([x0, y0], [x1, y1]) {
      if (Math.abs(x1 - x0) <= 4 || Math.abs(y1 - y0) <= 4) return;
      const h = x => this.span[0] + (x - this.left) / this.inner * (this.span[1] - this.span[0]);
      const v = y => this.range[0] + (this.bottom - y) / (this.bottom - this.top) * (this.range[1] - this.range[0]);
      this.box = { x: [h(Math.min(x0, x1)), h(Math.max(x0, x1))], y: [v(Math.max(y0, y1)), v(Math.min(y0, y1))] };
      this.draw();
    }
    zoomOut() {
      this.box = null;
      this.draw();
    }
  }
