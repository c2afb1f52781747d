//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package main

import (
	"debug/elf"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// devices returns a program with memory on devices, and sets the environment for a stand-in for the driver.
func devices(t *testing.T) string {
	t.Helper()
	_ = program(t) // needs gcc, too
	driver, err := workshop.Make("standin/libcuda.so.1", func(path string) error {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		return toolchain.Tool{Words: []string{"gcc", "-std=gnu11", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-Wl,-soname,libcuda.so.1",
			"-o", path, "../../cgo/testdata/cuda/cuda.c", "-lpthread"}}.Run()
	})
	if err != nil {
		t.Fatal(err)
	}
	path, err := workshop.Make("devices", func(path string) error {
		return toolchain.Tool{Words: []string{"gcc", "-g", "-O1", "-Wl,--build-id", "-o", path, "../../internal/preload/testdata/devices.c", "-ldl"}}.Run()
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("LD_LIBRARY_PATH", filepath.Dir(driver))
	return path
}

func TestMemoryOfDevicesIsSummedUpAndHasAProfile(t *testing.T) {
	path := devices(t)
	tables := forRuns(t)
	code, _, trouble := ranWith(t, "", "run", "-device", "-tables", tables, "-o", "p.pb.gz", path, "ask", "give", "take")
	if code != 3 {
		t.Fatalf("exit code %d, %q", code, trouble)
	}
	for _, says := range []string{ // of each device 6 MiB, 5 MiB and an array, and 6,000 bytes that are managed; 6 MiB and 1,000 bytes of them were freed
		"  on devices   16 MiB in use at the end, in 13 blocks; allocated in all: 22 MiB, in 16 blocks\n",
		"        6 MiB of     6 MiB  sum_alloc, GPU 1\n", "        5 MiB of     6 MiB  sum_alloc, GPU 0\n", "        5 MiB of     5 MiB  sum_handle, GPU 1\n",
		"  their profile is p.device.pb.gz: cgoheap view p.device.pb.gz\n",
	} {
		if !strings.Contains(trouble, says) {
			t.Errorf("%q is not in %s", says, trouble)
		}
	}
	if host, on := parsed(t, "p.pb.gz"), parsed(t, "p.device.pb.gz"); inUseBy(host, "sum_alloc") != 0 || inUseBy(on, "sum_alloc") != 11<<20 ||
		inUseBy(on, "sum_managed") != 11000 {
		t.Errorf("sum_alloc: %d bytes of the host, %d of devices; %d of managed memory", inUseBy(host, "sum_alloc"), inUseBy(on, "sum_alloc"), inUseBy(on, "sum_managed"))
	}
	if host, on := parsed(t, "p.pb.gz"), parsed(t, "p.device.pb.gz"); host.Period != defaultSample || on.Period != 1 ||
		profiletest.HasComment(on, "error of sampling") || !profiletest.HasComment(on, "of devices, in use", "every allocation") {
		t.Errorf("what is recorded of devices is no estimate: %d, %d, %q", host.Period, on.Period, on.Comments)
	}
	code, _, trouble = ranWith(t, "", "run", "-device", "-tables", tables, "-o", "p.pb.gz", path)
	if code != exitUnreadable || !strings.Contains(trouble, "p.pb.gz is there already") {
		t.Errorf("exit code %d, %q", code, trouble)
	}
}

func TestTheViewOfDevicesIsTheProfile(t *testing.T) {
	path := devices(t)
	tables := forRuns(t)
	code, _, trouble := ranWith(t, "", "run", "-json", "-view", "device", "-tables", tables, "-o", "p.pb.gz", path, "dlsym", "give", "close")
	lines := strings.Split(strings.TrimSpace(trouble), "\n")
	var s summary
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &s); code != 3 || err != nil || s.Devices == nil {
		t.Fatal(code, err, trouble)
	}
	if d := s.Devices; d.File != "p.pb.gz" || d.InUseBlocks != 0 || d.AllocBlocks != 16 ||
		!slices.Contains(d.Largest, onDevice{Function: "sum_handle", Device: "GPU 1", AllocBytes: 5 << 20}) {
		t.Errorf("%+v", d)
	}
	if exists("p.device.pb.gz") || len(parsed(t, "p.pb.gz").Sample) == 0 {
		t.Error("the profile is not that of devices")
	}
}

func TestAProgramWithoutDevicesHasNoProfileOfThem(t *testing.T) {
	tables := forRuns(t)
	code, _, trouble := ranWith(t, "", "run", "-device", "-tables", tables, "-o", "p.pb.gz", program(t), "exit")
	if code != 7 || !strings.Contains(trouble, "  on devices   nothing: no function of CUDA's driver gave memory\n") || exists("p.device.pb.gz") {
		t.Errorf("exit code %d, %q", code, trouble)
	}
	made, err := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "cgoheap", "*.so"))
	if err != nil {
		t.Fatal(err)
	}
	ordinary := 0
	for _, library := range made {
		if !slices.ContainsFunc(toolchain.DynamicSymbols(t, library), func(s elf.Symbol) bool { return s.Name == "dlsym" && s.Section != elf.SHN_UNDEF }) {
			ordinary++
			_, _, trouble := ranWith(t, "", "run", "-device", "-library", library, "-tables", tables, program(t))
			if !strings.Contains(trouble, "it does not record memory of devices: take one that was made with -device") {
				t.Error(trouble)
			}
		}
	}
	if ordinary == len(made) {
		t.Errorf("%q: none has the hooks", made)
	}
}
