package dwarf

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// agree checks the answers for addresses of a file against the slow road's.
func agree(t *testing.T, path string, addresses []uint64) {
	t.Helper()
	p := program(t, path)
	want := newSlow(t, path, p)
	frames := 0
	for i, got := range find(t, p, addresses) {
		wanted := want.find(addresses[i])
		for _, answer := range []Answer{got, wanted} {
			for _, frame := range answer.Frames {
				if f := frame.Function; f != nil && f.Linkage != "" {
					f.Plain, f.Name = "", "" // not looked for any further
				}
			}
		}
		if difference := gocmp.Diff(wanted, got); difference != "" {
			t.Fatalf("%#x (-debug/dwarf +ours):\n%s", addresses[i], difference)
		}
		frames += len(got.Frames)
	}
	if t.Logf("%d addresses, %d frames", len(addresses), frames); frames < len(addresses)/3 {
		t.Error("hardly any functions were found")
	}
}

func TestAnswersAreThoseOfASlowerReader(t *testing.T) {
	for i, build := range []string{
		"gcc calls.c -g -O0", "gcc calls.c -g -O2", "gcc calls.c -g -O2 -gdwarf-2 -gstrict-dwarf",
		"gcc calls.c -g -O2 -gdwarf-3", "gcc calls.c -g -O2 -gdwarf-4", "gcc calls.c -g -O2 -gdwarf64",
		"gcc calls.c -g -O2 -ffunction-sections -Wl,--gc-sections",
		"g++ shapes.cc -g -O0", "g++ shapes.cc -g -O2", "g++ shapes.cc -g -O2 -gdwarf-4", "g++ shapes.cc -g -O3 -gz=zlib",
		"g++ shapes.cc -g -O2 -flto", "g++ shapes.cc -g -O2 -gdwarf64", "clang calls.c -g -O2", "clang++ shapes.cc -g -O2",
		"clang++ shapes.cc -g -O2 -gdwarf-5 -ffunction-sections", "clang++ shapes.cc -g -O1 -gdwarf-4 -fuse-ld=lld",
		"g++ shapes.cc -g -O2 -fdebug-types-section", "g++ shapes.cc -g -O2 -femit-class-debug-always",
	} {
		t.Run(build, func(t *testing.T) {
			if testing.Short() && i > 0 && build != "g++ shapes.cc -g -O2" {
				t.Skip("long: make test-all runs it")
			}
			words := strings.Fields(build)
			path := compile(t, words[0], words[1], words[2:]...)
			agree(t, path, everyByte(t, path, 3000))
		})
	}
}

func TestGoProgramsAreReadAsTheSlowerReaderReadsThem(t *testing.T) {
	for _, flags := range []string{"", "-compressdwarf=false"} {
		path := filepath.Join(t.TempDir(), "program")
		run(t, "../..", "go", "build", "-ldflags="+flags, "-o", path, "./cmd/cgoheap")
		agree(t, path, everyByte(t, path, 200))
	}
}

// The largest separate debug files of the machine, if there are any: libc's, say.
func TestRealDebugFilesAreReadAsTheSlowerReaderReadsThem(t *testing.T) {
	files, _ := filepath.Glob("/usr/lib/debug/.build-id/*/*.debug")
	slices.SortFunc(files, func(a, b string) int { return cmp.Compare(fileSize(b), fileSize(a)) })
	if len(files) == 0 {
		t.Skip("no separate debug files")
	}
	agree(t, files[0], everyByte(t, files[0], 200))
}
