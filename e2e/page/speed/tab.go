package main

import (
	"context"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// marks notes, from the page's first moment on, when each part was there first, in milliseconds since the navigation.
const marks = `
const there = {
  account: () => document.querySelector("#account tbody tr"),
  flame: () => document.querySelector("#flame [role=treeitem]"),
  suspects: () => document.querySelector("#suspects")?.ariaBusy === "false",
};
window.seen = {};
setInterval(() => {
  for (const [name, is] of Object.entries(there)) if (!seen[name] && is()) seen[name] = performance.now();
}, 5);`

// first has the times of a first visit, in milliseconds.
type first struct{ Account, Flame, Suspects float64 }

func browser() (context.Context, func()) {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("chromium"), chromedp.NoSandbox)
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, closes := chromedp.NewContext(allocator)
	return ctx, func() { closes(); end() }
}

// visit opens a service's page in a tab, and waits until all of its first screen is there.
func visit(ctx context.Context, s *service) (tab context.Context, times first, err error) {
	tab, _ = chromedp.NewContext(ctx)
	marked := chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(marks).Do(ctx)
		return err
	})
	err = chromedp.Run(tab, chromedp.EmulateViewport(1280, 900), marked, chromedp.Navigate(s.page()),
		is(`window.seen && seen.account && seen.flame && seen.suspects`),
		chromedp.Evaluate(`({Account: seen.account, Flame: seen.flame, Suspects: seen.suspects})`, &times))
	return tab, times, err
}

// refresh presses the button and returns how long all parts took, in milliseconds.
func refresh(tab context.Context) (took float64, err error) {
	return timed(tab, `document.getElementById("refresh").click()`, `!document.getElementById("refresh").disabled`)
}

// show goes to a state's address.
func show(tab context.Context, hash string) (took float64, err error) {
	return timed(tab, fmt.Sprintf(`location.hash = %q`, hash), `document.querySelector("#stacks").ariaBusy === "false"`)
}

// timed starts something in the page and returns when it was done, at the latest two frames of the screen after that.
func timed(tab context.Context, begin, done string) (took float64, err error) {
	script := fmt.Sprintf(`new Promise((tell) => {
		const at = performance.now();
		%s;
		setTimeout(() => {
			const look = () => %s ? tell(performance.now() - at) : setTimeout(look, 2);
			look();
		}, 0);
	})`, begin, done)
	awaited := func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }
	err = chromedp.Run(tab, chromedp.Evaluate(script, &took, awaited))
	return took, err
}

const patience = time.Minute

func is(expression string) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		for begin := time.Now(); time.Since(begin) < patience; time.Sleep(100 * time.Millisecond) {
			var holds bool
			if err := chromedp.Evaluate("Boolean("+expression+")", &holds).Do(ctx); err != nil {
				return err
			}
			if holds {
				return nil
			}
		}
		return fmt.Errorf("it did not become true: %s", expression)
	})
}
