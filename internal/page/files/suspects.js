// The suspects: who grows, in a sentence, with a line of what was in use at each moment.

import { bytes, coded, find, make } from "./text.js";
import { set } from "./state.js";

const graphic = "http://www.w3.org/2000/svg";

function spark(series) {
  const svg = document.createElementNS(graphic, "svg");
  svg.setAttribute("class", "spark");
  svg.setAttribute("viewBox", "0 0 100 20");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `from ${bytes(series[0][1])} to ${bytes(series.at(-1)[1])}`);
  const [begin, end] = [series[0][0], series.at(-1)[0]], most = Math.max(1, ...series.map((m) => m[1]));
  const points = series.map(([t, n]) => `${(100 * (t - begin) / Math.max(1, end - begin)).toFixed(1)} ${(19 - 18 * n / most).toFixed(1)}`);
  const line = document.createElementNS(graphic, "path");
  line.setAttribute("d", "M" + points.join("L"));
  line.setAttribute("vector-effect", "non-scaling-stroke");
  svg.append(line);
  return svg;
}

// whose names the function that called, and the outermost of package main, which is often the handler of a request.
export function whose(s) {
  const plain = (name) => name.replace(/-fm$/, ""); // Go's own function for a method that is passed on
  const inner = plain(s.caller || s.function), outer = plain(s.stack.findLast((n) => n.startsWith("main.")) || "");
  return outer && outer !== inner ? `${inner}, from ${outer}` : inner;
}

// showEnd tells how a process ended, in place of suspects.
export function showEnd(sentences) {
  find("h-suspects").textContent = "How it ended";
  find("suspects").setAttribute("aria-busy", "false");
  find("suspects").replaceChildren(...sentences.map((s) => make("li", {}, s)));
}

const verdicts = 8 * 60_000; // what does not grow so far may do so until then

// classOf returns what a suspect is called on the page.
const classOf = (s) => s.class === "steady" && new Date(s.time) - new Date(s.since) < verdicts ? "too early" : s.class;

// none says why there are no suspects: nobody has looked, or nothing is in use.
function none(about) {
  if (!about?.moments) return "The first moment is being taken now. Growth is known after 14 s, verdicts after eight minutes: press Refresh then.";
  if (about.moments === 1) return "No sampled block of malloc was in use at the first moment. The next comes 14 s after it.";
  return `Nothing of malloc grows: no sampled block is in use. Moments looked at since ${new Date(about.looked).toLocaleTimeString()}: ${about.moments}. ` +
    "What is freed soon is in the view short-lived, what is mapped directly in RSS.";
}

export function showSuspects(all, about) {
  const shown = find("suspects"), list = all.filter((s) => s.bytes > 0 || s.class !== "steady").slice(0, 10);
  const grow = list.filter((s) => s.class !== "steady"), others = list.filter((s) => s.class === "steady");
  shown.setAttribute("aria-busy", "false");
  if (list.length === 0) shown.replaceChildren(make("li", { className: "more soft" }, none(about)));
  else if (grow.length === 0) shown.replaceChildren(make("li", { className: "more soft" }, "Of malloc, nothing is known to grow. In use:"), ...items(others));
  else shown.replaceChildren(...items(grow), ...folded(others));
}

// folded are those that do not grow, where others do.
function folded(others) {
  if (others.length === 0) return [];
  return [make("li", { className: "more" }, make("details", {}, make("summary", {}, `${others.length} more in use, not known to grow`), make("ul", {}, ...items(others))))];
}

function items(list) {
  return list.map((s) => {
    const open = make("button", { className: s.class, title: "Shows its stack in the flame graph" }, make("span", { className: "class" }, classOf(s)),
      make("span", { className: "who" }, whose(s)), make("div", {}, ...coded(s.sentence)));
    if (s.series && s.series.length > 1) open.append(spark(s.series));
    const growth = s.moments > 1 ? `, ${bytes(s.growth)} ± ${bytes(s.growth_error)} a minute` : ""; // a single one shows none
    if (s.growth_error || s.bytes_error) open.append(make("span", { className: "error" }, `95 %: ${bytes(s.bytes)} ± ${bytes(s.bytes_error)} in use${growth}`));
    open.addEventListener("click", () => {
      set({ view: { device: "device", malloc: "inuse" }[s.kind || "malloc"] || "rss", reverse: "", library: "", by: "", from: "", to: "", zoom: s.stack.toReversed() });
      find("stacks").scrollIntoView();
    });
    return make("li", {}, open);
  });
}
