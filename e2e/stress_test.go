package e2e

import (
	"os/exec"
	"testing"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// stress runs the storm or one of its parts, which judges itself.
func stress(t *testing.T, flags ...string) {
	t.Helper()
	if toolchain.Target(t).Emulated() {
		t.Skip("an emulator is too slow for a storm, and has no timers for profiling")
	}
	storm := made(t, "stress", nil, "go", "build", "./stress")
	out, err := exec.Command(storm, flags...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// .ci/run has make stress for it.
func TestInAStormNothingIsWrongAndNothingLost(t *testing.T) {
	long(t)
	stress(t, "-time", "3s")
}

func TestBesidePagesThatComeAndGoNothingIsWrongAndNothingLost(t *testing.T) {
	long(t)
	stress(t, "-pages", "-time", "2s")
}

func TestInAStormOfMappingsEachPageIsOfItsCall(t *testing.T) {
	long(t)
	stress(t, "-maps", "-time", "4s")
}

func TestMillionsOfPairsLeaveNoTrace(t *testing.T) {
	long(t)
	stress(t, "-pairs", "10000000")
}

func TestManyRecordingsUnderLoadHoldNothing(t *testing.T) {
	long(t)
	stress(t, "-recordings", "100")
}

func TestAmidAStormCopiesOfTheProcessFindWhatIsLost(t *testing.T) {
	long(t)
	stress(t, "-twins", "40")
}
