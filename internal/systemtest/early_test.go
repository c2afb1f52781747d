//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package systemtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// A library's constructor allocates before the program's own code runs, and keeps three small blocks of four, and all large ones. The account has what it
// kept, to within what else was allocated that early.
func TestTheAccountHasBlocksOfBeforeStart(t *testing.T) {
	const again, kept, others = "CGOHEAP_TEST_EARLY", 300*100000 + 20*1000000, 2 << 20
	if os.Getenv(again) != "" {
		a, err := start(t, everything).Account()
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range a.Lines {
			if l.Name == account.Unrecorded && l.Resident > kept-others && l.Resident < kept+others {
				return
			}
		}
		t.Fatalf("%d bytes were allocated before:\n%v", kept, a)
	}
	library := filepath.Join(t.TempDir(), "early.so")
	toolchain.Target(t).Build(t, "gcc", "-O1", "-Wall", "-fPIC", "-shared", "-o", library, "testdata/early.c")
	command := exec.Command(os.Args[0], "-test.run=^TestTheAccountHasBlocksOfBeforeStart$")
	command.Env = append(os.Environ(), again+"=1", "LD_PRELOAD="+library)
	if output, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}
