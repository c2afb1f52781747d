package usage

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// kernel makes the files of one; keys are paths below its two roots, "proc/self/statm".
func kernel(t *testing.T, files map[string]string) Kernel {
	t.Helper()
	root := t.TempDir()
	for path, content := range files {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return Kernel{Proc: filepath.Join(root, "proc"), Cgroups: filepath.Join(root, "cgroup")}
}

func TestRSSIsTheSecondFieldInPages(t *testing.T) {
	k := kernel(t, map[string]string{"proc/self/statm": "500 25 10 1 0 70 0\n"})
	if got, err := k.RSS(); err != nil || got != 25*int64(os.Getpagesize()) {
		t.Errorf("%d, %v", got, err)
	}
	for _, bad := range []string{"", "500\n", "500 many\n"} {
		k := kernel(t, map[string]string{"proc/self/statm": bad})
		if _, err := k.RSS(); err == nil || !strings.Contains(err.Error(), "statm") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestPeakIsALineOfStatus(t *testing.T) {
	k := kernel(t, map[string]string{"proc/self/status": "Name:\tshop\nVmPeak:\t   900 kB\nVmHWM:\t   123 kB\nVmRSS:\t    99 kB\n"})
	if got, err := k.Peak(); err != nil || got != 123<<10 {
		t.Errorf("%d, %v", got, err)
	}
	for _, bad := range []string{"", "VmRSS:\t 99 kB\n", "VmHWM:\t much\n"} {
		if got, err := kernel(t, map[string]string{"proc/self/status": bad}).Peak(); err == nil || got != 0 {
			t.Errorf("%q: %d", bad, got)
		}
	}
	if got, err := kernel(t, nil).ResetPeak(); err == nil || got != 0 {
		t.Errorf("without clear_refs: %d", got)
	}
}

func TestGroup(t *testing.T) {
	for about, c := range map[string]struct {
		files map[string]string
		group string // the end of its path; "": there is no limit
		share float64
	}{
		"the unified hierarchy, in a container": {map[string]string{
			"proc/self/cgroup": "0::/\n", "cgroup/memory.current": "300\n", "cgroup/memory.max": "1000\n"}, "cgroup", 0.3},
		"a limit on an enclosing group": {map[string]string{
			"proc/self/cgroup":           "0::/pod/main\n",
			"cgroup/pod/memory.current":  "900\n",
			"cgroup/pod/memory.max":      "1000\n",
			"cgroup/pod/main/memory.max": "max\n", "cgroup/pod/main/memory.current": "400\n"}, "pod", 0.9},
		"of two limits the nearer": {map[string]string{
			"proc/self/cgroup":          "0::/pod/main\n",
			"cgroup/pod/memory.current": "500\n", "cgroup/pod/memory.max": "1000\n",
			"cgroup/pod/main/memory.current": "400\n", "cgroup/pod/main/memory.max": "500\n"}, "pod/main", 0.8},
		"the older controller": {map[string]string{
			"proc/self/cgroup": "5:cpu,cpuacct:/x\n4:memory:/docker/1\n",
			"cgroup/memory/docker/1/memory.usage_in_bytes": "10\n", "cgroup/memory/docker/1/memory.limit_in_bytes": "40\n"},
			"memory/docker/1", 0.25},
		"the older controller in a container, whose path is that outside": {map[string]string{
			"proc/self/cgroup":                    "4:memory:/docker/1\n",
			"cgroup/memory/memory.usage_in_bytes": "10\n", "cgroup/memory/memory.limit_in_bytes": "20\n"}, "memory", 0.5},
		"file cache that can be dropped is not used": {map[string]string{
			"proc/self/cgroup": "0::/\n", "cgroup/memory.current": "900\n", "cgroup/memory.max": "1000\n",
			"cgroup/memory.stat": "anon 300\nfile 600\ninactive_file 500\nactive_file 100\n"}, "cgroup", 0.4},
		"nor in the older controller": {map[string]string{
			"proc/self/cgroup": "4:memory:/\n", "cgroup/memory/memory.usage_in_bytes": "30\n",
			"cgroup/memory/memory.limit_in_bytes": "40\n",
			"cgroup/memory/memory.stat":           "inactive_file 1\ntotal_inactive_file 20\n"}, "memory", 0.25},
		"no limit, unified": {map[string]string{
			"proc/self/cgroup": "0::/a\n", "cgroup/a/memory.current": "300\n", "cgroup/a/memory.max": "max\n"}, "", 0},
		"no limit, older": {map[string]string{
			"proc/self/cgroup": "4:memory:/\n", "cgroup/memory/memory.usage_in_bytes": "10\n",
			"cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, "", 0},
		"nothing that is understood": {map[string]string{"proc/self/cgroup": "nonsense\n::\n0::../../..\n"}, "", 0},
	} {
		t.Run(about, func(t *testing.T) {
			got, err := kernel(t, c.files).Group()
			if c.group == "" {
				if !errors.Is(err, errNoLimit) {
					t.Errorf("%+v, %v", got, err)
				}
				return
			}
			if err != nil || !strings.HasSuffix(got.Path, c.group) || got.Share() != c.share {
				t.Errorf("%+v, %v, want %s at %v", got, err, c.group, c.share)
			}
		})
	}
}

func TestNoControlGroupsAtAllIsAnError(t *testing.T) {
	if _, err := kernel(t, nil).Group(); err == nil || errors.Is(err, errNoLimit) {
		t.Errorf("%v", err)
	}
}
