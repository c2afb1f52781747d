//go:build linux && cgo

package e2e

import (
	"os/exec"
	"testing"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

func TestInAStormNothingIsWrongAndNothingLost(t *testing.T) {
	if toolchain.Target(t).Emulated() {
		t.Skip("an emulator is too slow for a storm, and has no timers for profiling")
	}
	storm := made(t, "stress", nil, "go", "build", "./stress")
	out, err := exec.Command(storm, "-time", "3s").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
