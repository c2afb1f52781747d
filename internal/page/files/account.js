// The account: a bar and a list that add up to RSS.

import { bytes, find, make, share } from "./text.js";

const colours = 10;

export function showAccount(a, of) {
  const bar = find("account-bar"), body = find("account").tBodies[0];
  bar.replaceChildren();
  body.replaceChildren();
  a.lines.forEach((line, i) => {
    const colour = "c" + Math.min(i, colours - 1);
    const part = make("span", { className: colour, title: `${line.name}: ${bytes(line.resident)}` });
    part.style.width = 100 * line.resident / Math.max(1, a.rss) + "%";
    bar.append(part);
    const about = make("td", { title: line.sentence }, line.name);
    if (line.error) about.append(make("span", { className: "error" }, ` ± ${bytes(line.error)}`));
    if (line.read_error) about.append(make("div", { className: "fault" }, line.read_error));
    body.append(make("tr", {}, make("td", { className: "swatch" }, make("span", { className: colour })),
      make("td", { className: "n" }, bytes(line.resident)), make("td", { className: "n" }, share(line.resident, a.rss)), about));
  });
  body.append(make("tr", {}, make("td", {}), make("td", { className: "n" }, make("b", {}, bytes(a.rss))), make("td", {}), make("td", {}, make("b", {}, "RSS"))));
  bar.setAttribute("aria-label", a.lines.map((l) => `${l.name} ${share(l.resident, a.rss)}`).join(", "));
  find("advice").replaceChildren(...(a.advice || []).map((s) => make("li", {}, s)));
  if (!of) find("about").textContent = `RSS ${bytes(a.rss)} at ${new Date(a.time).toLocaleTimeString()}` + (a.partial ? `, partial: ${a.partial}` : "");
}
