// The lines of a function: what each has, and its text if the file is where the program runs.

import { amount, askJSON, find, make } from "./text.js";
import { set, state } from "./state.js";
import { query } from "./stacks.js";

const mostNear = 200; // lines with bytes, those with the most

let tries = 0, shownFor = "";

// linesOf returns the lines of the function in the state, by number: flat and cumulative.
function linesOf(sent, { source, file }) {
  const lines = new Map();
  for (const [f, line, flat, cum] of sent.lines) {
    const about = sent.functions[f];
    if (sent.texts[about[0]] !== source || sent.texts[about[1]] !== file) continue;
    const known = lines.get(line) || [0, 0];
    lines.set(line, [known[0] + flat, known[1] + cum]);
  }
  return new Map([...lines].sort((a, b) => Math.abs(b[1][1]) - Math.abs(a[1][1])).slice(0, mostNear));
}

// profile is what to ask for, to show that the file is one of the program's. Views that copy the process or wait are not asked for again.
function profile(s) {
  const dear = ["unreachable", "heldby"].includes(s.view) || s.view === "growth" && !(s.from && s.to);
  return query({ ...s, by: "", view: dear ? "inuse" : s.view });
}

export async function showSource(sent) {
  const s = state(), wanted = [s.source, s.file, sent.time, sent.view].join("\n");
  find("source").hidden = !s.source;
  if (!s.source || wanted === shownFor) return;
  shownFor = wanted;
  const mine = ++tries, lines = linesOf(sent, s), near = [...lines.keys()].map((n) => "&near=" + n).join("");
  find("source-of").textContent = `${s.source}, ${s.file}`;
  show(lines, {}, near ? "reading…" : "the debug data has no lines of it here");
  if (!near) return;
  try {
    const got = await askJSON("source" + profile(s) + "&file=" + encodeURIComponent(s.file) + near);
    if (mine === tries) show(lines, got.lines, got.missing || "");
  } catch (fault) {
    if (mine === tries) show(lines, {}, fault.message);
  }
}

// show writes the table. Where lines are left out, there is a gap.
function show(lines, texts, sentence) {
  const numbers = [...new Set([...lines.keys(), ...Object.keys(texts).map(Number)])].sort((a, b) => a - b);
  const rows = [];
  numbers.forEach((n, i) => {
    if (i > 0 && n > numbers[i - 1] + 1) rows.push(make("tr", {}, make("td", {}), make("td", {}), make("td", { className: "n" }, "…"), make("td", {})));
    const [flat, cum] = lines.get(n) || [0, 0];
    rows.push(make("tr", { className: lines.has(n) ? "found" : "" }, make("td", { className: "n" }, flat ? amount(flat) : ""), make("td", { className: "n" }, cum ? amount(cum) : ""),
      make("td", { className: "n" }, n), make("td", {}, make("code", {}, texts[n] ?? ""))));
  });
  find("source").querySelector("tbody").replaceChildren(...rows);
  find("source-missing").textContent = sentence;
}

find("source-close").addEventListener("click", () => set({ source: "", file: "" }));
