package symbolize

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/mappings"
)

// wordy makes a library of functions whose names are long, and lists an address in each.
func wordy(t *testing.T, functions int) (path string, addresses []mappings.ELFAddr) {
	t.Helper()
	need(t, "gcc")
	dir := t.TempDir()
	source, library := filepath.Join(dir, "wordy.s"), filepath.Join(dir, "wordy.so")
	var text strings.Builder
	text.WriteString("\t.text\n")
	for i := range functions {
		name := fmt.Sprintf("%s_%d", strings.Repeat("a_long_name_", 20), i)
		fmt.Fprintf(&text, "\t.type %[1]s, @function\n%[1]s:\n\t.skip 16, 0x90\n\t.size %[1]s, 16\n", name)
	}
	if err := os.WriteFile(source, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	tool(t, "gcc", "-shared", "-nostdlib", "-o", library, source)
	for i, address := range everyByte(t, library) {
		if i%16 == 3 {
			addresses = append(addresses, address)
		}
	}
	return library, addresses
}

func heapInUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// bytesRead is how many bytes the process has read from files.
func bytesRead(t *testing.T) int64 {
	t.Helper()
	data, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Skip(err)
	}
	var n int64
	if _, err := fmt.Sscanf(string(data), "rchar: %d", &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// The names of this library are five megabytes. A name that is a part of them would keep them all, and so would the next
// name keep another copy.
func TestANewAddressCostsWhatOneAddressCosts(t *testing.T) {
	const functions = 20_000
	path, addresses := wordy(t, functions)
	s, m := New(Options{}), module(path)
	resolve := func(address mappings.ELFAddr) {
		if got := s.Resolve(m, []mappings.ELFAddr{address})[0]; got.Reason != named {
			t.Fatalf("%#x: %+v", address, got)
		}
	}
	resolve(addresses[0])
	heap, read := heapInUse(), bytesRead(t)
	const rounds = 1000
	for i := range rounds {
		resolve(addresses[(i+1)*len(addresses)/(rounds+1)])
	}
	if grown := heapInUse() - heap; grown > 2<<20 {
		t.Errorf("Go's heap grew by %d bytes", grown)
	}
	if each := (bytesRead(t) - read) / rounds; each > 16<<10 {
		t.Errorf("a new address reads %d bytes", each)
	}
	if s.indexes.count < functions || len(s.indexes.modules) != 1 {
		t.Errorf("%d functions are indexed in %d modules", s.indexes.count, len(s.indexes.modules))
	}
	runtime.KeepAlive(s)
}

func TestAnIndexOfAnotherFileIsNotUsed(t *testing.T) {
	path, addresses := wordy(t, 100)
	s, m := New(Options{}), module(path)
	if got := s.Resolve(m, addresses[:1])[0]; !strings.HasSuffix(got.Lines[0].Function, "_0") {
		t.Fatalf("%+v", got)
	}
	other, _ := wordy(t, 50)
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	if got := s.Resolve(m, addresses[1:2])[0]; got.Reason != named || !strings.HasSuffix(got.Lines[0].Function, "_1") {
		t.Errorf("%+v", got)
	}
}
