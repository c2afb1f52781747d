package mappings

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// mappedLibrary is a library that a loader has mapped, with its file, which the test changes.
func mappedLibrary(t *testing.T, flags ...string) (path string, truth loads) {
	t.Helper()
	dir := t.TempDir()
	path = compile(t, "library.c", filepath.Join(dir, "library.so"), append([]string{"-shared", "-fPIC"}, flags...)...)
	return path, load(t, compile(t, "loader.c", filepath.Join(dir, "loader"), "-ldl"), "once:"+path)
}

// withoutLinks is a view of a process in which the kernel's links to mapped files cannot be followed, as for a process
// without privileges.
func withoutLinks(t *testing.T, p process) process {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"maps", "mem", "exe"} {
		if err := os.Symlink(filepath.Join(string(p), name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return process(dir)
}

func replace(t *testing.T, path string, write func(temporary string)) {
	t.Helper()
	temporary := path + ".new"
	write(temporary)
	if err := os.Rename(temporary, path); err != nil {
		t.Fatal(err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestDeletedFiles(t *testing.T) {
	t.Run("a deleted library keeps bias and build ID, which lie in memory, and says that it is gone", func(t *testing.T) {
		path, truth := mappedLibrary(t, "-Wl,-Ttext=0x20100")
		id := readelfBuildID(t, path)
		os.Remove(path)
		truth.process = withoutLinks(t, truth.process)
		module := only(t, truth.modules(t), path)
		if !module.Deleted || module.Bias != truth.libraries[path][0] || module.BuildID != id {
			t.Errorf("%+v", module)
		}
		if !errors.Is(module.Err, ErrGone) {
			t.Errorf("error %v", module.Err)
		}
	})
	t.Run("a deleted library is opened by the kernel's link where that is allowed", func(t *testing.T) {
		path, truth := mappedLibrary(t)
		os.Remove(path)
		module := only(t, truth.modules(t), path)
		if _, err := os.ReadDir(filepath.Join(string(truth.process), "map_files")); err != nil {
			t.Skip(err)
		}
		if os.Getuid() != 0 {
			t.Skip("following map_files needs privileges")
		}
		file, err := truth.process.Open(&module)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if symbols, err := file.Symbols(); len(symbols) == 0 {
			t.Errorf("no symbols: %v", err)
		}
	})
	t.Run("a deleted executable is opened by the link to it", func(t *testing.T) {
		loader := compile(t, "loader.c", filepath.Join(t.TempDir(), "loader"), "-ldl")
		id := readelfBuildID(t, loader)
		truth := load(t, loader)
		os.Remove(loader)
		modules, err := withoutLinks(t, truth.process).modules()
		if err != nil {
			t.Fatal(err)
		}
		if m := modules[0]; m.Path != loader || !m.Deleted || m.Err != nil || m.BuildID != id {
			t.Errorf("%+v", m)
		}
	})
}

// writeOver puts a byte in a file's place, a while after it was made.
func writeOver(t *testing.T, path string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteAt([]byte{0}, 15); err != nil { // of e_ident's padding
		t.Fatal(err)
	}
	later := time.Now().Add(time.Minute)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
}

func TestReplacedFiles(t *testing.T) {
	t.Run("another build under the same path is never used", func(t *testing.T) {
		for _, id := range []string{"sha1", "none"} {
			path, truth := mappedLibrary(t, "-Wl,--build-id="+id)
			want := readelfBuildID(t, path)
			replace(t, path, func(temporary string) {
				compile(t, "library.c", temporary, "-shared", "-fPIC", "-DOTHER", "-Wl,-Ttext=0x40100",
					"-Wl,--build-id="+id)
			})
			truth.process = withoutLinks(t, truth.process)
			module := only(t, truth.modules(t), path)
			if module.Bias != truth.libraries[path][0] || module.BuildID != want {
				t.Errorf("%+v", module)
			}
			if !errors.Is(module.Err, ErrGone) {
				t.Errorf("error %v", module.Err)
			}
		}
	})
	t.Run("a library without a build ID that was written over in its place is not used", func(t *testing.T) {
		path, truth := mappedLibrary(t, "-Wl,--build-id=none")
		module := only(t, truth.modules(t), path)
		for _, spoil := range []bool{false, true} {
			if spoil {
				writeOver(t, path)
			}
			file, err := truth.process.Open(&module)
			if err == nil {
				file.Close()
			}
			if spoil != errors.Is(err, ErrGone) || !spoil && err != nil {
				t.Errorf("written over: %t, error %v", spoil, err)
			}
		}
	})
	t.Run("the same build under the same path is used", func(t *testing.T) {
		path, truth := mappedLibrary(t)
		replace(t, path, func(temporary string) { copyFile(t, path, temporary) })
		process := withoutLinks(t, truth.process)
		truth.process = process
		module := only(t, truth.modules(t), path)
		file, err := process.Open(&module)
		if err != nil || module.Err != nil {
			t.Fatal(err, module.Err)
		}
		file.Close()
	})
	t.Run("a copy without a build ID cannot be trusted", func(t *testing.T) {
		path, truth := mappedLibrary(t, "-Wl,--build-id=none")
		replace(t, path, func(temporary string) { copyFile(t, path, temporary) })
		truth.process = withoutLinks(t, truth.process)
		if module := only(t, truth.modules(t), path); module.Err == nil {
			t.Errorf("%+v", module)
		}
	})
	t.Run("a path that became a FIFO does not block", func(t *testing.T) {
		path, truth := mappedLibrary(t)
		os.Remove(path)
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Skip(err)
		}
		truth.process = withoutLinks(t, truth.process)
		if module := only(t, truth.modules(t), path); module.Err == nil {
			t.Errorf("%+v", module)
		}
	})
}

func TestDamagedFiles(t *testing.T) {
	t.Run("a truncated library keeps its bias and says that it is truncated", func(t *testing.T) {
		path, truth := mappedLibrary(t)
		if err := os.Truncate(path, 0x1800); err != nil {
			t.Fatal(err)
		}
		module := only(t, truth.modules(t), path)
		if module.Err == nil || module.Bias != truth.libraries[path][0] || len(module.Ranges) != 1 {
			t.Errorf("%+v, want bias %#x", module, truth.libraries[path][0])
		}
	})
	t.Run("a library truncated to nothing keeps path and ranges", func(t *testing.T) {
		path, truth := mappedLibrary(t)
		if err := os.Truncate(path, 0); err != nil {
			t.Fatal(err)
		}
		module := only(t, truth.modules(t), path)
		if module.Err == nil || module.Bias != truth.libraries[path][0] || len(module.Ranges) != 1 {
			t.Errorf("%+v, want bias %#x", module, truth.libraries[path][0])
		}
	})
}

func TestVDSO(t *testing.T) {
	t.Run("the vdso of this process opens from memory, with the symbols that C calls", func(t *testing.T) {
		modules, err := Self()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range modules {
			if m.Path != vdsoPath {
				continue
			}
			file, err := m.Open()
			if err != nil {
				t.Fatal(err)
			}
			symbols, err := file.Symbols()
			if err != nil || len(symbols) == 0 {
				t.Errorf("%d symbols: %v", len(symbols), err)
			}
			if data, _, err := file.EhFrame(); err != nil || len(data) == 0 {
				t.Errorf("no .eh_frame: %v", err)
			}
			return
		}
		t.Skip("no vdso here")
	})
}

func TestOpenByPathOnly(t *testing.T) {
	t.Run("a module with nothing but a path opens that path", func(t *testing.T) {
		path, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		file, err := (&Module{Path: path}).Open()
		if err != nil {
			t.Fatal(err)
		}
		file.Close()
	})
}
