// The state of the page is in its address, behind #, so that it can be sent to a colleague. It is never sent to a server.

const defaults = { view: "inuse", by: "", q: "", reverse: "", library: "", from: "", to: "", range: "hour", sort: "flat", source: "", file: "", zoom: [] };

let current = read();
const listeners = [];

function read() {
  const p = new URLSearchParams(location.hash.slice(1));
  const state = { ...defaults, zoom: p.getAll("zoom") };
  for (const key of Object.keys(defaults)) if (key !== "zoom" && p.has(key)) state[key] = p.get(key);
  return state;
}

function write(state) {
  const p = new URLSearchParams();
  for (const [key, value] of Object.entries(state)) {
    if (key === "zoom") for (const name of value) p.append(key, name);
    else if (value !== defaults[key]) p.set(key, value);
  }
  return "#" + p;
}

export const state = () => current;

// set changes the state. Listeners get the new one, and the one before. With quiet, Back does not stop at it.
export function set(changed, quiet) {
  const before = current;
  current = { ...current, ...changed };
  const address = write(current);
  if (quiet) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  for (const l of listeners) l(current, before);
}

export const listen = (l) => listeners.push(l);

addEventListener("popstate", () => {
  const before = current;
  current = read();
  for (const l of listeners) l(current, before);
});
