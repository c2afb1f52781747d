// What grew: how RSS and its parts moved between two moments of the timeline, and, where memory that was mapped directly may be
// the cause, who mapped it: at once, where suspects take minutes.

import { askJSON, bytes, coded, find, make, share } from "./text.js";
import { set } from "./state.js";
import { stacksOf } from "./tree.js";
import { whose } from "./suspects.js";

// series are what the timeline draws: the sum of its columns, by the colour's name.
export const series = [["RSS", "rss", ["rss"]], ["Go", "go", ["go_heap", "go_free", "go_stacks", "go_other"]], ["malloc: in use", "native", ["native"]],
  ["mapped directly", "mapped", ["mapped"]], ["malloc: free", "free", ["malloc_free"]]];

// beside are those that are no part of RSS; a process that uses no device has none.
const beside = [["on devices, not in RSS", "device", ["devices"]]];
export const isBeside = (s) => beside.includes(s);
export const drawn = (timeline, rows) => columnsOf(timeline, rows, beside)[0].some((n) => n !== null) ? [...series, ...beside] : series;

// Addresses that are mapped directly are not all memory, and a driver reserves many times what it uses. They have RSS's axis, and highest,
// its top, makes room for them up to twice as high as the other series are.
export const isAddresses = ([, colour]) => colour === "mapped";
export const highest = (others, addresses) => !others || addresses <= 2 * others ? Math.max(1, others, addresses) : others;

const minute = 60_000, lately = 10 * minute;
const little = 2 ** 20, littleShare = 0.02; // what RSS moves by in a service that does nothing
const partShare = 0.1, causeShare = 0.25; // of the growth: what is listed, what may be the cause
const mostMappers = 3, longEnough = 8; // minutes, as for verdicts on suspects

// columnsOf returns the values of each series, null where one is not known.
export function columnsOf(timeline, rows, list = series) {
  const column = Object.fromEntries(timeline.columns.map((c, i) => [c.name, i]));
  const sum = (row, names) => names.reduce((s, n) => s === null ? null : (row[column[n]] ?? null) === null ? null : s + row[column[n]], 0);
  return list.map(([, , names]) => rows.map((r) => sum(r, names)));
}

// levels returns the mean of each series over some of the rows, of what is known. Where nothing is, as of figures that are read up to
// a minute apart, it is what was read nearest to their time; null if that is more than two minutes away.
function levels(timeline, some, rows) {
  const time = (some[0][0] + some.at(-1)[0]) / 2, all = columnsOf(timeline, rows);
  const distance = (row) => Math.abs(row[0] - time);
  return columnsOf(timeline, some).map((values, i) => {
    const known = values.filter((n) => n !== null);
    if (known.length) return known.reduce((a, b) => a + b, 0) / known.length;
    const nearest = rows.map((row, at) => [distance(row), all[i][at]]).filter(([, n]) => n !== null).sort(([a], [b]) => a - b)[0];
    return nearest?.[0] <= 2 * minute ? nearest[1] : null;
  });
}

// moved returns by how much each series moved between two times. Its ends are means over a part of the time, for the series are
// not smooth: null for a series that is not known at both. It returns null where the timeline has not two ends, or RSS is not known there.
export function moved(timeline, rows, from, to) {
  const end = Math.min(30_000, (to - from) / 10);
  const first = rows.filter((r) => r[0] >= from && r[0] <= from + end), last = rows.filter((r) => r[0] <= to && r[0] >= to - end);
  if (!first.length || !last.length || first[0] === last[0]) return null;
  const before = levels(timeline, first, rows), after = levels(timeline, last, rows);
  const by = after.map((n, i) => n === null || before[i] === null ? null : n - before[i]);
  return by[0] === null ? null : { by, rss: after[0], minutes: (to - from) / minute };
}

const signed = (n) => (n > 0 ? "+" : "") + bytes(n);

// sentence says what moved. The rest is what no series has.
export function sentence({ by, rss, minutes }, when) {
  const [all, ...parts] = by;
  if (Math.abs(all) < Math.max(little, littleShare * rss)) return `RSS has hardly changed ${when}: ${signed(all)}.`;
  const named = parts.map((n, i) => [series[i + 1][0], n]), list = named.filter(([, n]) => n !== null);
  const unknown = named.filter(([, n]) => n === null).map(([name]) => `, ${name}: not known`).join("");
  list.push([`elsewhere (files, older memory that is only now written to, errors of sampling${unknown})`, restOf(by)]);
  const said = list.filter(([, n]) => Math.abs(n) >= partShare * Math.abs(all)).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]))
    .map(([name, n]) => `${signed(n)} ${name}${name === "mapped directly" && n > 1.1 * Math.abs(all) ? " (resident or not)" : ""}`);
  const rate = minutes >= 2 ? `, ${signed(all / minutes)} a minute` : "";
  return `RSS ${all > 0 ? "grew" : "fell"} ${when}: ${signed(all)}${rate}` + (said.length ? `. Of it ${said.join(", ")}.` : ".");
}

const restOf = ([all, ...parts]) => all - parts.reduce((a, b) => a + (b ?? 0), 0);

// mayBeMapped reports whether what RSS grew by may be memory that was mapped directly, now or earlier.
function mayBeMapped({ by, rss }) {
  const cause = Math.max(by[3] ?? 0, restOf(by));
  return by[0] >= Math.max(little, littleShare * rss) && cause >= causeShare * by[0];
}

// showGrowth says what grew lately. The recording began then, in milliseconds since 1970.
export async function showGrowth(timeline, began) {
  const rows = timeline.seconds, now = rows.at(-1)?.[0] ?? 0, first = rows[0]?.[0] ?? 0;
  const warm = began && now - began > 3 * minute ? began + minute : 0; // what a program does at its start is no growth
  const from = Math.max(first, now - lately, warm);
  const move = now - from >= minute ? moved(timeline, rows, from, now) : null;
  find("grew").hidden = !move;
  if (!move) return;
  find("grew").textContent = sentence(move, `in the last ${Math.round(move.minutes)} min`);
  try {
    showMappers(mayBeMapped(move) ? await mappers(causeShare * move.by[0]) : [], move.minutes >= longEnough);
  } catch (fault) {
    find("mappers").replaceChildren(make("li", { className: "fault" }, "Who mapped it could not be read: " + fault.message));
  }
}

// callerOf returns the Go function that called, by the rule of package guilty: of package main, or else of a module that is no
// dependency, or else of Go.
function callerOf(path, name, file) {
  const go = path.filter((f) => file(f).endsWith(".go") && !name(f).startsWith("C.") && !name(f).startsWith("runtime."));
  const own = (f) => /^[^/(]+\.[^/(]+\//.test(name(f)) && !file(f).includes("@v") && !file(f).includes("/vendor/");
  return go.find((f) => name(f).startsWith("main.")) ?? go.find(own) ?? go[0];
}

// mappers returns the stacks that mapped the most of what is resident, and so much at least, each with the innermost function
// first.
async function mappers(least) {
  const sent = await askJSON("stacks?view=rss&by=heap"), name = (f) => sent.texts[sent.functions[f][0]];
  const list = stacksOf(sent).filter(({ path }) => name(path[0]) === "heap: mapped" && !name(path.at(-1)).startsWith("["));
  const all = list.reduce((sum, s) => sum + s.self, 0);
  return list.filter((s) => s.self >= Math.max(least, partShare * all)).sort((a, b) => b.self - a.self).slice(0, mostMappers).map(({ path, self }) => {
    const stack = path.slice(1).map(name).reverse(), last = sent.functions[path.at(-1)];
    const caller = callerOf(path.slice(1).reverse(), name, (f) => sent.texts[sent.functions[f][1]]);
    return { stack, function: stack[0], caller: caller === undefined ? "" : name(caller), file: sent.texts[last[1]], bytes: self, all, time: sent.time };
  });
}

const seen = new Map(); // what each stack had when this page looked first

function showMappers(list, sure) {
  find("mappers").replaceChildren(...list.map((s) => {
    const key = s.stack.join("\n");
    if (!seen.has(key)) seen.set(key, s);
    const first = seen.get(key), grew = first === s ? "; refresh to see whether it goes on" : `, ${signed(s.bytes - first.bytes)} since ${new Date(first.time).toLocaleTimeString()}`;
    const text = `\`${s.function}\`${s.caller ? ", called from " + s.caller : ""}: ${bytes(s.bytes)} resident, ${share(s.bytes, s.all)} of what is mapped${grew}`;
    const open = make("button", { className: sure ? "grows" : "", title: "Shows its stack in the flame graph of RSS" }, make("span", { className: "class" }, "mapped"),
      make("span", { className: "who" }, whose(s)), make("div", {}, ...coded(text)));
    open.addEventListener("click", () => {
      set({ view: "rss", reverse: "", library: "", by: "", from: "", to: "", zoom: s.stack.toReversed() });
      find("stacks").scrollIntoView();
    });
    return make("li", {}, open);
  }));
}
