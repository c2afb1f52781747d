package itanium

import (
	"debug/elf"
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ianlancetaylor/demangle"
)

var files = flag.String("itanium.files", "", "programs whose names are compared too, with commas between them")

// general is how the general demangler is asked for the same parts.
var general = map[Show][]demangle.Option{
	0:                              {demangle.NoParams, demangle.NoEnclosingParams, demangle.NoTemplateParams, demangle.MaxLength(14)},
	TemplateArguments:              {demangle.NoParams, demangle.NoEnclosingParams, demangle.MaxLength(14)},
	TemplateArguments | Parameters: {demangle.NoClones, demangle.MaxLength(14)},
}

// compare fails if a name is made readable otherwise than the general demangler does, and reports whether it was in all
// ways.
func compare(t *testing.T, mangled string) (done bool) {
	t.Helper()
	done = true
	for show, options := range general {
		got, ok := Demangle(mangled, show)
		if want := demangle.Filter(mangled, options...); ok && got != want {
			t.Errorf("%s, showing %d:\n got %s\nwant %s", mangled, show, got, want)
		}
		done = done && ok
	}
	return done
}

// All shared libraries of C++ that are there, and the programs given.
func TestNamesOfProgramsAreThoseOfTheGeneralDemangler(t *testing.T) {
	paths, _ := filepath.Glob("/usr/lib/*/libstdc++.so.6")
	if *files != "" {
		paths = append(paths, strings.Split(*files, ",")...)
	}
	if len(paths) == 0 {
		t.Skip("no library of C++ and no -itanium.files")
	}
	for _, path := range paths {
		all, done := 0, 0
		for _, mangled := range mangledNames(t, path) {
			if all++; compare(t, mangled) {
				done++
			}
		}
		if t.Logf("%s: %d of %d names", path, done, all); done < all*8/10 {
			t.Errorf("%s: only %d of %d names were made readable", path, done, all)
		}
	}
}

func mangledNames(t testing.TB, path string) (names []string) {
	t.Helper()
	file, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	static, _ := file.Symbols()
	dynamic, _ := file.DynamicSymbols()
	for _, s := range append(static, dynamic...) {
		if strings.HasPrefix(s.Name, "_Z") && elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			names = append(names, s.Name)
		}
	}
	return names
}

func TestUsualNamesAreMadeReadable(t *testing.T) {
	for _, mangled := range usual {
		if !compare(t, mangled) {
			t.Errorf("%s was left to the general demangler", mangled)
		}
	}
}

func TestWhatIsNotAUsualNameIsLeft(t *testing.T) {
	for _, mangled := range unusual {
		compare(t, mangled)
		if got, ok := Demangle(mangled, TemplateArguments|Parameters); ok {
			t.Errorf("%s became %s", mangled, got)
		}
	}
}

func FuzzNamesAreThoseOfTheGeneralDemangler(f *testing.F) {
	for _, mangled := range append(usual, unusual...) {
		f.Add(mangled)
	}
	f.Fuzz(func(t *testing.T, mangled string) {
		if len(mangled) < 1<<10 {
			compare(t, mangled)
		}
	})
}

// BenchmarkDemangle makes the names of the C++ library readable, next to the general demangler.
func BenchmarkDemangle(b *testing.B) {
	paths, _ := filepath.Glob("/usr/lib/*/libstdc++.so.6")
	if len(paths) == 0 {
		b.Skip("no library of C++")
	}
	names := mangledNames(b, paths[0])
	b.Run("itanium", func(b *testing.B) {
		for b.Loop() {
			for _, mangled := range names {
				Demangle(mangled, TemplateArguments)
			}
		}
	})
	b.Run("general", func(b *testing.B) {
		for b.Loop() {
			for _, mangled := range names {
				demangle.Filter(mangled, general[TemplateArguments]...)
			}
		}
	})
}
