package page

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// grown is a timeline of twelve minutes in which RSS grew by 40 MiB, of it so many MiB in a column.
func grown(column string, mib int) string {
	return fmt.Sprintf(`(() => {
		const names = ["time", "rss", "go_heap", "go_free", "go_stacks", "go_other", "native", "mapped", "malloc_free"], mib = 2 ** 20;
		const row = (i) => names.map((n) => n === "time" ? 1.7e12 + 1000 * i : n === "rss" ? (100 + 4 * i / 60) * mib : n === %q ? (10 + %d * i / 600) * mib : 5 * mib);
		return { columns: names.map((name) => ({ name })), seconds: Array.from({ length: 721 }, (_, i) => row(i)), minutes: [] };
	})()`, column, mib)
}

// called calls a function of one of the page's modules, and waits for it.
func called(module, call string) chromedp.Action {
	return is(fmt.Sprintf(`import("%sfiles/%s").then((m) => m.%s).then(() => true)`, folder, module, call))
}

func TestWhoMappedWhatGrewIsNamed(t *testing.T) {
	address, _ := named(t)
	b := open(t, address, 1280, 900)
	b.do(t, called("growth.js", "showGrowth("+grown("mapped", 36)+")"))
	contains(t, eval[string](t, b, text("#grew")), "RSS grew in the last 10 min: +", " a minute", " mapped directly")
	contains(t, eval[string](t, b, text("#mappers .who")), "main.main")
	contains(t, eval[string](t, b, text("#mappers")), "map_pool", "12.0 MiB resident")
	if eval[bool](t, b, `document.querySelector("#mappers").getBoundingClientRect().bottom > innerHeight`) {
		t.Error("who mapped it is not on the first screen")
	}
	b.do(t, chromedp.Click("#mappers button"), is(`document.querySelector("#stacks").ariaBusy === "false" && location.hash.includes("view=rss")`))
	contains(t, eval[string](t, b, text("#detail")), "map_pool: 12.0 MiB")
}

// Some figures are read up to a minute apart, and one was last read a while ago.
func TestAFigureThatIsOldIsSaidToBe(t *testing.T) {
	address, _ := named(t)
	b := open(t, address, 1280, 900)
	const gaps = `for (const [i, row] of t.seconds.entries()) { if (i % 55) row[7] = null; if (i !== 5) row[8] = null; }`
	sparse := fmt.Sprintf("(() => { const t = %s; %s return t; })()", grown("mapped", 36), gaps)
	b.do(t, called("growth.js", "showGrowth("+sparse+")"))
	contains(t, eval[string](t, b, text("#grew")), "RSS grew in the last 10 min: +", ". Of it +3", " mapped directly")
	b.do(t, called("timeline.js", "showTimeline("+sparse+")"))
	// 715 of 720 seconds is the last look at what is mapped; malloc's free memory was seen in second 5.
	contains(t, eval[string](t, b, text("#timeline .u-legend")), "mapped directly52.9 MiB, 5 s before", "malloc: free5.00 MiB, 12 min before", "malloc: in use5.00 MiBm")
}

// A figure of the start alone says nothing of growth: what it may have grown by is elsewhere.
func TestWhatAFigureGrewByThatIsNotKnownIsElsewhere(t *testing.T) {
	address, _ := named(t)
	b := open(t, address, 1280, 900)
	const gone = `for (const [i, row] of t.seconds.entries()) if (i > 300) row[7] = null;`
	b.do(t, called("growth.js", fmt.Sprintf("showGrowth((() => { const t = %s; %s return t; })())", grown("mapped", 36), gone)))
	contains(t, eval[string](t, b, text("#grew")), "elsewhere (files, older memory that is only now written to, errors of sampling, mapped directly: not known)")
}

// The first row is that of the start, and RSS grows in the first minute only: 60 rows of 4 MiB a minute.
func TestTheStartIsNoGrowth(t *testing.T) {
	address, _ := named(t)
	b := open(t, address, 1280, 900)
	const level = `for (const row of t.seconds.slice(60)) row.splice(1, 8, ...t.seconds[60].slice(1));`
	for began, want := range map[string]string{"1.7e12": "RSS has hardly changed in the last 9 min", "0": "RSS grew in the last 10 min"} {
		b.do(t, called("growth.js", fmt.Sprintf("showGrowth((() => { const t = %s; t.seconds.length = 601; %s return t; })(), %s)", grown("native", 40), level, began)))
		contains(t, eval[string](t, b, text("#grew")), want)
	}
}

func TestNobodyIsSaidToHaveMappedWhatMallocHas(t *testing.T) {
	address, _ := named(t)
	b := open(t, address, 1280, 900)
	b.do(t, called("growth.js", "showGrowth("+grown("native", 40)+")"))
	contains(t, eval[string](t, b, text("#grew")), "malloc: in use")
	if n := eval[int](t, b, `document.querySelector("#mappers").children.length`); n != 0 {
		t.Errorf("%d are named", n)
	}
}

func TestNoSuspectsIsNotALookThatIsStillToCome(t *testing.T) {
	address, _ := named(t)
	b := open(t, address, 1280, 900)
	b.do(t, called("suspects.js", "showSuspects([], { moments: 6, looked: 1.7e12 })"))
	contains(t, eval[string](t, b, text("#suspects")), "Nothing of malloc grows", ": 6.")
	b.do(t, called("suspects.js", "showSuspects([], { moments: 1, looked: 1.7e12 })"))
	contains(t, eval[string](t, b, text("#suspects")), "at the first moment", "14 s")
	b.do(t, called("suspects.js", "showSuspects([], null)"))
	contains(t, eval[string](t, b, text("#suspects")), "The first moment is being taken")
}

func TestWhatIsTooEarlyOrGoneIsNotCalledSteady(t *testing.T) {
	address, _ := named(t)
	b := open(t, address, 1280, 900)
	const suspects = `[["soon", 50, 7], ["gone", 3000, 0], ["cache", 3000, 7]].map(([name, seconds, bytes]) => ({ class: "steady", sentence: name, function: name,
		stack: [name], since: new Date(1.7e12), time: new Date(1.7e12 + 1000 * seconds), bytes }))`
	b.do(t, called("suspects.js", "showSuspects("+suspects+", null)"))
	const classes = `[...document.querySelectorAll("#suspects button")].map((e) => e.querySelector(".who").textContent + ": " + e.querySelector(".class").textContent).join()`
	if got := eval[string](t, b, classes); got != "soon: too early,cache: steady" {
		t.Error(got)
	}
}

func TestAnEmptyViewSaysWhereToLookAlsoAfterTheWindowChanged(t *testing.T) {
	address, _ := named(t)
	b := open(t, address, 1280, 900)
	const said = "No sampled block of malloc was freed"
	b.do(t, chromedp.Evaluate(`
		const ask = fetch;
		fetch = (path, options) => String(path).startsWith("stacks?view=shortlived") ? Promise.resolve(new Response(JSON.stringify({
			view: "shortlived", time: 1.7e12, unit: "bytes", total: 0, comments: [], labels: {}, texts: [""], functions: [], nodes: [], lines: [] }))) : ask(path, options)`, nil),
		chromedp.Click(`#views [data-view=shortlived]`), is(text("#summary")+`.startsWith("`+said+`")`), chromedp.Evaluate(`dispatchEvent(new Event("resize"))`, nil))
	contains(t, eval[string](t, b, text("#summary")), said)
}

func TestALineOfTheAccountLeadsToItsStacks(t *testing.T) {
	address, _ := named(t)
	b := open(t, address, 1280, 900)
	b.do(t, chromedp.Click(`//*[@id="account"]//button[text()="mapped directly"]`, chromedp.BySearch),
		is(`document.querySelector("#stacks").ariaBusy === "false" && `+text("#flame")+`.includes("map_pool")`))
	contains(t, eval[string](t, b, text("#detail")), "heap: mapped")
}

// Memory of devices has a scale of its own in the timeline, and is no part of what RSS grew by.
func TestMemoryOfDevicesIsDrawnBesideRSS(t *testing.T) {
	address, _ := named(t)
	b := open(t, address, 1280, 900)
	const of = `const of = (mib) => ({ columns: ["time", "rss", "devices"].map((name) => ({ name })), seconds: [[1.7e12, 1, null], [1.7e12 + 1000, 1, mib]], minutes: [] }); `
	value := func(mib, expression string) (n float64) {
		b.do(t, chromedp.Evaluate(`import("`+folder+`files/growth.js").then((m) => { `+of+`const t = of(`+mib+`); return `+expression+` })`, &n,
			func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
		return n
	}
	if without, with, parts := value("null", "m.drawn(t, t.seconds).length"), value("5", "m.drawn(t, t.seconds).length"), value("5", "m.series.length"); with != without+1 || parts != without {
		t.Errorf("%v series are drawn, %v with memory of devices, and %v are of RSS", without, with, parts)
	}
	if last := value("5", "m.columnsOf(t, t.seconds, m.drawn(t, t.seconds)).at(-1)[1]"); last != 5 {
		t.Errorf("the series has %v, want 5", last)
	}
}

// A driver reserves more addresses than there is memory: they are drawn on RSS's axis, and do not make it as high.
func TestAddressesDoNotPressRSSFlat(t *testing.T) {
	address, _ := named(t)
	b := open(t, address, 1280, 900)
	b.do(t, chromedp.Evaluate(`const made = uPlot; uPlot = function (...of) { return window.chart = new made(...of); }`, nil))
	for mib, want := range map[int]string{100: "", 190: "", 1 << 20: ", above the chart"} { // RSS grows to 148 MiB
		b.do(t, called("timeline.js", "showTimeline("+grown("mapped", mib)+")"))
		top := eval[float64](t, b, "chart.scales.y.max") / (1 << 20)
		if addresses := 10 + float64(mib)*720/600; top < 148 || top > 1.06*max(148, min(addresses, 296)) {
			t.Errorf("%d MiB are mapped, and the axis ends at %v MiB", mib, top)
		}
		if drawn := eval[float64](t, b, "chart.scales.addresses.max") / (1 << 20); drawn != top {
			t.Errorf("the addresses' scale ends at %v MiB, and RSS's at %v MiB", drawn, top)
		}
		legend := eval[string](t, b, text("#timeline .u-legend"))
		contains(t, legend, "mapped directly", want)
		if want == "" && strings.Contains(legend, "above") {
			t.Error(legend)
		}
	}
}
