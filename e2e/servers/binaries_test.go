//go:build linux && cgo

package servers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// serversVariable names the folder with the servers' binaries. Without it the tests that need one are skipped.
const serversVariable = "CGOHEAP_SERVERS"

// serverBinary finds the only version of a server that the folder has.
func serverBinary(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv(serversVariable)
	if dir == "" {
		t.Skipf("%s does not say where the servers are: make e2e builds them and runs this test", serversVariable)
	}
	found, err := filepath.Glob(filepath.Join(dir, name+"-v*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("looking for %s in %s: found %q, %v", name, dir, found, err)
	}
	return found[0]
}

var (
	workshop string
	shop     sync.Mutex
)

func TestMain(m *testing.M) {
	var err error
	if workshop, err = os.MkdirTemp("", "cgoheap-servers-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(workshop)
	os.Exit(code)
}

// built is the executable of the main package in a folder, built once.
func built(t *testing.T, folder string) string {
	t.Helper()
	shop.Lock()
	defer shop.Unlock()
	path := filepath.Join(workshop, filepath.Base(folder))
	if _, err := os.Stat(path); err == nil {
		return path
	}
	build := exec.Command("go", "build", "-o", path, ".")
	build.Dir = folder
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", folder, err, out)
	}
	return path
}
