package mappings

import (
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// layouts are ways of linking in which p_vaddr − p_offset of the code differs.
var layouts = map[string][]string{
	"as gcc links by default":         nil,
	"without separate code":           {"-Wl,-z,noseparate-code"},
	"with code far from its offset":   {"-Wl,-Ttext=0x20100"},
	"with a text segment of its own":  {"-Wl,-Ttext-segment=0x200000"},
	"with 64 KiB pages":               {"-Wl,-z,max-page-size=65536"},
	"by gold":                         {"-fuse-ld=gold"},
	"by gold, a page from its offset": {"-fuse-ld=gold", "-Wl,--rosegment"},
	"by lld":                          {"-fuse-ld=lld"},
	"by mold":                         {"-fuse-ld=mold"},
}

func TestBiasOfLibraries(t *testing.T) {
	dir := t.TempDir()
	loader := compile(t, "loader.c", filepath.Join(dir, "loader"), "-ldl")
	for layout, flags := range layouts {
		t.Run("a library linked "+layout+" has the bias that the dynamic linker gave it", func(t *testing.T) {
			library := filepath.Join(t.TempDir(), "library.so")
			compile(t, "library.c", library, append([]string{"-shared", "-fPIC"}, flags...)...)
			truth := load(t, loader, "once:"+library)
			module := only(t, truth.modules(t), library)
			checkFunction(t, &module, "library_function", truth.functions[library][0])
			if module.Bias != truth.libraries[library][0] || module.Err != nil {
				t.Errorf("bias %#x, want %#x; %v", module.Bias, truth.libraries[library][0], module.Err)
			}
			if want := readelfBuildID(t, library); module.BuildID != want {
				t.Errorf("build ID %q, want %q", module.BuildID, want)
			}
		})
	}
}

func TestBiasOfExecutables(t *testing.T) {
	for layout, flags := range layouts {
		for kind, flag := range map[string]string{"position-independent ": "-pie", "": "-no-pie"} {
			t.Run("a "+kind+"executable linked "+layout+" comes first with its bias", func(t *testing.T) {
				loader := filepath.Join(t.TempDir(), "loader")
				compile(t, "loader.c", loader, append([]string{flag, "-ldl"}, flags...)...)
				truth := load(t, loader)
				modules, err := truth.process.modules()
				if err != nil {
					t.Fatal(err)
				}
				program := modules[0]
				if program.Path != loader || program.Bias != truth.biases[""] || program.Err != nil {
					t.Fatalf("%+v, want bias %#x", program, truth.biases[""])
				}
				checkFunction(t, &program, "main", truth.main)
			})
		}
	}
}

func TestBiasOfSystemLibraries(t *testing.T) {
	t.Run("every loaded library and the vdso have the bias that dl_iterate_phdr states", func(t *testing.T) {
		loader := compile(t, "loader.c", filepath.Join(t.TempDir(), "loader"), "-ldl")
		truth := load(t, loader)
		modules := truth.modules(t)
		compared := 0
		for path, want := range truth.biases {
			switch resolved, _ := filepath.EvalSymlinks(path); {
			case path == "":
				continue
			case strings.HasPrefix(path, "linux-vdso"):
				path = vdsoPath
			default:
				path = resolved
			}
			if got := only(t, modules, path); got.Bias != want || got.Err != nil || got.BuildID == "" {
				t.Errorf("%s: %+v, want bias %#x", path, got, want)
			}
			compared++
		}
		if compared < 3 {
			t.Errorf("only %d libraries compared", compared)
		}
	})
}

// checkFunction compares the ELF address of a function's runtime address with the symbol table, as debug/elf reads it.
func checkFunction(t *testing.T, m *Module, name string, address uint64) {
	t.Helper()
	symbols := toolchain.Symbols(t, m.Path)
	at := slices.IndexFunc(symbols, func(s elf.Symbol) bool { return s.Name == name })
	if got := m.ELFAddr(RuntimeAddr(address)); at < 0 || uint64(got) != symbols[at].Value {
		t.Errorf("%s is at ELF address %#x; the symbol table says otherwise: %+v", name, got, symbols[max(at, 0)])
	}
	if !slices.ContainsFunc(m.Ranges, func(r Range) bool {
		return r.Start <= RuntimeAddr(address) && RuntimeAddr(address) < r.Limit
	}) {
		t.Errorf("%s at %#x lies outside of %+v", name, address, m.Ranges)
	}
}

// readelfBuildID is the build ID that readelf prints, "" if there is none.
func readelfBuildID(t *testing.T, path string) string {
	t.Helper()
	text, err := exec.Command("readelf", "-n", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	match := regexp.MustCompile(`Build ID: ([0-9a-f]+)`).FindSubmatch(text)
	if match == nil {
		return ""
	}
	return string(match[1])
}

func TestTwoLoads(t *testing.T) {
	t.Run("a library that is loaded twice is two modules with a bias each", func(t *testing.T) {
		dir := t.TempDir()
		library := compile(t, "library.c", filepath.Join(dir, "library.so"), "-shared", "-fPIC", "-Wl,-Ttext=0x20100")
		truth := load(t, compile(t, "loader.c", filepath.Join(dir, "loader"), "-ldl"), "twice:"+library)
		modules := truth.modules(t)[library]
		if len(modules) != 2 {
			t.Fatalf("%d modules: %+v", len(modules), modules)
		}
		want, got := truth.libraries[library], []uint64{modules[0].Bias, modules[1].Bias}
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("biases %#x, want %#x", got, want)
		}
	})
}

func TestMovedText(t *testing.T) {
	loader := compile(t, "loader.c", filepath.Join(t.TempDir(), "loader"), "-ldl")
	for task, how := range map[string]string{"moved": "moved in part to anonymous memory", "onto": "moved as a whole onto a file"} {
		for layout, flags := range layouts {
			t.Run("text "+how+" stays in its module, in a library linked "+layout, func(t *testing.T) {
				library := filepath.Join(t.TempDir(), "library.so")
				compile(t, "library.c", library, append([]string{"-shared", "-fPIC"}, flags...)...)
				truth := load(t, loader, task+":"+library)
				checkCodeElsewhere(t, truth.process)
				module := only(t, truth.modules(t), library)
				checkFunction(t, &module, "library_function", truth.functions[library][0])
				behind := RuntimeAddr(truth.functions[library][0]) + 0x3000 // in library_function, too
				if module.Bias != truth.libraries[library][0] || module.Err != nil || !module.Holds(behind) {
					t.Errorf("%+v, want bias %#x", module, truth.libraries[library][0])
				}
			})
		}
	}
}

// checkCodeElsewhere fails the test unless a process has code that was moved.
func checkCodeElsewhere(t *testing.T, p process) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(string(p), "maps"))
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`r-xp 00000000 \S+ \d+ *(/memfd:text \(deleted\))?\n`).Match(text) {
		t.Fatalf("no code was moved in\n%s", text)
	}
}

func TestPathsOfLibraries(t *testing.T) {
	for _, name := range []string{"with space.so", "with\nnewline.so", "really (deleted)", " leading and trailing "} {
		t.Run(fmt.Sprintf("a library called %q is found and opened", name), func(t *testing.T) {
			dir := t.TempDir()
			library := compile(t, "library.c", filepath.Join(dir, name), "-shared", "-fPIC")
			loader := compile(t, "loader.c", filepath.Join(dir, "loader"), "-ldl")
			module := only(t, modulesWith(t, loader, library), library)
			if module.Err != nil || module.Deleted || module.BuildID != readelfBuildID(t, library) {
				t.Errorf("%+v", module)
			}
		})
	}
}

// modulesWith are the modules of a loader that has loaded a library.
func modulesWith(t *testing.T, loader, library string) map[string][]Module {
	t.Helper()
	truth := load(t, loader, "once:"+library)
	return truth.modules(t)
}
