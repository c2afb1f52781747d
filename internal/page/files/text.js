// What several parts of the page write: sizes, and elements. Names come from binaries, so all text is set as text.

const units = ["B", "KiB", "MiB", "GiB", "TiB"];

// bytes writes a size with three digits.
export function bytes(n) {
  let unit = 0, size = Math.abs(n);
  while (size >= 999.5 && unit < units.length - 1) { size /= 1024; unit++; }
  const digits = unit === 0 || size >= 100 ? 0 : size >= 10 ? 1 : 2;
  return (n < 0 ? "−" : "") + size.toFixed(digits) + " " + units[unit];
}

// amount writes a value of the profile that is shown, in the unit that measure was told.
export let amount = bytes;

export function measure(unit) {
  if (unit === "bytes") amount = bytes;
  else if (unit === "nanoseconds") amount = (n) => (Math.abs(n) < 999.5e9 ? (n / 1e9).toPrecision(3) : (n / 1e9).toFixed()) + " s";
  else amount = (n) => n.toLocaleString() + (unit === "count" ? "" : " " + unit);
}

export const share = (part, all) => all ? (100 * part / all).toFixed(1) + " %" : "";

// make returns an element with text, or with other elements in it.
export function make(name, properties, ...inside) {
  const e = Object.assign(document.createElement(name), properties);
  e.append(...inside);
  return e;
}

// coded returns a text as parts for make: what is between backticks is code.
export const coded = (text) => text.split("`").map((t, i) => i % 2 ? make("code", {}, t) : t);

export const find = (id) => document.getElementById(id);

// ask returns an answer of the page's own folder. What is not 2xx becomes an Error with the sentence of the answer.
export async function ask(path, options) {
  const answer = await fetch(path, { credentials: "same-origin", ...options });
  if (!answer.ok) {
    const fault = new Error((await answer.text()).trim() || answer.statusText);
    fault.status = answer.status;
    throw fault;
  }
  return answer;
}

export const askJSON = async (path) => (await ask(path, { headers: { Accept: "application/json" } })).json();

// change makes a request that changes something. No page of another host can send its header.
export const change = async (path) => (await ask(path, { method: "POST", headers: { "X-Cgoheap": "1" } })).text();
