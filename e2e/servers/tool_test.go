package servers

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestGoToolPprofReadsTheServiceByItsAddress(t *testing.T) {
	service := startLeaky(t)
	visit(t, service, 0, 50)
	pprof := exec.Command("go", "tool", "pprof", "-symbolize=none", "-sample_index=inuse_space", "-cum", "-top",
		service.url+"/debug/pprof/cgoheap")
	pprof.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
	out, err := pprof.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", pprof, err, out)
	}
	for _, name := range []string{
		"raster::thumbnail", "main.(*service).handleThumbnail", "sqlite3_prepare_v2", "main.(*service).handleReport",
	} {
		if !strings.Contains(string(out), name) {
			t.Errorf("it does not print %s:\n%s", name, out)
		}
	}
}
