//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package preload

import (
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/remote"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/toolchain"
	"github.com/cgoheap/cgoheap/symbolize"
)

// withDevices is the target of libraries that record devices.
var withDevices = Target{Arch: here.Arch, Devices: true}

// standIn returns the folder of a stand-in for CUDA's driver.
func standIn(t *testing.T, flags ...string) string {
	t.Helper()
	return standInBy(t, "gcc", flags...)
}

func standInBy(t *testing.T, compiler string, flags ...string) string {
	t.Helper()
	needs(t, compiler)
	return filepath.Dir(must[string](t)(workshop.Make("standin-"+compiler+strings.Join(flags, "")+"/libcuda.so.1", func(path string) error {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		return toolchain.Tool{Words: append([]string{compiler, "-std=gnu11", "-O2", "-g", "-fPIC", "-shared", "-fvisibility=hidden",
			"-Wl,-soname,libcuda.so.1", "-o", path, "../../cgo/testdata/cuda/cuda.c", "-lpthread"}, flags...)}.Run()
	})))
}

// place is where blocks are: a function's, of a kind, on a device.
type place struct{ function, kind, device string }

func placeOf(function, kind, device string) place {
	if device == "-1" {
		return place{function, kind, ""}
	}
	return place{function, kind, "GPU " + device}
}

// said returns what the program says of each place: blocks and bytes allocated, and in use. Its own sums of what is in use are those of the
// driver.
func said(t *testing.T, out string) map[place][4]int64 {
	t.Helper()
	all, sums, books := make(map[place][4]int64), make(map[place][2]int64), make(map[place][2]int64)
	for line := range strings.Lines(out) {
		sign, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		words := strings.Split(rest, ",")
		if len(words) != 4 {
			continue
		}
		var blocks, bytes int64 = 1, 0
		_, _ = fmt.Sscan(words[3], &bytes)
		if sign == "books" {
			_, _ = fmt.Sscan(words[2], &blocks)
			books[placeOf("", words[0], words[1])] = [2]int64{blocks, bytes}
			continue
		}
		at := placeOf(words[0], words[1], words[2])
		v, sum := all[at], sums[place{"", at.kind, at.device}]
		if sign == "+" {
			v = [4]int64{v[0] + 1, v[1] + bytes, v[2] + 1, v[3] + bytes}
			sum = [2]int64{sum[0] + 1, sum[1] + bytes}
		} else {
			v = [4]int64{v[0], v[1], v[2] - 1, v[3] - bytes}
			sum = [2]int64{sum[0] - 1, sum[1] - bytes}
		}
		all[at], sums[place{"", at.kind, at.device}] = v, sum
	}
	if len(all) == 0 || len(books) > 0 && !maps.Equal(sums, books) {
		t.Fatalf("the program says %v, and the driver %v: %q", sums, books, out)
	}
	return all
}

// recordedAt adds up the samples of devices' kinds, by function, in the profiles of devices and of the host.
func recordedAt(t *testing.T, box string) map[place][4]int64 {
	t.Helper()
	r, host := read(t, box)
	onDevices := profiletest.Read(t, func(w io.Writer) error {
		return r.Write(w, remote.View{View: report.Device}, symbolize.New(symbolize.Options{}))
	})
	all := make(map[place][4]int64)
	for _, p := range []*profile.Profile{onDevices, host} {
		for _, s := range p.Sample {
			kind := strings.Join(s.Label["kind"], " ")
			if !strings.HasPrefix(kind, "cuda") {
				continue
			}
			functions := profiletest.Functions(s)
			at := place{functions[0], kind, strings.Join(s.Label["device"], " ")}
			if !slices.Contains(functions, "main") {
				t.Errorf("a stack does not lead to main: %q", functions)
			}
			v := all[at]
			for i := range v {
				v[i] += s.Value[i]
			}
			all[at] = v
		}
	}
	return all
}

// compareDevices runs testdata/devices.c with a stand-in's folder, and compares what was recorded with what it says.
func compareDevices(t *testing.T, program, folder string, words ...string) {
	t.Helper()
	c := exec.Command(program, words...)
	c.Env = []string{"LD_LIBRARY_PATH=" + folder}
	compareGiven(t, words, record(t, library(t, withDevices), "none", c))
}

func compareGiven(t *testing.T, words []string, r recorded) {
	t.Helper()
	if r.code != 3 || r.errors != "" || len(r.boxes) != 1 {
		t.Fatalf("%q: %+v", words, r)
	}
	if found, want := recordedAt(t, r.boxes[0]), said(t, r.out); !maps.Equal(found, want) {
		t.Errorf("%q: recorded: %v, given: %v", words, found, want)
	}
}

func TestMemoryOfDevices(t *testing.T) {
	folder := standIn(t)
	opened := built(t, "gcc", "devices.c")
	linked := must[string](t)(workshop.Make("devices-linked", func(path string) error {
		return toolchain.Tool{Words: []string{"gcc", "-g", "-O1", "-Wl,--eh-frame-hdr", "-DLINKED", "-o", path, "testdata/devices.c",
			filepath.Join(folder, "libcuda.so.1")}}.Run()
	}))
	for _, way := range []string{"dlsym", "ask", "linked"} {
		program := opened
		if way == "linked" {
			program = linked
		}
		compareDevices(t, program, folder, way, "give", "take", "fail", "fork")
		compareDevices(t, program, folder, way, "give", "destroy")
	}
	compareDevices(t, opened, folder, "dlsym", "give", "take", "close")
}

// A child of fork that is recorded, too, has what it allocates itself.
func TestMemoryOfDevicesInAChild(t *testing.T) {
	c := exec.Command(built(t, "gcc", "devices.c"), "dlsym", "give", "fork")
	c.Env = []string{"LD_LIBRARY_PATH=" + standIn(t)}
	r := record(t, library(t, withDevices), "all", c)
	if r.code != 3 || r.errors != "" || len(r.boxes) != 2 {
		t.Fatalf("%+v", r)
	}
	own, child := recordedAt(t, r.boxes[0]), recordedAt(t, r.boxes[1])
	if len(own) < len(child) {
		own, child = child, own
	}
	if want := said(t, r.out); !maps.Equal(own, want) {
		t.Errorf("recorded: %v, given: %v", own, want)
	}
	if want := (map[place][4]int64{{"sum_child", "cuda", "GPU 1"}: {2, 12350, 1, 5}}); !maps.Equal(child, want) {
		t.Errorf("recorded of the child: %v", child)
	}
}

// A driver that is older than cuGetProcAddress, and one that cannot say which context is the current one: then no device is known.
func TestMemoryOfDevicesWithOtherDrivers(t *testing.T) {
	opened := built(t, "gcc", "devices.c")
	compareDevices(t, opened, standIn(t, "-DOLD"), "dlsym", "give", "take", "destroy")
	c := exec.Command(opened, "ask", "give")
	c.Env = []string{"LD_LIBRARY_PATH=" + standIn(t, "-DHALF")}
	r := record(t, library(t, withDevices), "none", c)
	want := make(map[place][4]int64)
	for at, v := range said(t, r.out) {
		if at.function != "sum_handle" { // it names its device
			at.device = ""
		}
		w := want[at]
		for i := range w {
			w[i] += v[i]
		}
		want[at] = w
	}
	if found := recordedAt(t, r.boxes[0]); !maps.Equal(found, want) {
		t.Errorf("recorded: %v, given: %v", found, want)
	}
}

// Without a driver the program finds what it finds without the library, and no function that leads nowhere.
func TestAProgramWithoutDevices(t *testing.T) {
	absent := exec.Command(built(t, "gcc", "devices.c"), "absent")
	if out, _ := exec.Command(absent.Path, "absent").Output(); string(out) != "absent, weak 0\n" {
		t.Errorf("without the library: %q", out)
	}
	if r := record(t, library(t, withDevices), "none", absent); r.code != 3 || r.out != "absent, weak 500\n" || r.errors != "" {
		t.Errorf("%+v", r)
	}
	python := exec.Command(needs(t, "python3"), "-c", "import ctypes; d = ctypes.CDLL(None); print([hasattr(d, n) for n in ('cuMemAlloc_v2', 'cuInit', 'dlsym', 'malloc')])")
	if r := record(t, library(t, withDevices), "none", python); r.out != "[False, False, True, True]\n" || r.errors != "" {
		t.Errorf("%+v", r)
	}
	sums, opened := built(t, "gcc", "sums.c"), built(t, "gcc", "opened.c", "-shared", "-fPIC")
	compare(t, record(t, library(t, withDevices), "all", exec.Command(sums, "open", opened, "threads", "fork-exec", "each")))
}

func TestMemoryOfDevicesWithMusl(t *testing.T) {
	needs(t, "musl-gcc")
	target := Target{Arch: here.Arch, Musl: true, Devices: true}
	words := []string{"ask", "give", "take", "fail", "fork", "destroy"}
	c := exec.Command(built(t, "musl-gcc", "devices.c", "-funwind-tables"), words...)
	c.Env = []string{"LD_LIBRARY_PATH=" + standInBy(t, "musl-gcc")}
	compareGiven(t, words, record(t, library(t, target), "none", c))
	sums := built(t, "musl-gcc", "sums.c", "-funwind-tables")
	compare(t, record(t, library(t, target), "all", exec.Command(sums, "each", "threads")))
	absent := exec.Command(built(t, "musl-gcc", "devices.c", "-funwind-tables"), "absent")
	if r := record(t, library(t, target), "none", absent); r.code != 3 || r.out != "absent, weak 500\n" || r.errors != "" {
		t.Errorf("%+v", r)
	}
}

// The library for another machine, by an emulator.
func TestMemoryOfDevicesOnArm64(t *testing.T) {
	emulator, program := needs(t, "qemu-aarch64"), built(t, "aarch64-linux-gnu-gcc", "devices.c")
	dir, words := toolchain.Memory(t), []string{"ask", "give", "take", "fail", "fork", "destroy"}
	s := Settings{Parent: os.Getpid(), SampleBytes: 1, TableBytes: 64 << 20, Children: "none", Boxes: dir}
	compareGiven(t, words, ran(t, dir, exec.Command(emulator, append([]string{"-L", "/usr/aarch64-linux-gnu",
		"-E", "LD_PRELOAD=" + library(t, Target{Arch: "arm64", Devices: true}), "-E", "LD_LIBRARY_PATH=" + standInBy(t, "aarch64-linux-gnu-gcc"),
		"-E", Variable + "=" + s.String(), program}, words...)...)))
}

// Libraries differ: only one that was asked to has the public names.
func TestWhichLibraryRecordsDevices(t *testing.T) {
	plain, with := library(t, here), library(t, withDevices)
	if err := withDevices.check(plain); err == nil || !strings.Contains(err.Error(), "take one that was made with -device") {
		t.Error(err)
	}
	if err := withDevices.check(with); err != nil {
		t.Error(err)
	}
	for _, s := range toolchain.DynamicSymbols(t, plain) {
		if s.Section != 0 && (s.Name == "dlsym" || strings.HasPrefix(s.Name, "cu")) {
			t.Errorf("a library without devices has %s", s.Name)
		}
	}
}
