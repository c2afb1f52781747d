package page

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

const folder = "/debug/cgoheap/"

func TestTheFirstScreenNamesTheGuilty(t *testing.T) {
	b := open(t, leaky(t)+folder, 1280, 900)
	contains(t, eval[string](t, b, text("#suspects")), "handleReport")
	if below := eval[bool](t, b, `[...document.querySelectorAll("#suspects .who")].find((e) => e.textContent.includes("handleReport")).getBoundingClientRect().bottom > innerHeight`); below {
		t.Error("the guilty handler is not on the first screen")
	}
	contains(t, eval[string](t, b, text("#account")), "RSS", "Go", "malloc: headers and rounding (estimate)")
	if got := eval[float64](t, b, `[...document.querySelectorAll("#account-bar span")].reduce((s, e) => s + parseFloat(e.style.width), 0)`); got < 99.5 || got > 100.5 {
		t.Errorf("the bar adds up to %v %%", got)
	}
	if eval[bool](t, b, `document.querySelector("#timeline").hidden`) {
		t.Error("the timeline is hidden")
	}
	contains(t, eval[string](t, b, text("#flame")), "handleReport", "sqlite3")
}

func TestControls(t *testing.T) {
	address := leaky(t) + folder
	b := open(t, address, 1280, 900)
	roots := `[...document.querySelectorAll("#flame [aria-level='2']")].map((e) => e.textContent).join()`
	// What functions have of their own is the same from whichever end the stacks are read.
	table := `[...document.querySelectorAll("#functions tbody tr")].map((r) => r.cells[0].textContent + " " + r.cells[2].textContent)
		.filter((r) => !r.startsWith("0 B")).sort().join("\n")`
	before, flat := eval[string](t, b, roots), eval[string](t, b, table)
	contains(t, flat, "sqlite3MemMalloc")
	b.do(t, chromedp.Click("#reverse"), is(`document.querySelector("#reverse").ariaPressed === "true"`))
	if after := eval[string](t, b, roots); after == before {
		t.Error("reversed, the roots are the same: ", after)
	}
	if after := eval[string](t, b, table); after != flat {
		t.Errorf("reversed, functions have %s, and before %s", after, flat)
	}
	b.do(t, chromedp.Click("#reverse"), chromedp.Click("#library"), is(`document.querySelector("#library").ariaPressed === "true"`))
	contains(t, eval[string](t, b, text("#flame")), "leaky")
	b.do(t, chromedp.Click("#library"), chromedp.SendKeys("#find", "handleReport"), is(`document.querySelector("#flame .found")`))
	contains(t, eval[string](t, b, text("#summary")), "handleReport")
	b.do(t, chromedp.Click("#flame .found"), is(`!document.querySelector("#unzoom").disabled`))

	state := eval[string](t, b, "location.href")
	contains(t, state, "q=handleReport", "zoom=")
	shown := eval[string](t, b, text("#flame"))
	again := open(t, state, 1280, 900)
	if got := eval[string](t, again, text("#flame")); got != shown {
		t.Errorf("the address shows %s, and it was %s", got, shown)
	}

	b.do(t, chromedp.Click("#unzoom"), is(`document.querySelector("#unzoom").disabled`))
	for _, view := range []string{"rss", "peak", "shortlived", "unreachable", "heldby", "inuse"} {
		b.do(t, chromedp.Click(`#views [data-view=`+view+`]`), is(`document.querySelector("#stacks").ariaBusy === "false" && document.querySelector("#views [data-view=`+view+`]").ariaPressed === "true"`))
		if href := eval[string](t, b, `document.querySelector("#download").href`); href != address+"profile?view="+view {
			t.Error(href)
		}
		if size := len(get(t, address+"profile?view="+view)); size < 100 {
			t.Errorf("the file of %s has %d bytes", view, size)
		}
		contains(t, eval[string](t, b, text("#summary")), " of ")
	}
	b.do(t, chromedp.Click(`#functions [data-sort=name]`), is(`document.querySelector("#functions [data-sort=name]").ariaPressed === "true"`))
	b.do(t, chromedp.Click("#trim"), is(text("#trimmed")+`.startsWith("returned")`))
	b.do(t, chromedp.SetValue("#bytes", "4096"), chromedp.Click("#sampling"), is(text("#sampled")+`.includes("4096")`))
	b.do(t, chromedp.SetValue("#bytes", "1"), chromedp.Click("#sampling"), is("!"+text("#sampled")+`.includes("4096")`)) // for the next test
}

func TestASuspectLeadsToItsStack(t *testing.T) {
	b := open(t, leaky(t)+folder, 1280, 900)
	b.do(t, chromedp.Click("#suspects button"), is(`!document.querySelector("#unzoom").disabled`))
	who, _, _ := strings.Cut(eval[string](t, b, text("#suspects .who")), ", from ")
	contains(t, eval[string](t, b, text("#flame")), who)
}

func TestKeys(t *testing.T) {
	b := open(t, leaky(t)+folder, 1280, 900)
	b.do(t, chromedp.Focus("#flame [tabindex='0']"), chromedp.Evaluate(`
		const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
		press("ArrowDown"); press("ArrowDown"); press("Enter")`, nil), is(`!document.querySelector("#unzoom").disabled && document.activeElement.closest("#flame")`),
		chromedp.Evaluate(`press("Escape"); press("Escape"); press("Escape")`, nil), is(`document.querySelector("#unzoom").disabled`))
}

func TestTwoPointsOfTheTimelineShowGrowth(t *testing.T) {
	address := leaky(t)
	b := open(t, address+folder, 1280, 900)
	visit(t, address, 1000)
	b.do(t, is(`fetch("suspects?format=json").then((a) => a.json()).then((l) => l.some((s) => s.series.length > 1))`),
		chromedp.Click("#refresh"), is(`!document.querySelector("#refresh").disabled`), settled,
		chromedp.Focus("#timeline"), chromedp.Evaluate(`
		const on = (key) => document.querySelector("#timeline").dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
		on("Home"); on("Enter"); on("End"); on("Enter")`, nil), is(`!document.querySelector("#compare").disabled`),
		chromedp.Click("#compare"), is(`document.querySelector("#stacks").ariaBusy === "false"`))
	contains(t, eval[string](t, b, "location.hash"), "view=growth", "from=", "to=")
	contains(t, eval[string](t, b, text("#flame")), "handleReport")
}

// named returns the address of the program whose function has a script in its name, and the folder of its dumps.
func named(t *testing.T) (address, dumps string) {
	t.Helper()
	needsBrowser(t)
	dumps = t.TempDir()
	address, end := serve(t, build(t, "service", t.TempDir()), dumps)
	t.Cleanup(end)
	return address + folder, dumps
}

func TestNamesAreText(t *testing.T) {
	address, dumps := named(t)
	b := open(t, address, 1280, 900)
	contains(t, eval[string](t, b, text("#flame")), "hold<script>")
	if n := eval[int](t, b, "document.scripts.length"); n != 2 {
		t.Errorf("%d scripts", n)
	}

	t.Run("and so are labels, which divide the graph", func(t *testing.T) {
		b.do(t, is(`[...document.querySelector("#label").options].some((o) => o.value === "tenant")`), chromedp.Evaluate(`
			document.querySelector("#label").value = "tenant"; document.querySelector("#label").dispatchEvent(new Event("change"))`, nil),
			is(text("#flame")+`.includes("tenant: ")`))
		const roots = `[...document.querySelectorAll("#flame [aria-level='2']")].map((e) => e.textContent + " " + e.title.split("\n")[1]).join("; ")`
		contains(t, eval[string](t, b, roots), "tenant: <b> 391 KiB", "tenant: none ")
		contains(t, eval[string](t, b, "location.hash"), "by=tenant")
	})

	t.Run("and source", func(t *testing.T) {
		b.do(t, chromedp.Click(`//*[@id="functions"]//tr[contains(., "hold<script>")]//td[5]/button`, chromedp.BySearch),
			is(`!document.querySelector("#source").hidden && document.querySelector("#source .found code")?.textContent.includes("malloc")`))
		contains(t, eval[string](t, b, text("#source .found")), "977 KiB", "malloc")
		contains(t, eval[string](t, b, text("#source-of")), "hold<script>", "hold.cc")
		again := open(t, eval[string](t, b, "location.href"), 1280, 900)
		again.do(t, is(`document.querySelector("#source .found code")?.textContent.includes("malloc")`))
		b.do(t, chromedp.Click("#source-close"), is(`document.querySelector("#source").hidden`))
	})

	t.Run("a dump is made", func(t *testing.T) {
		b.do(t, chromedp.Click("#dump"), is(text("#dumped")+`.startsWith("wrote "+`+strconv.Quote(dumps)+`)`))
		if made, err := filepath.Glob(filepath.Join(dumps, "*.pb.gz")); err != nil || len(made) != 1 {
			t.Error(made, err)
		}
	})
}

func TestTheRangeOfTheTimelineAndTheWayBack(t *testing.T) {
	b := open(t, leaky(t)+folder, 1280, 900)
	const pressed = `document.querySelector("#range [aria-pressed=true]").dataset.range`
	b.do(t, chromedp.Click(`#range [data-range=days]`), is(pressed+` === "days"`))
	contains(t, eval[string](t, b, "location.hash"), "range=days")
	b.do(t, chromedp.Click("#reverse"), is(`document.querySelector("#reverse").ariaPressed === "true"`),
		back, is(`document.querySelector("#reverse").ariaPressed === "false" && `+pressed+` === "days"`),
		back, is(pressed+` === "hour" && location.hash === ""`))
}

// back goes back within the page. chromedp.NavigateBack would wait until it loads again.
var back = chromedp.Evaluate(`history.back()`, nil)

func TestLookingForPointersSaysWhoHoldsThem(t *testing.T) {
	b := open(t, leaky(t)+folder, 1280, 900)
	b.do(t, chromedp.Click("#search"), is(`!document.querySelector("#search").disabled`))
	contains(t, eval[string](t, b, text("#suspects")), "reachable from")
}
