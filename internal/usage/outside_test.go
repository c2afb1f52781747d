package usage

import (
	"runtime"
	"testing"
)

func TestOutsideRSS(t *testing.T) {
	const status = "Name:\tx\nVmRSS:\t   1 kB\nVmPTE:\t      52 kB\n"
	for about, c := range map[string]struct {
		files map[string]string
		want  [4]int64 // -1: not readable
	}{
		"the unified hierarchy": {map[string]string{
			"proc/self/cgroup": "0::/pod\n", "proc/self/status": status,
			"cgroup/pod/memory.stat": "anon 5\nfile 300\nkernel 70\nshmem 100\n"}, [4]int64{200, 100, 70, 52 << 10}},
		"a path of outside the container": {map[string]string{
			"proc/self/cgroup": "0::/outside/pod\n", "proc/self/status": status,
			"cgroup/memory.stat": "file 300\nkernel 70\nshmem 100\n"}, [4]int64{200, 100, 70, 52 << 10}},
		"the older controller": {map[string]string{
			"proc/self/cgroup": "4:memory:/docker/1\n", "proc/self/status": status,
			"cgroup/memory/docker/1/memory.stat":                "cache 1\ntotal_cache 300\ntotal_shmem 100\n",
			"cgroup/memory/docker/1/memory.kmem.usage_in_bytes": "8\n"}, [4]int64{200, 100, 8, 52 << 10}},
		"a kernel that does not count its own": {map[string]string{
			"proc/self/cgroup": "0::/\n", "cgroup/memory.stat": "file 300\nshmem 100\n"}, [4]int64{200, 100, -1, -1}},
		"no control group": {map[string]string{"proc/self/status": status}, [4]int64{-1, -1, -1, 52 << 10}},
		"a group without figures": {map[string]string{"proc/self/cgroup": "0::/\n", "proc/self/status": "Name:\tx\n"},
			[4]int64{-1, -1, -1, -1}},
	} {
		for i, p := range kernel(t, c.files).OutsideRSS() {
			if bad := c.want[i] < 0; bad != (p.Err != nil) || !bad && p.Bytes != c.want[i] || p.Name == "" || p.Sentence == "" {
				t.Errorf("%s: %+v, want %d", about, p, c.want[i])
			}
		}
	}
}

func TestRunningProcessHasPageTables(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no /proc")
	}
	list := Running.OutsideRSS()
	if p := list[len(list)-1]; p.Err != nil || p.Bytes < 4096 {
		t.Errorf("%+v", p)
	}
}
