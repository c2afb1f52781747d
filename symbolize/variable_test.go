package symbolize

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cgoheap/cgoheap/internal/elffile"
	"github.com/cgoheap/cgoheap/mappings"
)

// listedVariable is a variable as readelf lists it.
type listedVariable struct {
	start, size uint64
	name        string
}

// variablesOf returns what readelf lists: OBJECT or TLS.
func variablesOf(t testing.TB, path, kind string) (list []listedVariable) {
	t.Helper()
	need(t, "readelf")
	output, err := exec.Command("readelf", "-sW", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(output)) {
		f := strings.Fields(line) // Num Value Size Type Bind Vis Ndx Name
		if len(f) < 8 || f[3] != kind || f[6] == "UND" {
			continue
		}
		start, startErr := strconv.ParseUint(f[1], 16, 64)
		size, sizeErr := strconv.ParseUint(f[2], 0, 64)
		if startErr != nil || sizeErr != nil {
			t.Fatalf("%q", line)
		}
		if size == 0 { // of the linker, which marks places
			continue
		}
		name, _, _ := strings.Cut(f[7], "@")
		list = append(list, listedVariable{start, size, name})
	}
	return list
}

// allAround returns the variables around an address that begin last.
func allAround(list []listedVariable, address uint64) (found []listedVariable) {
	for _, v := range list {
		if address < v.start || address-v.start >= v.size {
			continue
		}
		if len(found) > 0 && v.start > found[0].start {
			found = found[:0]
		}
		if len(found) == 0 || v.start == found[0].start {
			found = append(found, v)
		}
	}
	return found
}

func sweep(list []listedVariable) (addresses []uint64) {
	for _, v := range list {
		for a := range v.size + 6 {
			addresses = append(addresses, v.start+a-3)
		}
	}
	return addresses
}

// variablesAt returns the variable of each address.
func variablesAt(s *Symbolizer, m *mappings.Module, storage Storage, addresses []uint64) []Variable {
	all := make([]Variable, len(addresses))
	list, of := s.Variables(m, storage, addresses)
	for i, which := range of {
		if which > 0 {
			all[i] = list[which-1]
		}
	}
	return all
}

func TestVariablesAreThoseThatReadelfLists(t *testing.T) {
	for _, c := range [][]string{
		{"g++", "variables.cc"}, {"g++", "variables.cc", "-O2", "-static"}, {"clang++", "variables.cc", "-fuse-ld=lld", "-O1"}, {"gcc", "statics.c"}, {"clang", "statics.c", "-O0", "-no-pie"},
	} {
		t.Run(strings.Join(c, " "), func(t *testing.T) {
			path := compile(t, c[0], c[1], c[2:]...)
			for kind, storage := range map[string]Storage{"OBJECT": Static, "TLS": ThreadLocal} {
				checkVariables(t, path, storage, variablesOf(t, path, kind))
			}
		})
	}
}

func checkVariables(t *testing.T, path string, storage Storage, list []listedVariable) {
	t.Helper()
	addresses := sweep(list)
	got := variablesAt(New(Options{Style: Mangled}), module(path), storage, addresses)
	named := 0
	for i, address := range addresses {
		want := allAround(list, address)
		if len(want) == 0 {
			if got[i] != (Variable{}) {
				t.Fatalf("%#x: %+v, though there is none", address, got[i])
			}
			continue
		}
		named++
		if !slices.ContainsFunc(list, func(v listedVariable) bool { // another name of the same may be the variable's with another size
			return got[i].Name == withoutSuffix(v.name) && got[i].Start == v.start && v.start == want[0].start && got[i].Size >= v.size
		}) {
			t.Fatalf("%#x: %+v, want one of %+v", address, got[i], want)
		}
	}
	if named < 4 {
		t.Errorf("only %d addresses of variables", named)
	}
}

func TestVariablesHaveTheNamesThatLLVMPrints(t *testing.T) {
	need(t, "llvm-symbolizer")
	path := compile(t, "g++", "variables.cc", "-g")
	compared := 0
	for _, v := range variablesOf(t, path, "OBJECT") {
		output, err := exec.Command("llvm-symbolizer", "--obj="+path, fmt.Sprintf("DATA %#x", v.start)).Output()
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(output), "\n")
		got := variablesAt(New(Options{Style: Full}), module(path), Static, []uint64{v.start})[0]
		if withoutSuffix(lines[0]) != got.Name && len(allAround(variablesOf(t, path, "OBJECT"), v.start)) == 1 && !strings.Contains(lines[0], "::") {
			t.Errorf("%#x: %q, llvm-symbolizer has %q", v.start, got.Name, lines[0])
		}
		if want := fmt.Sprintf("%d %d", got.Start, got.Size); lines[1] != want {
			t.Errorf("%#x: at %s, llvm-symbolizer has %q", v.start, want, lines[1])
		}
		compared++
	}
	if compared < 10 {
		t.Errorf("%d variables", compared)
	}
}

func namesOfVariables(t *testing.T, s *Symbolizer, m *mappings.Module, storage Storage, list []listedVariable) map[string]string {
	t.Helper()
	addresses := make([]uint64, len(list))
	for i, v := range list {
		addresses[i] = v.start
	}
	names := map[string]string{}
	for i, v := range variablesAt(s, m, storage, addresses) {
		names[list[i].name] = strings.TrimSpace(v.Name + " " + v.File)
	}
	return names
}

func TestNamesOfVariablesAreForPeople(t *testing.T) {
	path := compile(t, "g++", "variables.cc")
	got := namesOfVariables(t, New(Options{}), module(path), Static, variablesOf(t, path, "OBJECT"))
	for mangled, name := range namesOfVariables(t, New(Options{}), module(path), ThreadLocal, variablesOf(t, path, "TLS")) {
		got[mangled] = name
	}
	for mangled, want := range map[string]string{
		"sessions": "sessions", "_ZL5cache": "cache variables.cc", "table": "alias", "pair": "pair", "_ZL5words": "words variables.cc",
		"_ZN3app6server8instanceE": "app::server::instance", "_ZN3app12_GLOBAL__N_16hiddenE": "app::(anonymous namespace)::hidden variables.cc",
		"_ZN3app4poolIcE4freeE": "app::pool<char>::free", "_ZZL7counteriE5count": "counter()::count variables.cc",
		"_ZZL7counteriE4list":   "counter()::list variables.cc",
		"_ZZL7counteriE6nested": "counter()::nested variables.cc", "current": "current", "_ZL7scratch": "scratch variables.cc",
	} {
		if got[mangled] != want {
			t.Errorf("%s: %q, want %q", mangled, got[mangled], want)
		}
	}
	path = compile(t, "gcc", "statics.c")
	got = namesOfVariables(t, New(Options{}), module(path), Static, variablesOf(t, path, "OBJECT"))
	count := 0
	for symbol, name := range got {
		if strings.HasPrefix(symbol, "cache.") {
			count++
			if name != "cache statics.c" {
				t.Errorf("%s: %q", symbol, name)
			}
		}
	}
	if count != 2 {
		t.Errorf("%d variables: %v", count, got)
	}
}

func TestADebugFileHasTheVariablesOfAStrippedProgram(t *testing.T) {
	s := ship(t)
	list := variablesOf(t, s.debug, "OBJECT")
	without := namesOfVariables(t, New(Options{}), module(s.program), Static, list)
	with := namesOfVariables(t, New(s.byBuildID(t)), module(s.program), Static, list)
	lost := 0
	for name := range with {
		if with[name] == "" {
			t.Errorf("%s has no name with the debug file", name)
		}
		if without[name] == "" {
			lost++
		}
	}
	if lost == 0 || len(with) == 0 {
		t.Errorf("%d of %d have no name without", lost, len(with))
	}
}

func TestVariablesOfFilesThatCannotBeReadHaveNoNames(t *testing.T) {
	for _, m := range []*mappings.Module{nil, module(filepath.Join(t.TempDir(), "missing")), module("/dev/null")} {
		if diff := cmp.Diff([]Variable{{}, {}}, variablesAt(New(Options{}), m, Static, []uint64{0, 1<<64 - 1})); diff != "" {
			t.Error(diff)
		}
	}
}

func TestSuffixesOfCompilersAreLeftOut(t *testing.T) {
	for name, want := range map[string]string{
		"cache.0": "cache", "cache.lto_priv.3": "cache", "a.0.lto_priv.12.llvm.77": "a", "first.cache": "first.cache", ".5": ".5", "x.": "x.", "0": "0",
		"main.sessions": "main.sessions", "": "",
	} {
		if got := withoutSuffix(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestVariablesOfDamagedFiles(t *testing.T) {
	path := compile(t, "gcc", "statics.c")
	list := variablesOf(t, path, "OBJECT")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	random, addresses := rand.New(rand.NewPCG(1, 3)), append(sweep(list), 0, 1<<63, 1<<64-1)
	damaged := filepath.Join(t.TempDir(), "damaged")
	for range 300 {
		data := slices.Clone(whole)
		for range 1 + random.IntN(200) {
			data[64+random.IntN(len(data)-64)] = byte(random.IntN(256))
		}
		if random.IntN(4) == 0 {
			data = data[:64+random.IntN(len(data)-64)]
		}
		if err := os.WriteFile(damaged, data, 0o600); err != nil {
			t.Fatal(err)
		}
		found, of := New(Options{}).Variables(module(damaged), Static, addresses)
		for i, which := range of {
			if which == 0 {
				continue
			}
			if v := found[which-1]; addresses[i] < v.Start || v.Name == "" {
				t.Fatalf("%#x is in %+v", addresses[i], v)
			}
		}
	}
}

// Many large symbols at many addresses would take time for each pair.
func TestVariablesThatAllCoverEverything(t *testing.T) {
	const symbols, addresses = 20_000, 20_000
	list := make([]uint64, addresses)
	for i := range list {
		list[i] = uint64(i)
	}
	search := newVariableSearch(list)
	defer search.memory.Free()
	for i := range symbols {
		search.coverOne(&elffile.DataSymbol{Value: uint64(i), Size: 1 << 40})
	}
	if search.updates > coverLimit {
		t.Errorf("%d updates", search.updates)
	}
}
