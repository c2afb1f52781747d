// The page asks its own folder, once when it opens and again when it is told to.

import { askJSON, change, find } from "./text.js";
import { listen } from "./state.js";
import { showAccount } from "./account.js";
import { showEnd, showSuspects } from "./suspects.js";
import { showGrowth } from "./growth.js";
import { noTimeline, showTimeline, updateTimeline } from "./timeline.js";
import { began, load, offer } from "./stacks.js";

// part asks for one part, which fails alone.
async function part(path, show, failed) {
  try {
    await show(await askJSON(path));
  } catch (fault) {
    failed(fault.message);
  }
}

const failedIn = (id) => (sentence) => { find(id).textContent = sentence; };

// A page of something else than a live process lacks parts.
let without = [], known = null;

// The server answers in turn. At first the account is wanted most; later the stacks are, which the browser draws while the server
// goes on.
let again = false;

async function refresh() {
  let a = null;
  await part("about", (got) => { known = a = got; }, noTimeline);
  without = a?.without || [];
  for (const name of without) (document.querySelector(`[aria-labelledby=h-${name}]`) || find(name)).hidden = true;
  if (a?.name) document.title = `${a.name} – cgoheap`;
  if (a?.of) find("about").textContent = a.of;
  if (a?.ended) showEnd(a.ended);
  const moved = a?.views ? offer(a.views.map((v) => [v.name, v.label, v.title || ""])) : false;
  const stacks = again && !moved && load(true);
  again = true;
  return Promise.all([
    has("account") && part("account?format=json", (l) => showAccount(l, a), failedIn("about")),
    has("suspects") && !a?.ended && suspects(20),
    has("timeline") && a && about(a),
    stacks || moved || load(true),
  ]);
}

const has = (name) => !without.includes(name);

// suspects asks once a second more while the first moment is being taken, for it is that question that has it taken, and until
// the second, if nothing was in use at the first. How many moments there were is known from before the question, so an empty list
// then means that nothing is in use.
async function suspects(tries) {
  let list = null;
  await part("suspects?format=json", (l) => { list = l; }, failedIn("suspects"));
  if (list === null) return;
  if (list.length > 0 || known?.moments > 1 || tries === 0) return showSuspects(list, known);
  if (known?.moments) showSuspects(list, known);
  setTimeout(async () => {
    await part("about", (a) => { known = a; }, () => {});
    suspects(tries - 1);
  }, 1000);
}

// about asks what there is. That no timeline is kept is an ordinary answer.
async function about(a) {
  if (a.sample_bytes) find("bytes").value = a.sample_bytes;
  find("dump").disabled = !a.dumps;
  if (!a.dumps) find("dumped").textContent = "The program makes no dumps: it has not called StartDumps or DumpOnSignal.";
  if (a.since) began(a.since);
  if (a.timeline) {
    await part("timeline", (t) => {
      showTimeline(t);
      if (has("suspects") && !a.ended) showGrowth(t, a.since);
    }, noTimeline);
  }
  else noTimeline("No timeline is kept. Set Config.Timeline, or CGOHEAP_TIMELINE=true with package auto, or a black box, and start the service again: it takes a thousandth of one processor at most.");
}

// act makes a button do something that takes a while, and says what came of it.
function act(id, says, what) {
  find(id).addEventListener("click", async () => {
    find(id).disabled = true;
    try {
      says(await what());
    } catch (fault) {
      says(fault.message);
    } finally {
      find(id).disabled = false;
    }
  });
}

act("trim", failedIn("trimmed"), async () => {
  const said = await change("trim");
  await part("account?format=json", (l) => showAccount(l, known), failedIn("about"));
  return said;
});
act("sampling", failedIn("sampled"), () => change("sampling?bytes=" + encodeURIComponent(find("bytes").value)));
act("dump", failedIn("dumped"), () => change("dump"));
act("search", () => {}, () => part("suspects?format=json&search=1", (l) => showSuspects(l, known), failedIn("suspects")));
act("refresh", () => {}, refresh);

addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || /INPUT|SELECT|TEXTAREA/.test(e.target.tagName)) return;
  if (e.key === "r") find("refresh").click();
  else if (e.key === "/") { e.preventDefault(); find("find").focus(); }
});

listen((now, before) => {
  if (now.range !== before.range || now.from !== before.from || now.to !== before.to) updateTimeline();
  load(false);
});

refresh();
