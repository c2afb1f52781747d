// Memory over time. Two picked points are two moments to compare.

import { bytes, find } from "./text.js";
import { set, state } from "./state.js";
import { columnsOf, drawn, highest, isAddresses, isBeside, moved, sentence } from "./growth.js";

const powers = Array.from({ length: 50 }, (_, i) => 2 ** i); // what lies between two ticks of bytes

let sent = null, chart = null, shownRange = "";

export function showTimeline(t) {
  sent = t;
  find("no-timeline").hidden = true;
  find("timeline").hidden = false;
  drawTimeline();
}

export function noTimeline(sentence) {
  sent = null;
  find("timeline").hidden = true;
  find("no-timeline").hidden = false;
  find("no-timeline").textContent = sentence;
}

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

const rowsOf = (range) => range === "days" ? sent.minutes : sent.seconds;

// known is what the legend shows of a moment, the last one while nobody points to the chart: the figure that was read last until
// then, and how old it is.
const known = (u, n, i, at) => {
  const [times, values] = [u.data[0], u.data[i]], end = at ?? times.length - 1;
  let last = end;
  while (last >= 0 && values[last] === null) last--;
  if (last < 0) return "–";
  const age = Math.round(times[end] - times[last]);
  const above = values[last] > u.scales[u.series[i].scale].max ? ", above the chart" : "";
  return bytes(values[last]) + above + (age < 2 ? "" : age < 120 ? `, ${age} s before` : `, ${Math.round(age / 60)} min before`);
};

export function drawTimeline() {
  if (!sent) return;
  shownRange = state().range;
  const rows = rowsOf(shownRange), target = find("timeline"), series = drawn(sent, rows);
  chart?.destroy();
  const columns = columnsOf(sent, rows, series), addresses = Math.max(...columns[series.findIndex(isAddresses)]);
  const range = (_, low, high) => [0, 1.05 * highest(high, 0)], ofDevices = series.some(isBeside); // which have a scale of their own
  const axis = { stroke: colour("ink"), grid: { stroke: colour("line"), width: 1 }, ticks: { stroke: colour("line"), width: 1 } };
  chart = new uPlot({
    width: target.clientWidth || 600, height: 220, cursor: { drag: { x: false, y: false }, y: false },
    scales: { y: { range: (_, low, high) => [0, 1.05 * highest(high, addresses)] }, addresses: { from: "y", range: (_, low, high) => [low, high] }, devices: { range } },
    axes: [axis, { ...axis, size: 76, incrs: powers, values: (_, all) => all.map(bytes) },
      ...(ofDevices ? [{ ...axis, scale: "devices", side: 1, stroke: colour("device"), grid: { show: false }, size: 76, incrs: powers, values: (_, all) => all.map(bytes) }] : [])],
    series: [{ label: "Time", value: (_, t) => t === null || t === undefined ? "latest" : new Date(t * 1000).toLocaleTimeString() },
      ...series.map((s) => ({ label: s[0], stroke: colour(s[1]), width: s[0] === "RSS" ? 2 : 1.5, spanGaps: true, value: known, scale: isBeside(s) ? "devices" : isAddresses(s) ? "addresses" : "y" }))],
    hooks: { draw: [mark] },
  }, [rows.map((r) => r[0] / 1000), ...columns], target);
  chart.over.addEventListener("click", () => pick(chart.cursor.idx));
  for (const b of find("range").children) b.setAttribute("aria-pressed", b.dataset.range === shownRange);
  say();
}

// mark draws the points that are picked.
function mark(u) {
  for (const t of [state().from, state().to]) {
    if (!t) continue;
    const x = u.valToPos(Number(t) / 1000, "x", true);
    u.ctx.save();
    u.ctx.fillStyle = colour("alarm");
    u.ctx.fillRect(x - 1, u.bbox.top, 2, u.bbox.height);
    u.ctx.restore();
  }
}

function pick(index) {
  if (index === null || index === undefined || find("compare").hidden) return;
  const at = String(Math.round(chart.data[0][index] * 1000)), { from, to } = state();
  if (!from || to) set({ from: at, to: "" });
  else set(Number(at) < Number(from) ? { from: at, to: from } : { to: at });
}

const clock = (t) => new Date(Number(t)).toLocaleString();

function say() {
  const { from, to } = state();
  find("compare").disabled = !(from && to);
  const move = to && sent ? moved(sent, rowsOf(shownRange), Number(from), Number(to)) : null;
  find("picked").textContent = move ? sentence(move, `from ${clock(from)} to ${clock(to)}`) : to ? `${clock(from)} to ${clock(to)}` : from ? `${clock(from)}; pick a second point` : "Pick two points to see what grew between them";
}

export function updateTimeline() {
  if (state().range !== shownRange) drawTimeline();
  chart?.redraw(false);
  say();
}

find("range").addEventListener("click", (e) => { if (e.target.dataset.range) set({ range: e.target.dataset.range }); });
find("compare").addEventListener("click", () => {
  set({ view: "growth", zoom: [], by: "" });
  find("stacks").scrollIntoView();
});
find("timeline").addEventListener("keydown", (e) => {
  if (!chart) return;
  const last = chart.data[0].length - 1, at = chart.cursor.idx ?? last, far = e.shiftKey ? 60 : 1;
  const to = { ArrowLeft: at - far, ArrowRight: at + far, Home: 0, End: last }[e.key];
  if (to !== undefined) {
    const x = chart.valToPos(chart.data[0][Math.min(last, Math.max(0, to))], "x");
    chart.setCursor({ left: x, top: 10 });
  } else if (e.key === "Enter") pick(at);
  else if (e.key === "Escape") set({ from: "", to: "" });
  else return;
  e.preventDefault();
});
addEventListener("resize", drawTimeline);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawTimeline);
