package page

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// shared is what all tests use: starting it takes longer than most of them.
var shared struct {
	startLeaky, startBrowser sync.Once
	buildCommand             sync.Once
	command                  string          // cgoheap
	leaky                    string          // the address of the example
	browser                  context.Context //nolint:containedctx // chromedp's handle of a browser
	atEnd                    []func()        // ends it, in reverse
}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, end := range slices.Backward(shared.atEnd) {
		end()
	}
	os.Exit(code)
}

func needsBrowser(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	if _, err := exec.LookPath("chromium"); err != nil {
		t.Skip("needs chromium (Debian: chromium)")
	}
}

// browser returns the browser, which the first test that asks starts.
func browser(t *testing.T) context.Context {
	t.Helper()
	needsBrowser(t)
	shared.startBrowser.Do(func() {
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("chromium"), chromedp.NoSandbox)
		allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, closes := chromedp.NewContext(allocator)
		shared.atEnd = append(shared.atEnd, end, closes)
		if err := chromedp.Run(ctx); err != nil {
			t.Fatal(err)
		}
		shared.browser = ctx
	})
	if shared.browser == nil {
		t.Fatal("the browser did not start")
	}
	return shared.browser
}
