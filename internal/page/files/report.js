// A report is the page with its answers in it: what the page asks its folder for is looked up there.

const packed = Uint8Array.from(atob(document.getElementById("answers").textContent), (c) => c.charCodeAt(0));
const answers = new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).json();

globalThis.fetch = async (path) => {
  const [name, query] = path.split("?"), p = new URLSearchParams(query);
  const found = (await answers)[[name, p.get("view") || "", p.get("by") || ""].join(" ")];
  return found === undefined ? new Response("It is not in this report.", { status: 404 }) : Response.json(found);
};
