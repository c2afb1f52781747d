package main

import (
	"crypto/rand"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/internal/page"
)

// access lets in who knows the address of the page. A port on this machine is open to all its users, and through their browsers to pages of
// any host: such a page can have its own host's name point here, and then is of the same origin (DNS rebinding). So the address has a
// secret in its path, and a request must name a host that is this machine.
type access struct {
	url    string
	secret string // as a folder: /SECRET/
	named  string // the host that -http names; "" if that is an address
	shown  http.Handler
}

func newAccess(at net.Addr, asked string, shown http.Handler) *access {
	d := &access{secret: "/" + strings.ToLower(rand.Text()) + "/", shown: shown}
	host, _, err := net.SplitHostPort(asked)
	if _, notAddress := netip.ParseAddr(host); err == nil && notAddress != nil {
		d.named = host
	}
	address := at.String()
	if _, port, err := net.SplitHostPort(address); err == nil && d.named != "" {
		address = net.JoinHostPort(d.named, port)
	} else if ap, err := netip.ParseAddrPort(address); err == nil && ap.Addr().IsUnspecified() {
		address = net.JoinHostPort("localhost", port)
	}
	d.url = "http://" + address + d.secret
	return d
}

func (d *access) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	page.Guard(w)
	if !d.ours(r) {
		page.Error(w, "cgoheap: the request names a host that is not this one", http.StatusForbidden)
		return
	}
	if !strings.HasPrefix(r.URL.Path, d.secret) {
		page.Error(w, "cgoheap: the page has another address, which cgoheap view has printed", http.StatusNotFound)
		return
	}
	http.StripPrefix(strings.TrimSuffix(d.secret, "/"), d.shown).ServeHTTP(w, r)
}

// ours reports whether a request names this machine: as localhost, by the address that it came to, or by the name in -http. The port may
// be another one, as through a tunnel. A page of another host has a name that is none of these.
func (d *access) ours(r *http.Request) bool {
	host := page.HostName(r)
	if host == "localhost" || d.named != "" && host == strings.ToLower(d.named) {
		return true
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	if address.Unmap().IsLoopback() {
		return true
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if local == nil {
		return false
	}
	at, err := netip.ParseAddrPort(local.String())
	return err == nil && at.Addr().Unmap() == address.Unmap()
}

// browse opens an address in a browser if there is a display. That there is no browser is no error: the address is printed.
func browse(address string) {
	for _, command := range browsers() {
		if started := exec.Command(command[0], append(command[1:], address)...); started.Start() == nil { //nolint:gosec // the user's own browser
			go background.Run("waiting for the browser", func() { _ = started.Wait() }, nil)
			return
		}
	}
}

// browsers returns the commands to try.
func browsers() (list [][]string) {
	switch {
	case runtime.GOOS == "darwin":
		return [][]string{{"open"}}
	case runtime.GOOS == "windows":
		return [][]string{{"rundll32", "url.dll,FileProtocolHandler"}}
	case os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "":
		return nil
	}
	if own := os.Getenv("BROWSER"); own != "" {
		list = append(list, []string{own})
	}
	return append(list, []string{"xdg-open"}, []string{"sensible-browser"}, []string{"chromium"}, []string{"firefox"})
}
