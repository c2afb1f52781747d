package gospans

import (
	"debug/dwarf"
	"debug/elf"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// goBuild builds a program of testdata with a toolchain ("local" or a version), and returns its path.
func goBuild(t *testing.T, toolchain, program string, flags ...string) string {
	t.Helper()
	if toolchain != "local" && !installed(t, toolchain) {
		t.Skipf("GOTOOLCHAIN=%s go version makes this toolchain available", toolchain)
	}
	path := filepath.Join(t.TempDir(), program)
	command := exec.Command("go", append(append([]string{"build", "-o", path}, flags...), "./testdata/"+program)...)
	command.Env = append(os.Environ(), "GOTOOLCHAIN="+toolchain, "GOWORK=off", "GOFLAGS=")
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, output)
	}
	return path
}

// installed reports whether a toolchain is in the module cache: a test downloads nothing.
func installed(t *testing.T, toolchain string) bool {
	t.Helper()
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	found, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(cache)), "golang.org", "toolchain@*-"+toolchain+".*"))
	return len(found) > 0
}

// layoutOf runs a program that prints its layout.
func layoutOf(t *testing.T, command ...string) (l Layout) {
	t.Helper()
	c := exec.Command(command[0], command[1:]...)
	c.Stderr = os.Stderr
	output, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %v", c, err)
	}
	if err := json.Unmarshal(output, &l); err != nil {
		t.Fatalf("%q: %v", output, err)
	}
	return l
}

// debugData is what a program that was not stripped says of its runtime.
type debugData struct {
	t       *testing.T
	data    *dwarf.Data
	symbols map[string]uint64
}

func readDebugData(t *testing.T, path string) *debugData {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d := &debugData{t: t, symbols: map[string]uint64{}}
	if d.data, err = f.DWARF(); err != nil {
		t.Fatal(err)
	}
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		d.symbols[s.Name] = s.Value
	}
	return d
}

// offset returns the offset of a field in a structure of the runtime.
func (d *debugData) offset(structure, field string) uint32 {
	d.t.Helper()
	r := d.data.Reader()
	for e, err := r.Next(); e != nil && err == nil; e, err = r.Next() {
		if e.Tag != dwarf.TagStructType || e.Val(dwarf.AttrName) != "runtime."+structure {
			continue
		}
		typ, err := d.data.Type(e.Offset)
		if err != nil {
			d.t.Fatal(err)
		}
		for _, f := range typ.(*dwarf.StructType).Field {
			if f.Name == field {
				return uint32(f.ByteOffset)
			}
		}
	}
	d.t.Fatalf("no field %s of runtime.%s", field, structure)
	return 0
}
