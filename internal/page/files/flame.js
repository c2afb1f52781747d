// The flame graph: a box for each node that is wide enough to be seen. It works by mouse, touch and keyboard.

import { amount, find, make, share } from "./text.js";
import { follow, pathOf } from "./tree.js";
import { set } from "./state.js";

const row = 18, narrowest = 2; // pixels

let root = null, zoomed = null, boxes = new Map(), focused = null;

export function drawFlame(tree, { zoom, q }) {
  const graph = find("flame"), wide = graph.clientWidth || 800, word = q.toLowerCase();
  [root, zoomed, boxes, focused] = [tree, follow(tree, zoom), new Map(), null];
  const list = [];
  let above = [];
  for (let n = zoomed.parent; n; n = n.parent) above.unshift(n);
  above.forEach((n, i) => list.push(box(n, 0, 100, i, word, "above")));
  let deepest = above.length;
  const place = (n, left, width, depth) => {
    list.push(box(n, left, width, depth, word, ""));
    deepest = Math.max(deepest, depth);
    let at = left;
    for (const c of n.sorted) {
      const w = n.weight ? width * c.weight / n.weight : 0;
      if (w * wide / 100 >= narrowest) place(c, at, w, depth + 1);
      at += w;
    }
  };
  place(zoomed, 0, 100, above.length);
  graph.style.height = (deepest + 1) * row + "px";
  graph.replaceChildren(...list);
  boxes.get(zoomed).tabIndex = 0;
  focused = zoomed;
  describe(zoomed);
  const found = word ? matched(zoomed, word) : 0;
  find("summary").textContent = `${amount(zoomed.total)} of ${amount(root.total)}` + (word ? `; ${amount(found)} (${share(found, zoomed.total)}) in “${q}”` : "");
}

// matched is the sum of the topmost nodes whose names have the word.
function matched(n, word) {
  if (n.parent && n.name.toLowerCase().includes(word)) return n.total;
  return n.sorted.reduce((sum, c) => sum + matched(c, word), 0);
}

function box(n, left, width, depth, word, extra) {
  const found = word && n.name.toLowerCase().includes(word) ? " found" : "";
  const b = make("div", { className: `k${n.kind} ${extra}${found}${n.total < 0 ? " less" : ""}`, tabIndex: -1, title: `${n.name}\n${about(n)}` }, n.name);
  b.setAttribute("role", "treeitem");
  b.setAttribute("aria-level", depth + 1);
  b.setAttribute("aria-label", `${n.name}, ${about(n)}`);
  Object.assign(b.style, { left: left + "%", width: width + "%", top: depth * row + "px" });
  b.addEventListener("click", () => zoomTo(n));
  b.addEventListener("focus", () => { focused = n; describe(n); });
  b.addEventListener("mouseenter", () => describe(n));
  boxes.set(n, b);
  return b;
}

function about(n) {
  const sizes = [amount(n.total), share(n.weight, root.weight)].filter(Boolean).join(", ") + (n.flat && n.flat !== n.total ? `, ${amount(n.flat)} of its own` : "");
  return n.objects > 0 ? `${sizes}, ${n.objects} blocks` : sizes;
}

function describe(n) {
  const where = n.about ? [n.about.file, n.about.library].filter(Boolean).join(", ") : "";
  find("detail").textContent = `${n.name}: ${about(n)}${where ? ". " + where : ""}`;
}

// zoomTo zooms to a node, and the keyboard goes on there.
export function zoomTo(n) {
  const by = document.activeElement?.closest("#flame");
  set({ zoom: pathOf(n) });
  if (by) boxes.get(zoomed)?.focus();
}

function move(to) {
  const b = to && boxes.get(to);
  if (!b) return;
  boxes.get(focused).tabIndex = -1;
  focused = to;
  b.tabIndex = 0;
  b.focus();
}

function neighbour(n, step) {
  const all = n.parent ? n.parent.sorted.filter((c) => boxes.has(c)) : [];
  return all[all.indexOf(n) + step];
}

find("flame").addEventListener("keydown", (e) => {
  const go = {
    ArrowUp: () => move(focused.parent), ArrowDown: () => move(focused.sorted.find((c) => boxes.has(c))),
    ArrowLeft: () => move(neighbour(focused, -1)), ArrowRight: () => move(neighbour(focused, 1)),
    Enter: () => zoomTo(focused), Escape: () => zoomTo(zoomed.parent || zoomed),
  }[e.key];
  if (!go || e.ctrlKey || e.metaKey || e.altKey) return;
  e.preventDefault();
  go();
});
