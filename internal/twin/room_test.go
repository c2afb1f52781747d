package twin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/usage"
)

// A process of 300 MiB, of which 200 MiB are resident, on machines of 8 GiB.
func TestRoomForACopy(t *testing.T) {
	const (
		status = "VmData:\t  300000 kB\nVmStk:\t    7200 kB\nVmPTE:\t    1000 kB\nRssAnon:\t  204800 kB\n"
		free   = "MemAvailable:  8000000 kB\nCommitLimit:  8000000 kB\n"
	)
	for about, c := range map[string]struct {
		files map[string]string
		want  string // of the error; "" if a copy may be made
	}{
		"much": {map[string]string{"proc/meminfo": free + "Committed_AS:  7900000 kB\n", "proc/sys/vm/overcommit_memory": "0\n"}, ""},
		"little": {map[string]string{"proc/meminfo": "MemAvailable:  40000 kB\nCommitLimit:  8000000 kB\nCommitted_AS:  0 kB\n"},
			"the machine has 39.1 MiB left"},
		"enough to promise": {map[string]string{"proc/meminfo": free + "Committed_AS:  7300000 kB\n", "proc/sys/vm/overcommit_memory": "2\n"}, ""},
		"less than twice the promise": {map[string]string{"proc/meminfo": free + "Committed_AS:  7400000 kB\n", "proc/sys/vm/overcommit_memory": "2\n"},
			"promised 300.0 MiB of the 585.9 MiB"},
		"nothing to promise": {map[string]string{"proc/meminfo": free + "Committed_AS:  7990000 kB\n", "proc/sys/vm/overcommit_memory": "2\n"},
			"promises no more than it has (vm.overcommit_memory=2), has 9.8 MiB left"},
		"pinned memory": {map[string]string{"proc/meminfo": free + "Committed_AS:  0 kB\n", "proc/self/status": status + "VmPin:\t 8000000 kB\n"},
			"for pages that the program writes meanwhile"},
		"a limit": {map[string]string{"proc/meminfo": free + "Committed_AS:  0 kB\n", "proc/self/cgroup": "0::/pod\n",
			"cgroup/pod/memory.current": "220000000\n", "cgroup/pod/memory.max": "230000000\n"}, "the control group"},
		"a size above which it is slowed down": {map[string]string{"proc/meminfo": free + "Committed_AS:  0 kB\n", "proc/self/cgroup": "0::/pod\n",
			"cgroup/pod/memory.current": "220000000\n", "cgroup/pod/memory.max": "max\n", "cgroup/pod/memory.high": "230000000\n"}, "the control group"},
	} {
		root := t.TempDir()
		k := usage.Kernel{Proc: filepath.Join(root, "proc"), Cgroups: filepath.Join(root, "cgroup")}
		if _, given := c.files["proc/self/status"]; !given {
			c.files["proc/self/status"] = status
		}
		for path, text := range c.files {
			path = filepath.Join(root, path)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		n, err := needOf(k, 1<<20)
		if err == nil {
			err = newRoom(k).check(n)
		}
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", about, err, c.want)
		}
	}
}
