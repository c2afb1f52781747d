package page

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// tab is a page in a browser, with what went wrong in it.
type tab struct {
	context.Context

	mu     sync.Mutex
	faults []string
	hosts  map[string]bool
}

// open opens the page in a tab of its own. At the end of the test nothing may have gone wrong in it, and it may have asked no other host.
func open(t *testing.T, address string, width, height int) *tab {
	t.Helper()
	return openAs(t, address, width, height, settled)
}

// openWhen is open for pages that lack parts: it waits for another sign.
func openWhen(t *testing.T, address string, there chromedp.Action) *tab {
	t.Helper()
	return openAs(t, address, 1280, 900, there)
}

func openAs(t *testing.T, address string, width, height int, there chromedp.Action) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser(t))
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, patience)
	t.Cleanup(cancel)
	b := &tab{Context: ctx, hosts: make(map[string]bool)}
	chromedp.ListenTarget(ctx, b.hear)
	t.Cleanup(func() { b.check(t, address) })
	b.do(t, log.Enable(), network.Enable(), chromedp.EmulateViewport(int64(width), int64(height)), chromedp.Navigate(address), there)
	return b
}

func (b *tab) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.faults = append(b.faults, e.ExceptionDetails.Error())
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning {
			b.faults = append(b.faults, fmt.Sprint(e.Args))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.LevelError || e.Entry.Level == log.LevelWarning {
			b.faults = append(b.faults, e.Entry.Text+" "+e.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		if u, err := url.Parse(e.Request.URL); err == nil && u.Scheme != "data" {
			b.hosts[u.Host] = true
		}
	}
}

func (b *tab) check(t *testing.T, address string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, fault := range b.faults {
		t.Error("the browser says: ", fault)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	for host := range b.hosts {
		if host != u.Host {
			t.Error("the page asked ", host)
		}
	}
}

func (b *tab) do(t *testing.T, actions ...chromedp.Action) {
	t.Helper()
	if err := chromedp.Run(b, actions...); err != nil {
		t.Fatal(err)
	}
}

// settled waits until all parts of the page are there.
var settled = is(`document.querySelector("#account tbody tr") && document.querySelector("#suspects").ariaBusy === "false" &&
	document.querySelector("#stacks").ariaBusy === "false" && document.querySelector("#flame [role=treeitem]")`)

// is waits until an expression is true. chromedp.Poll would compile it in the page, which the page's policy forbids.
func is(expression string) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		for begin := time.Now(); time.Since(begin) < patience; time.Sleep(50 * time.Millisecond) {
			var holds bool
			awaited := func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }
			if err := chromedp.Evaluate("Promise.resolve("+expression+").then(Boolean)", &holds, awaited).Do(ctx); err != nil {
				return err
			}
			if holds {
				return nil
			}
		}
		return fmt.Errorf("it did not become true: %s", expression)
	})
}

func text(of string) string { return fmt.Sprintf("document.querySelector(%q).textContent", of) }

// eval returns the value of an expression.
func eval[T any](t *testing.T, b *tab, expression string) (value T) {
	t.Helper()
	b.do(t, chromedp.Evaluate(expression, &value))
	return value
}

// contains fails the test if a text does not have all parts.
func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("there is no %q in %.3000s", part, text)
		}
	}
}
