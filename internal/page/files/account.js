// The account: a bar and a list that add up to RSS.

import { bytes, find, make, share } from "./text.js";
import { set } from "./state.js";
import { offers } from "./stacks.js";

// kinds are the colours of lines, by the first kind whose beginning the name has; they are those of the timeline.
const kinds = [["malloc: free", "free"], ["malloc", "native"], ["Go", "go"], ["mapped", "mapped"], ["shared memory", "mapped"], ["", "rest"]];
const fainter = 0.22, faintest = 0.3; // lines of one kind differ in strength

// shows are the stacks of a line.
const mapped = { view: "rss", by: "heap", zoom: ["heap: mapped"] };
const shows = { "malloc: in use": { view: "inuse" }, "mapped directly": mapped, "mapped data files": mapped, "shared memory": mapped,
  "mapped device files": mapped,
  "Go: heap in use": { view: "rss", by: "heap", zoom: ["heap: go"] } };

// nameOf returns the line's name, as a button if there are stacks.
function nameOf(line) {
  const to = shows[line.name];
  return to && offers(to.view) ? shown(line.name, to) : line.name;
}

// shown is a button that shows stacks.
function shown(name, to) {
  const open = make("button", { title: "Shows its stacks" }, name);
  open.addEventListener("click", () => {
    set({ reverse: "", library: "", by: "", from: "", to: "", zoom: [], ...to });
    find("stacks").scrollIntoView();
  });
  return open;
}

export function showAccount(a, about) {
  const bar = find("account-bar"), body = find("account").tBodies[0];
  bar.replaceChildren();
  body.replaceChildren();
  const counts = {};
  a.lines.forEach((line) => {
    const colour = kinds.find(([beginning]) => line.name.startsWith(beginning))[1], nth = counts[colour] = (counts[colour] ?? -1) + 1;
    const strength = Math.max(faintest, 1 - fainter * nth);
    const part = make("span", { className: colour, title: `${line.name}: ${bytes(line.resident)}` });
    part.style.opacity = strength;
    part.style.width = 100 * line.resident / Math.max(1, a.rss) + "%";
    bar.append(part);
    const name = make("td", { title: line.sentence }, nameOf(line)), swatch = make("span", { className: colour });
    swatch.style.opacity = strength;
    if (line.detail) name.append(make("div", { className: "error" }, line.detail));
    if (line.error) name.append(make("span", { className: "error" }, ` ± ${bytes(line.error)}`));
    else if (line.known === "estimate") name.append(make("span", { className: "error" }, " (estimate)"));
    if (line.read_error) name.append(make("div", { className: "fault" }, line.read_error));
    body.append(make("tr", {}, make("td", { className: "swatch" }, swatch),
      make("td", { className: "n" }, bytes(line.resident)), make("td", { className: "n" }, share(line.resident, a.rss)), name));
  });
  body.append(make("tr", {}, make("td", {}), make("td", { className: "n" }, make("b", {}, bytes(a.rss))), make("td", {}), make("td", {}, make("b", {}, "RSS"))));
  for (const line of a.devices || []) {
    const name = make("td", { title: line.sentence }, offers("device") ? shown(line.name, { view: "device", by: "device" }) : line.name);
    for (const text of [line.detail, line.read_error]) if (text) name.append(make("div", { className: text === line.detail ? "soft" : "fault" }, text));
    body.append(make("tr", { className: "soft" }, make("td", {}), make("td", { className: "n" }, line.read_error ? "–" : bytes(line.resident)), make("td", {}), name));
  }
  bar.setAttribute("aria-label", a.lines.map((l) => `${l.name} ${share(l.resident, a.rss)}`).join(", "));
  find("advice").replaceChildren(...(a.advice || []).map((s) => make("li", {}, s)));
  const process = about?.pid ? `${about.name}, process ${about.pid}: ` : "";
  if (!about?.of) find("about").textContent = `${process}RSS ${bytes(a.rss)} at ${new Date(a.time).toLocaleTimeString()}` + (a.partial ? `, partial: ${a.partial}` : "");
}
