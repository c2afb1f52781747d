package symbolize

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/debugfile"
	"github.com/cgoheap/cgoheap/internal/elffile"
	"github.com/cgoheap/cgoheap/internal/scratch"
)

// packed returns a library whose compressed debug data is large.
func packed(t *testing.T) (path string) {
	t.Helper()
	need(t, "gcc")
	dir := t.TempDir()
	source, library := filepath.Join(dir, "many.c"), filepath.Join(dir, "many.so")
	var code strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&code, "int function_%d_%s(void) { return %d; }\n", i, strings.Repeat("name", 8), i)
	}
	if err := os.WriteFile(source, []byte(code.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	tool(t, "gcc", "-shared", "-g", "-gz=zlib", "-o", library, source)
	return library
}

// damagePacked overwrites what a compressed section of a library holds.
func damagePacked(t *testing.T, library, section string) {
	t.Helper()
	file, err := os.OpenFile(library, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	parsed, err := elf.NewFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := parsed.Section(section)
	const header = 24 // of a compressed section
	if _, err := file.WriteAt(bytes.Repeat([]byte{0xff}, int(s.FileSize-header)), int64(s.Offset+header)); err != nil {
		t.Fatal(err)
	}
}

// Reading symbols and making names readable take memory, too. They come after the debug data, and not on top of it.
func TestUnpackedDebugDataIsGivenBackBeforeSymbolsAreRead(t *testing.T) {
	library := packed(t)
	file, err := elffile.Open(library)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	files := debugfile.Finder{}.Open(debugfile.Module{Path: library, File: file})
	defer files.Close()
	o := readObject(files, nil)
	defer o.close()
	before, _ := scratch.Held()
	if before < 128<<10 {
		t.Fatalf("%d bytes of debug data were unpacked", before)
	}
	text, _ := file.Section(".text")
	w := newWants([]uint64{text.Addr + text.Size/2})
	o.resolve(w, Templates)
	if !w.named() || !strings.HasPrefix(w[0].lines[0].Function, "function_") {
		t.Fatalf("not named: %+v", w[0])
	}
	if now, _ := scratch.Held(); now > before/4 {
		t.Errorf("%d of %d bytes are held while the file is still open", now, before)
	}
}

// One section that cannot be unpacked makes all debug data useless, and those that were unpacked before it as well.
func TestUnpackedDebugDataThatIsOfNoUseIsGivenBack(t *testing.T) {
	library := packed(t)
	damagePacked(t, library, ".debug_line")
	file, err := elffile.Open(library)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	files := debugfile.Finder{}.Open(debugfile.Module{Path: library, File: file})
	defer files.Close()
	before, _ := scratch.Held()
	o := readObject(files, nil)
	defer o.close()
	if o.debug != nil || o.damage == nil {
		t.Fatalf("the debug data was opened: %v", o.damage)
	}
	if now, _ := scratch.Held(); now > before {
		t.Errorf("%d bytes of debug data are held that cannot be used", now-before)
	}
}
