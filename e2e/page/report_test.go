package page

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// reported runs cgoheap report and returns the file's address.
func reported(t *testing.T, of string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	if out, err := exec.Command(cgoheap(t), "report", "-o", file, of).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return "file://" + file
}

// A report is the page, from a disk: with all its parts but what only a service can do, and all views.
func TestAReportOfAService(t *testing.T) {
	b := open(t, reported(t, leaky(t)), 1280, 900)
	contains(t, eval[string](t, b, text("#suspects")), "handleReport")
	contains(t, eval[string](t, b, text("#account")), "malloc: in use")
	contains(t, eval[string](t, b, text("#about")), "as of ")
	b.do(t, is(`document.querySelector("#timeline canvas")`))
	for _, part := range []string{"#refresh", "#trim", "#search", "#download", "#sampling"} {
		if eval[bool](t, b, `document.querySelector("`+part+`").checkVisibility()`) {
			t.Errorf("%s is there", part)
		}
	}
	for view, shows := range map[string]string{"held by": "handleReport", "RSS": "[program and libraries: code]", "in use": "handleThumbnail"} {
		b.do(t, chromedp.Click(`//*[@id="views"]//button[text()="`+view+`"]`, chromedp.BySearch),
			is(`document.querySelector("#stacks").ariaBusy === "false" && `+text("#flame")+`.includes("`+shows+`")`))
	}
}

// Of a file there are stacks alone.
func TestAReportOfAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "inuse.pb.gz")
	if err := os.WriteFile(file, []byte(get(t, leaky(t)+"/debug/pprof/cgoheap")), 0o600); err != nil {
		t.Fatal(err)
	}
	b := openWhen(t, reported(t, file), drawn)
	contains(t, eval[string](t, b, text("#flame")), "handleReport")
	for _, part := range []string{"#h-suspects", "#h-account", "#h-timeline"} {
		if eval[bool](t, b, `document.querySelector("`+part+`").checkVisibility()`) {
			t.Errorf("%s is there", part)
		}
	}
}
