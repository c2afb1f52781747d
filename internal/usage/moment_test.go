package usage

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestThreadsAreCounted(t *testing.T) {
	for text, want := range map[string]int64{
		"Name:\tThreads: 7\nThreads:\t42\nSigQ:\t1/2\n": 42,
		"Name:\tshop\n":    -1,
		"Threads:\tmany\n": -1,
		"":                 -1,
	} {
		n, err := kernel(t, map[string]string{"proc/self/status": text}).Threads()
		if (err != nil) != (want < 0) || err == nil && n != want {
			t.Errorf("%q: %d, %v", text, n, err)
		}
	}
	if runtime.GOOS == "linux" {
		if n, err := Running.Threads(); err != nil || n < 1 {
			t.Error(n, err)
		}
	}
}

func TestKillsOfTheNearestGroupThatCanBeSeen(t *testing.T) {
	for about, c := range map[string]struct {
		files map[string]string
		path  string
		want  int64 // -1: an error
	}{
		"the unified hierarchy": {map[string]string{"proc/self/cgroup": "0::/pod/shop\n",
			"cgroup/pod/shop/memory.events": "low 0\noom 4\noom_kill 3\n", "cgroup/pod/memory.events": "oom_kill 9\n"}, "cgroup/pod/shop/memory.events", 3},
		"a path of outside the container": {map[string]string{"proc/self/cgroup": "0::/outside\n", "cgroup/memory.events": "oom_kill 2\n"},
			"cgroup/memory.events", 2},
		"the older controller": {map[string]string{"proc/self/cgroup": "4:memory:/docker\n",
			"cgroup/memory/docker/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 5\n"}, "cgroup/memory/docker/memory.oom_control", 5},
		"an older kernel": {map[string]string{"proc/self/cgroup": "4:memory:/docker\n",
			"cgroup/memory/docker/memory.oom_control": "oom_kill_disable 0\n"}, "", -1},
		"no group": {map[string]string{}, "", -1},
	} {
		path, n, err := kernel(t, c.files).Kills()
		if (err != nil) != (c.want < 0) || err == nil && (n != c.want || !strings.HasSuffix(path, filepath.FromSlash(c.path))) {
			t.Errorf("%s: %s, %d, %v", about, path, n, err)
		}
	}
	if _, err := KillsIn(""); err == nil {
		t.Error("a file without a name has a count")
	}
	k := kernel(t, map[string]string{"proc/self/cgroup": "0::/pod\n", "cgroup/pod/memory.events": "oom_kill 7\n", "cgroup/pod/other": "oom_kill 7\n",
		"memory.events": "oom_kill 7\n"})
	path, _, err := k.Kills()
	if err != nil {
		t.Fatal(err)
	}
	if n, err := k.KillsAgain(path, GroupOf(path)); n != 7 || err != nil {
		t.Error(n, err)
	}
	for _, other := range []string{"", "memory.events", filepath.Join(filepath.Dir(path), "other"), filepath.Join(k.Cgroups, "../memory.events"), filepath.Join(k.Cgroups, "memory.events")} {
		if n, err := k.KillsAgain(other, GroupOf(other)); err == nil {
			t.Errorf("%q: %d", other, n)
		}
	}
	if n, err := k.KillsAgain(path, GroupOf(path)+1); err == nil && runtime.GOOS != "windows" {
		t.Error("of another group: ", n)
	}
}

func TestStallsOfTheGroupOrOfTheMachine(t *testing.T) {
	const group, machine = "some avg10=0.00 avg60=0.00 avg300=0.00 total=700\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=50\n", "some avg10=0.00 total=9\n"
	for about, c := range map[string]struct {
		files      map[string]string
		some, full int64
	}{
		"the group's":   {map[string]string{"proc/self/cgroup": "0::/pod\n", "cgroup/pod/memory.pressure": group, "proc/pressure/memory": machine}, 700, 50},
		"the machine's": {map[string]string{"proc/self/cgroup": "0::/pod\n", "proc/pressure/memory": machine}, 9, 0},
		"neither":       {map[string]string{"proc/self/cgroup": "0::/pod\n"}, -1, -1},
		"damaged":       {map[string]string{"proc/pressure/memory": "some total=x\n"}, -1, -1},
		"without some":  {map[string]string{"proc/pressure/memory": "full total=3\n"}, -1, -1},
	} {
		some, full, err := kernel(t, c.files).Stalls()
		if (err != nil) != (c.some < 0) || err == nil && (some != c.some || full != c.full) {
			t.Errorf("%s: %d, %d, %v", about, some, full, err)
		}
	}
}

func TestWhatAGroupUsesNow(t *testing.T) {
	k := kernel(t, map[string]string{"proc/self/cgroup": "0::/pod\n", "cgroup/pod/memory.current": "900\n", "cgroup/pod/memory.max": "1000\n",
		"cgroup/pod/memory.stat": "inactive_file 300\n"})
	g, err := k.Group()
	if err != nil || g.Used != 600 || g.Cache != 300 || g.Limit != 1000 {
		t.Fatalf("%+v, %v", g, err)
	}
	if err := os.WriteFile(filepath.Join(g.Path, "memory.current"), []byte("950\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if used, err := g.UsedNow(); used != 950 || err != nil {
		t.Error(used, err)
	}
	if _, err := (Group{}).UsedNow(); err == nil {
		t.Error("no group uses something")
	}
}
