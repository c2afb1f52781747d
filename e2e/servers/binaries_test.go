package servers

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cgoheap/cgoheap/internal/toolchain"
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

var shop *toolchain.Workshop

func TestMain(m *testing.M) { toolchain.RunWith(&shop, m) }

// built is the executable of the main package in a folder, built once.
func built(t *testing.T, folder string) string {
	t.Helper()
	path, err := shop.Make(filepath.Base(folder), func(path string) error {
		return toolchain.Tool{Folder: folder, Words: []string{"go", "build", "-o", path, "."}}.Run()
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}
