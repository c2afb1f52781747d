// The stacks: which profile is shown, and how. What the server has sent stays until another profile is wanted.

import { amount, askJSON, bytes, find, make, measure, share } from "./text.js";
import { set, state } from "./state.js";
import { build, follow, table } from "./tree.js";
import { drawFlame } from "./flame.js";
import { showSource } from "./source.js";

let views = [["inuse", "in use", "native memory in use now"], ["rss", "RSS", "all that is resident, Go's heap too"],
  ["growth", "growth", "between the two points that are picked in the timeline; without them, in the next ten seconds"],
  ["unreachable", "unreachable", "nothing was found that points to it"], ["heldby", "held by", "by what points to it"],
  ["peak", "peak", "in use when the most was"], ["shortlived", "short-lived", "freed within a second"], ["device", "devices", "memory of graphics cards, which is not in RSS"]];

const waiting = "10"; // seconds, for growth from now on
const mostRows = 200;

let sent = null, sentFor = null, tree = null, tries = 0;

// query is what to ask for; file says whether it is for the profile as a file.
export function query({ view, by, from, to }, file) {
  const p = new URLSearchParams({ view });
  if (view === "growth") {
    if (from && to) { p.set("from", from); p.set("to", to); } else p.set("seconds", waiting);
  }
  if (by && !file) p.set("by", by);
  return "?" + p;
}

// load gets what the state says, unless it is there.
export async function load(again) {
  const wanted = query(state());
  marks();
  if (!again && wanted === sentFor) return draw();
  const mine = ++tries;
  sentFor = wanted;
  find("stacks").setAttribute("aria-busy", "true");
  find("summary").textContent = wanted.includes("seconds=") ? `the answer comes in ${waiting} s…` : "reading…";
  try {
    const got = await askJSON("stacks" + wanted);
    if (mine !== tries) return; // another one is wanted by now
    sent = got;
    draw();
  } catch (fault) {
    if (mine !== tries) return;
    [sent, sentFor, tree] = [null, null, null];
    find("flame").replaceChildren();
    find("functions").tBodies[0].replaceChildren();
    find("source").hidden = true;
    find("detail").textContent = "";
    find("summary").textContent = fault.message;
  } finally {
    if (mine === tries) find("stacks").setAttribute("aria-busy", "false");
  }
}

function draw() {
  if (!sent) return;
  const s = state();
  measure(sent.unit);
  tree = build(sent, s);
  graph(s);
  labels();
  rows();
  showSource(sent);
  const cut = sent.cut ? [`${sent.cut.toLocaleString()} small nodes are joined in “(small ones)”: what functions have in them is not in the table, not found by a search, and ` +
    "not in the graph if it is reversed or by library; the file has all"] : [];
  find("comments").replaceChildren(...[...cut, ...(sent.comments || [])].map((c) => make("li", {}, readable(c))));
}

// readable is a comment for a person: those in files have sizes in bytes.
const readable = (comment) => comment.replace(/^cgoheap: /, "")
  .replace(/(\d{4,})(?: ± (\d+))? bytes/g, (_, n, error) => bytes(Number(n)) + (error ? ` ± ${bytes(Number(error))}` : ""));

// empty says of views why nothing may be in them.
const empty = { inuse: "No sampled block of malloc is in use. What is mapped directly is in the view RSS.",
  growth: "Nothing of malloc grew. What is mapped directly is in the view RSS.", unreachable: "Nothing is unreachable, as far as samples tell.",
  heldby: "No sampled block of malloc is in use.", shortlived: "No sampled block of malloc was freed within a second.",
  device: "No memory of a device is in use." };

let beginning = 0; // of the recording, in milliseconds since 1970

export const began = (time) => { beginning = time; };

const clock = (time) => new Date(time).toLocaleTimeString();

// remark adds to the summary what the numbers alone do not say.
function remark({ view }) {
  if (view === "growth" && sent.from) find("summary").textContent += `; from ${clock(sent.from)} to ${clock(sent.time)}`;
  if (tree.weight === 0 && empty[view]) find("summary").textContent = empty[view];
  else if (view === "shortlived" && beginning && sent.time > beginning) {
    find("summary").textContent += `; ${amount(1000 * tree.total / (sent.time - beginning))} a second since ${new Date(beginning).toLocaleTimeString()}`;
  }
}

function graph(s) {
  drawFlame(tree, s);
  remark(s);
}

function labels() {
  const choice = find("label"), { by } = state();
  const keys = Object.keys(sent.labels);
  if (by && !keys.includes(by)) keys.push(by);
  choice.replaceChildren(make("option", { value: "" }, "none"), ...keys.map((k) => make("option", { value: k }, k)));
  choice.value = by;
}

function rows() {
  const { sort, zoom } = state(), at = follow(tree, zoom);
  const order = sort === "name" ? (a, b) => a.name < b.name ? -1 : 1 : (a, b) => Math.abs(b[sort]) - Math.abs(a[sort]) || (a.name < b.name ? -1 : 1);
  const list = table(at).filter((r) => r.flat || r.cum).sort(order);
  find("functions").tBodies[0].replaceChildren(...list.slice(0, mostRows).map((r) => {
    const name = make("button", { title: "Searches for it" }, r.name);
    name.addEventListener("click", () => { find("find").value = r.name; set({ q: r.name }); });
    return make("tr", {}, make("td", { title: share(r.flat, at.total) }, amount(r.flat)), make("td", { title: share(r.cum, at.total) }, amount(r.cum)), make("td", {}, name),
      make("td", {}, r.about.library), make("td", {}, fileOf(r)));
  }));
  for (const b of document.querySelectorAll("#functions th button")) b.setAttribute("aria-pressed", b.dataset.sort === sort);
}

// fileOf returns the file's name, which shows the function's lines; or nothing.
function fileOf(r) {
  if (!r.about.file) return "";
  const file = make("button", { title: "Shows its lines" }, r.about.file);
  file.addEventListener("click", () => set({ source: r.name, file: r.about.file }));
  return file;
}

// marks shows the state in the controls.
function marks() {
  const s = state();
  for (const b of find("views").children) b.setAttribute("aria-pressed", b.dataset.view === s.view);
  find("reverse").setAttribute("aria-pressed", Boolean(s.reverse));
  find("library").setAttribute("aria-pressed", Boolean(s.library));
  find("unzoom").disabled = s.zoom.length === 0;
  if (find("find").value !== s.q) find("find").value = s.q;
  find("download").href = "profile" + query(s, true);
}

function buttons() {
  find("views").replaceChildren(...views.map(([view, name, title]) => {
    const b = make("button", { title }, name);
    b.dataset.view = view;
    b.addEventListener("click", () => set({ view, zoom: [] }));
    return b;
  }));
}

// offers reports whether there is a view of that name.
export const offers = (name) => views.some(([view]) => view === name);

// offer replaces the views. It reports whether another one is shown now, and loaded.
export function offer(list) {
  views = list;
  buttons();
  find("compare").hidden = find("picked").hidden = !list.some(([view]) => view === "growth");
  const there = offers(state().view);
  if (!there) set({ view: views[0][0], zoom: [] }, true);
  return !there;
}

buttons();
find("reverse").addEventListener("click", () => set({ reverse: state().reverse ? "" : "1", zoom: [] }));
find("library").addEventListener("click", () => set({ library: state().library ? "" : "1", zoom: [] }));
find("label").addEventListener("change", (e) => set({ by: e.target.value, zoom: [] }));
find("unzoom").addEventListener("click", () => set({ zoom: [] }));
find("find").addEventListener("input", (e) => set({ q: e.target.value }, true));
for (const b of document.querySelectorAll("#functions th button")) b.addEventListener("click", () => set({ sort: b.dataset.sort }));
addEventListener("resize", () => { if (tree) graph(state()); });
