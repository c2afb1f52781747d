package page

import (
	"bufio"
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/pprof/profile"
)

// cgoheap returns the command, which the first test that asks builds.
func cgoheap(t *testing.T) string {
	t.Helper()
	shared.buildCommand.Do(func() {
		dir, err := os.MkdirTemp("", "view")
		if err != nil {
			t.Fatal(err)
		}
		shared.atEnd = append(shared.atEnd, func() { _ = os.RemoveAll(dir) })
		shared.command = build(t, "../../cmd/cgoheap", dir)
	})
	return shared.command
}

// view runs cgoheap view and returns the address that it prints. It ends with the test.
func view(t *testing.T, arguments ...string) string {
	t.Helper()
	command := exec.Command(cgoheap(t), append([]string{"view", "-no-browser"}, arguments...)...) //nolint:gosec // just built
	command.Stderr = os.Stderr
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(line, err)
	}
	return strings.TrimSpace(line)
}

// drawn waits until there are stacks, which every page has.
var drawn = is(`document.querySelector("#stacks").ariaBusy === "false" && document.querySelector("#flame [role=treeitem]")`)

const hidden = `(id) => document.getElementById(id).checkVisibility() === false`

func TestAFileIsViewed(t *testing.T) {
	service := leaky(t)
	path := filepath.Join(t.TempDir(), "<b>rss<script>.pb.gz")
	if err := os.WriteFile(path, []byte(get(t, service+folder+"profile?view=rss")), 0o600); err != nil {
		t.Fatal(err)
	}
	b := openWhen(t, view(t, path), drawn)
	contains(t, eval[string](t, b, text("#about")), "<b>rss<script>.pb.gz", "view rss")
	contains(t, eval[string](t, b, text("#flame")), "handleReport", "[Go: ")
	contains(t, eval[string](t, b, text("#account")), "malloc: in use", "RSS")
	for _, id := range []string{"h-suspects", "h-timeline", "h-sampling", "trim", "search", "refresh", "compare"} {
		if !eval[bool](t, b, "("+hidden+`)("`+id+`")`) {
			t.Errorf("%s is shown", id)
		}
	}
	b.do(t, chromedp.Click(`#views [data-view=inuse_objects]`), is(`!`+text("#summary")+`.includes("iB")`), drawn)
	contains(t, eval[string](t, b, "location.hash"), "view=inuse_objects")
}

func TestAServiceBehindAHeaderIsViewed(t *testing.T) {
	to, err := url.Parse(leaky(t))
	if err != nil {
		t.Fatal(err)
	}
	pass := httputil.NewSingleHostReverseProxy(to)
	guarded := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		pass.ServeHTTP(w, r)
	}))
	t.Cleanup(guarded.Close)
	b := openWhen(t, view(t, "-header", "Authorization: Bearer secret", guarded.URL), settled)
	contains(t, eval[string](t, b, text("#suspects")), "handleReport")
	if !eval[bool](t, b, "("+hidden+`)("trim")`) {
		t.Error("the page offers a trim without -changes")
	}
	b.do(t, chromedp.Click(`#views [data-view=rss]`), is(`document.querySelector("#views [data-view=rss]").ariaPressed === "true"`), drawn)
	b = openWhen(t, view(t, "-changes", "-header", "Authorization: Bearer secret", guarded.URL), settled)
	b.do(t, chromedp.Click("#trim"), is(text("#trimmed")+`.startsWith("returned")`))
}

// namesakes writes a profile in which main calls two functions of one name, and returns its path.
func namesakes(t *testing.T) string {
	t.Helper()
	names := []string{"main", "hold", "first", "hold", "second"}
	files := []string{"main.c", "a.c", "a.c", "b.c", "b.c"}
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "inuse_space", Unit: "bytes"}}}
	for i, name := range names {
		f := &profile.Function{ID: uint64(i + 1), Name: name, Filename: files[i]}
		p.Function = append(p.Function, f)
		p.Location = append(p.Location, &profile.Location{ID: f.ID, Line: []profile.Line{{Function: f}}})
	}
	l := p.Location
	p.Sample = []*profile.Sample{
		{Location: []*profile.Location{l[2], l[1], l[0]}, Value: []int64{3 << 20}},
		{Location: []*profile.Location{l[4], l[3], l[0]}, Value: []int64{1 << 20}},
	}
	path := filepath.Join(t.TempDir(), "namesakes.pb.gz")
	var written bytes.Buffer
	if err := p.Write(&written); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, written.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// An address that a colleague got leads to the function that was meant.
func TestOfTwoFunctionsOfOneNameTheOneThatWasClickedIsShown(t *testing.T) {
	address := view(t, namesakes(t))
	b := openWhen(t, address, drawn)
	b.do(t, chromedp.Evaluate(`const boxes = [...document.querySelectorAll("#flame [role=treeitem]")];
		boxes.filter((b) => b.textContent === "hold")[1].click()`, nil))
	contains(t, eval[string](t, b, text("#summary")), "1.00 MiB of 4.00 MiB")
	sent := eval[string](t, b, "location.href")
	contains(t, eval[string](t, openWhen(t, sent, drawn), text("#summary")), "1.00 MiB of 4.00 MiB")
	for path, want := range map[string]string{
		"zoom=main&zoom=hold": "3.00", "zoom=main&zoom=hold&zoom=second": "1.00", "zoom=main&zoom=hold&zoom=third": "3.00",
	} {
		b := openWhen(t, address+"#view=inuse_space&"+path, drawn)
		contains(t, eval[string](t, b, text("#summary")), want+" MiB of")
	}
}
