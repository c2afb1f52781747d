package dwarf

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/cgoheap/cgoheap/internal/elffile"
)

// splitProgram compiles a program whose units are split, and the same in one piece. The code of both is the same.
func splitProgram(t *testing.T, compiler, source string, flags ...string) (folder, split, whole string) {
	t.Helper()
	folder = t.TempDir()
	split, whole = filepath.Join(folder, "split"), filepath.Join(folder, "whole")
	path, err := filepath.Abs(filepath.Join(sources, source))
	if err != nil {
		t.Fatal(err)
	}
	run(t, folder, compiler, append(flags, "-g", "-O2", "-gsplit-dwarf", "-c", "-o", "unit.o", path)...)
	run(t, folder, compiler, "-o", split, "unit.o")
	run(t, folder, compiler, append(flags, "-g", "-O2", "-c", "-o", "one.o", path)...)
	run(t, folder, compiler, "-o", whole, "one.o")
	return folder, split, whole
}

// checkSplit compares the answers for a split program with those for the whole one.
func checkSplit(t *testing.T, split, whole string, open func(SplitUnit) (Source, error)) {
	t.Helper()
	addresses := everyByte(t, split, 3000)
	want := find(t, program(t, whole), addresses)
	p := program(t, split)
	p.Split = open
	frames := 0
	for i, got := range find(t, p, addresses) {
		if difference := gocmp.Diff(want[i], got); difference != "" {
			t.Fatalf("%#x (-whole +split):\n%s", addresses[i], difference)
		}
		frames += len(got.Frames)
	}
	if frames < len(addresses)/3 {
		t.Error("hardly any functions were found")
	}
}

func TestSplitUnitsAreReadFromTheirFiles(t *testing.T) {
	for i, build := range [][]string{
		{"gcc", "calls.c", "-gdwarf-4"}, {"gcc", "calls.c", "-gdwarf-5"}, {"g++", "shapes.cc", "-gdwarf-4"},
		{"g++", "shapes.cc", "-gdwarf-5"}, {"clang++", "shapes.cc", "-gdwarf-4"}, {"clang++", "shapes.cc", "-gdwarf-5"},
	} {
		t.Run(build[0]+" "+build[1]+" "+build[2], func(t *testing.T) {
			if testing.Short() && i > 1 {
				t.Skip("long: make test-all runs it")
			}
			folder, split, whole := splitProgram(t, build[0], build[1], build[2:]...)
			checkSplit(t, split, whole, func(u SplitUnit) (Source, error) {
				f, err := elffile.Open(filepath.Join(folder, filepath.Base(u.Name)))
				return elfSource{f}, err
			})
		})
	}
}

func TestSplitUnitsAreReadFromAPackage(t *testing.T) {
	for _, version := range []string{"-gdwarf-4", "-gdwarf-5"} {
		t.Run(version, func(t *testing.T) {
			if testing.Short() && version != "-gdwarf-5" {
				t.Skip("long: make test-all runs it")
			}
			folder, split, whole := splitProgram(t, "clang++", "shapes.cc", version)
			packed := filepath.Join(folder, "packed.dwp")
			dwos, err := filepath.Glob(filepath.Join(folder, "*.dwo"))
			if err != nil || len(dwos) == 0 {
				t.Fatal(dwos, err)
			}
			other := filepath.Join(folder, "other.o") // a second unit, so that offsets into the package matter
			path, _ := filepath.Abs(filepath.Join(sources, "calls.c"))
			run(t, folder, "clang", version, "-g", "-O2", "-gsplit-dwarf", "-c", "-o", other, path)
			run(t, folder, "llvm-dwp", append([]string{"-o", packed, filepath.Join(folder, "other.dwo")}, dwos...)...)
			checkSplit(t, split, whole, func(SplitUnit) (Source, error) {
				f, err := elffile.Open(packed)
				return elfSource{f}, err
			})
		})
	}
}

func TestWithoutItsOtherFileASplitUnitStillHasLines(t *testing.T) {
	_, split, whole := splitProgram(t, "gcc", "calls.c")
	addresses := everyByte(t, split, 500)
	want := find(t, program(t, whole), addresses)
	places := 0
	for i, got := range find(t, program(t, split), addresses) {
		if got.Position != want[i].Position {
			t.Fatalf("%#x: %v, want %v", addresses[i], got.Position, want[i].Position)
		}
		if got.File != "" {
			places++
		}
	}
	if places < len(addresses)/3 {
		t.Error("hardly any places were found")
	}
}

func TestWhatDwzHasMovedIsFoundInTheAlternateFile(t *testing.T) {
	for _, version := range []string{"-gdwarf-4", "-gdwarf-5"} {
		t.Run(version, func(t *testing.T) {
			if testing.Short() && version != "-gdwarf-5" {
				t.Skip("long: make test-all runs it")
			}
			folder := t.TempDir()
			first := compile(t, "g++", "shapes.cc", "-g", "-O2", version)
			data, err := os.ReadFile(first)
			if err != nil {
				t.Fatal(err)
			}
			one, two := filepath.Join(folder, "one"), filepath.Join(folder, "two")
			for _, path := range []string{one, two} {
				if err := os.WriteFile(path, data, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			run(t, folder, "dwz", "-m", "common", one, two)
			if _, err := exec.Command("readelf", "-S", filepath.Join(folder, "common")).Output(); err != nil {
				t.Skip("dwz found nothing in common")
			}
			addresses := everyByte(t, first, 3000)
			want := find(t, program(t, first), addresses)
			p := program(t, one)
			opened := 0
			p.Alternate = func() (Source, error) {
				opened++
				return openSource(t, filepath.Join(folder, "common")), nil
			}
			for i, got := range find(t, p, addresses) {
				if difference := gocmp.Diff(want[i], got); difference != "" {
					t.Fatalf("%#x (-before +after dwz):\n%s", addresses[i], difference)
				}
			}
			if opened != 1 {
				t.Errorf("the alternate file was opened %d times", opened)
			}
		})
	}
}
