package page

import (
	"bufio"
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
)

// view runs cgoheap view and returns the address that it prints. It ends with the test.
func view(t *testing.T, arguments ...string) string {
	t.Helper()
	shared.buildCommand.Do(func() {
		dir, err := os.MkdirTemp("", "view")
		if err != nil {
			t.Fatal(err)
		}
		shared.atEnd = append(shared.atEnd, func() { _ = os.RemoveAll(dir) })
		shared.command = build(t, "../../cmd/cgoheap", dir)
	})
	command := exec.Command(shared.command, append([]string{"view", "-no-browser"}, arguments...)...) //nolint:gosec // just built
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
