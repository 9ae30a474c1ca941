  /* ---- all plots ---- */
  const place = document.getElementById("plots"), tools = document.getElementById("tools");
  let plots = [], asked = [], errors = [], grouping = "", filter = "";
  const allPlots = () => [...asked, ...errors, ...plots];
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
    for (const plot of allPlots()) plot.draw();
  }
  function titleOf(part, bySubsystem) {
    if (part.length === 1) return part[0].name;
    if (bySubsystem) return part[0].subsystem;
    const same = part.every(s => s.variable === part[0].variable);
    return same ? part[0].variable : part[0].unit ? "Variables" : "Variables without unit";
  }
  /* One plot per unit, or per subsystem and unit; long groups are split. */
  function groups(list, bySystem) {
    const found = new Map();
    for (const s of list) {
      const key = !bySystem ? s.unit : s.subsystem + "\n" + s.unit;
      if (!found.has(key)) found.set(key, []);
      found.get(key).push(s);
    }
    const result = [];
    for (const members of found.values()) {
      const bySubsystem = bySystem && members[0].subsystem;
      const pieces = Math.ceil(members.length / mostPerPlot), size = Math.ceil(members.length / pieces);
      for (let k = 0; k < pieces; ++k) {
        const part = members.slice(k * size, (k + 1) * size).map(s => ({ ...s, label: bySubsystem ? s.variable : s.name }));
        const number = pieces > 1 ? ` (${k + 1} of ${pieces})` : "";
        result.push({ title: titleOf(part, bySubsystem) + number, unit: members[0].unit, part });
      }
    }
    return result;
  }
  function rebuild() {
    place.replaceChildren();
    tip.hidden = true;
    const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
    const list = groups(series.filter(s => words.every(w => s.name.toLowerCase().includes(w))), grouping === "subsystem");
    place.classList.toggle("single", list.length < 3);
    plots = list.map(g => new Plot(g.title, g.unit, g.part, place));
    show(plots.slice(0, drawnAtOnce));
    showRest(plots);
    if (!list.length) html("p", { className: "none", textContent: series.length ? "No variable has that in its name." : "No results to plot." }, place);
  }
  /* The plots that the system asks for. */
  function askedPlot(wanted, parent) {
    const units = new Set(wanted.curves.map(s => s.unit)), mixed = units.size > 1;
    const list = wanted.curves.map(unpacked).map(s => ({ ...s, label: mixed && s.unit ? `${s.name} [${s.unit}]` : s.name }));
    const unit = mixed ? "" : list[0].unit, names = list.map(s => s.name).join(", ");
    const title = wanted.title || (wanted.x ? `${names} over ${wanted.x.name}` : names);
    const plot = wanted.x ? new XyPlot(title, unit, list, parent, wanted.x, wanted.equal) : new Plot(title, unit, list, parent);
    if (wanted.title && list.length === 1) plot.root.querySelector("h3 span").textContent = "  " + list[0].name + (unit ? " in " + unit : "");
    return plot;
  }
  function showAsked() {
    const parent = document.getElementById("asked"), below = document.getElementById("error-plots");
    parent.classList.toggle("single", data.asked.length === 1);
    asked = data.asked.map(wanted => askedPlot(wanted, parent));
    const list = groups(data.errors.map(unpacked), false);
    if (below) below.classList.toggle("single", list.length < 3);
    errors = list.map(g => new Plot(g.part.length > 1 ? "Differences" : "Difference of " + g.title, g.unit, g.part, below));
    show([...asked, ...errors]);
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
  showAsked();
  choose("unit");
  let pending = 0;
  addEventListener("resize", () => {
    cancelAnimationFrame(pending);
    pending = requestAnimationFrame(() => { for (const plot of allPlots()) if (plot.drawn !== plot.svg.clientWidth) plot.draw(); });
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
    show(allPlots());
    const plot = plots[0], curves = [...document.querySelectorAll(".plot .curve")];
    claim("there are plots", plots.length > 0);
    claim("every curve has a path", curves.length === allPlots().reduce((sum, p) => sum + p.list.length, 0) && curves.every(c => c.getAttribute("d").length > 3));
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
    for (const xy of asked.filter(p => p instanceof XyPlot)) {
      const frame = xy.svg.getBoundingClientRect(), s = xy.list[0], i = s.t.length >> 1;
      const at = (type, x, y, target = xy.svg) => target.dispatchEvent(new MouseEvent(type, { bubbles: true, button: 0, clientX: frame.left + x, clientY: frame.top + y }));
      const length = xy.span[1] - xy.span[0], scales = [xy.x(1) - xy.x(0), xy.y(0) - xy.y(1)];
      claim("equal axes have one scale", !xy.equal || Math.abs(scales[0] - scales[1]) < 1e-9 * scales[0]);
      at("mousemove", xy.x(s.h[i]), xy.y(s.v[i]));
      claim("hover over a course shows time and both values", !tip.hidden && tip.textContent.includes("t = ") && tip.querySelectorAll("td.n").length === xy.list.length + 1);
      claim("hover over a course marks the time in all plots", plot.overlay.querySelector(".cross"));
      at("mousedown", xy.left + 20, 40); at("mousemove", xy.left + 120, 100); at("mouseup", xy.left + 120, 100, window);
      claim("dragging zooms into a part of the course", xy.box && xy.span[1] - xy.span[0] < length);
      at("dblclick", xy.left + 20, 40);
      claim("a double click shows the whole course", xy.box === null);
    }
    const edge = graph && graph.querySelector(".edge .halo");
    if (edge) edge.dispatchEvent(new MouseEvent("mousemove", { bubbles: true, clientX: 200, clientY: 200 }));
    claim("an edge of the graph lists its connections", !edge || (!tip.hidden && tip.textContent.includes("→")));
    tip.hidden = true;
    html("pre", { id: "selftest", textContent: JSON.stringify(findings) }, document.body);
  }
  if (location.hash === "#selftest") {
    try { selftest(); } catch (error) { html("pre", { id: "selftest", textContent: "failed: " + error }, document.body); }
  }
