package debugfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/elffile"
)

const otherID = "ffeeddccbbaa99887766554433221100ffeeddcc"

// openedFrom is the path of the separate file that is found for a module, below dir; "" if there is none.
func openedFrom(t *testing.T, dir string, module Module) (path string, refusals []Refusal) {
	t.Helper()
	files := Finder{Dirs: []string{filepath.Join(dir, "global")}}.Open(module)
	defer files.Close()
	if files.separate != nil {
		relative, err := filepath.Rel(dir, files.separate.Name())
		if err != nil {
			t.Fatal(err)
		}
		path = relative
	}
	return path, files.Refusals()
}

func TestTheOrderOfTheSearch(t *testing.T) {
	dir := t.TempDir()
	link := debugLink("program.debug", debugFile(someID).save(t, dir, "first"))
	module := Module{Path: filepath.Join(dir, "usr/bin/program"), BuildID: someID, File: image{".gnu_debuglink": link}.open(t)}
	places := []string{
		"global/.build-id/00/112233445566778899aabbccddeeff00112233.debug",
		"usr/bin/program.debug",
		"usr/bin/.debug/program.debug",
		filepath.Join("global", dir, "usr/bin/program.debug"),
	}
	for _, place := range places {
		debugFile(someID).save(t, dir, place)
	}
	for _, place := range places {
		if got, _ := openedFrom(t, dir, module); got != place {
			t.Errorf("opened %s, want %s", got, place)
		}
		if err := os.Remove(filepath.Join(dir, place)); err != nil {
			t.Fatal(err)
		}
	}
	if got, refusals := openedFrom(t, dir, module); got != "" || refusals != nil {
		t.Error(got, refusals)
	}
}

func TestAFileWithDebugDataNeedsNoOther(t *testing.T) {
	dir := t.TempDir()
	debugFile(someID).save(t, dir, "global/.build-id", someID[:2], someID[2:]+".debug")
	if got, _ := openedFrom(t, dir, Module{Path: "/program", BuildID: someID, File: debugFile(someID).open(t)}); got != "" {
		t.Error(got)
	}
}

func TestALinkFindsTheDirectoryThatItsOwnHadBeforeUsrWasMerged(t *testing.T) {
	dir := t.TempDir()
	link := debugLink("program.debug", debugFile(someID).save(t, dir, "global/lib/program.debug"))
	module := Module{Path: "/usr/lib/program", BuildID: someID, File: image{".gnu_debuglink": link}.open(t)}
	if got, _ := openedFrom(t, dir, module); got != "global/lib/program.debug" {
		t.Error(got)
	}
}

// TestWhatCountsAsTheDebugFile goes through what a link and the file that it names may say about each other.
func TestWhatCountsAsTheDebugFile(t *testing.T) {
	for name, c := range map[string]struct {
		module, file string // build IDs
		sameSum      bool
		want         error
	}{
		"the same build":                             {someID, someID, true, nil},
		"the same build, changed by a tool":          {someID, someID, false, nil},
		"another build":                              {someID, otherID, false, ErrOtherBuild},
		"another build with the checksum":            {someID, otherID, true, ErrOtherBuild},
		"no build IDs":                               {"", "", true, nil},
		"no build IDs, another checksum":             {"", "", false, ErrChecksum},
		"a build ID in the file only":                {"", someID, true, nil},
		"a build ID in the file only, another sum":   {"", someID, false, ErrChecksum},
		"a build ID in the module only":              {someID, "", true, nil},
		"a build ID in the module only, another sum": {someID, "", false, ErrChecksum},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			sum := debugFile(c.file).save(t, dir, "program.debug")
			if !c.sameSum {
				sum++
			}
			module := Module{
				Path: filepath.Join(dir, "program"), BuildID: c.module,
				File: image{".gnu_debuglink": debugLink("program.debug", sum)}.open(t),
			}
			got, refusals := openedFrom(t, dir, module)
			if c.want == nil && (got != "program.debug" || refusals != nil) {
				t.Error(got, refusals)
			}
			if c.want != nil && (got != "" || len(refusals) != 1 || !errors.Is(refusals[0].Err, c.want)) {
				t.Error(got, refusals)
			}
		})
	}
}

func TestLinksThatLeadNowhereGood(t *testing.T) {
	dir := t.TempDir()
	debugFile("").save(t, dir, "outside.debug")
	image{}.save(t, dir, "bin/empty.debug")
	if err := unix.Mkfifo(filepath.Join(dir, "bin/pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("loop", filepath.Join(dir, "bin/loop")); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		link []byte
		want error
	}{
		"to a file outside":    {debugLink("../outside.debug", 0), errDamaged},
		"to the directory":     {debugLink(".", 0), errDamaged},
		"to nothing":           {debugLink("", 0), errDamaged},
		"without a checksum":   {[]byte("program.debug\x00"), errDamaged},
		"without an end":       {[]byte("program.debug"), errDamaged},
		"to a FIFO":            {debugLink("pipe", 0), errDamaged},
		"to itself":            {debugLink("loop", 0), errUnreadable},
		"to a stripped file":   {debugLink("empty.debug", image{}.save(t, dir, "bin/empty.debug")), errDamaged},
		"to what is not there": {debugLink("missing", 0), nil},
	} {
		t.Run(name, func(t *testing.T) {
			module := Module{Path: filepath.Join(dir, "bin/program"), File: image{".gnu_debuglink": c.link}.open(t)}
			got, refusals := openedFrom(t, dir, module)
			if got != "" || (c.want == nil) != (len(refusals) == 0) || c.want != nil && !errors.Is(refusals[0].Err, c.want) {
				t.Error(got, refusals)
			}
		})
	}
}

func FuzzOnlyFilesOfTheModuleCount(f *testing.F) {
	dir := f.TempDir()
	debugFile(someID).save(f, dir, "bin/same.debug")
	debugFile(otherID).save(f, dir, "bin/other.debug")
	sum := debugFile("").save(f, dir, "bin/nameless.debug")
	f.Add(debugLink("same.debug", 0), []byte("same.debug\x00\x00\x11"), []byte{}, note(someID))
	f.Add(debugLink("other.debug", 1), []byte("other.debug\x00"), []byte("\xfd7zXZ\x00\x00\x04"), note(otherID))
	f.Add(debugLink("nameless.debug", sum), []byte("/"), []byte{}, []byte{})
	f.Fuzz(func(t *testing.T, link, alternate, packed, id []byte) {
		file := image{
			".gnu_debuglink": link, ".gnu_debugaltlink": alternate, ".gnu_debugdata": packed, ".note.gnu.build-id": id,
		}.open(t)
		module := Module{Path: filepath.Join(dir, "bin/program"), File: file}
		module.BuildID, _ = file.BuildID()
		files := Finder{Dirs: []string{dir}}.Open(module)
		defer files.Close()
		if files.separate != nil && !belongs(files.separate, module) {
			t.Errorf("%s counts", files.separate.Name())
		}
		if found, _ := files.alternate(); found != nil {
			_, want, _ := files.Debug().AlternateLink()
			if got, _ := found.(source).BuildID(); got != want {
				t.Errorf("the alternate file %q counts for %q", got, want)
			}
		}
		for _, refusal := range files.Refusals() {
			if !known(refusal.Err) {
				t.Error(refusal)
			}
		}
	})
}

// belongs reports whether a file is the module's, from the start.
func belongs(file *elffile.File, m Module) bool {
	if id, _ := file.BuildID(); id != "" && m.BuildID != "" {
		return id == m.BuildID
	}
	_, want, _ := m.File.DebugLink()
	got, err := file.Checksum()
	return err == nil && got == want
}

func known(err error) bool {
	for _, kind := range []error{
		ErrOtherBuild, ErrChecksum, errDamaged, errUnreadable, ErrNoAlternate, ErrNoSplit, ErrServerOff, ErrNotOnServer, ErrServer,
	} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}
