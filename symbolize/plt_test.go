package symbolize

import (
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/mappings"
)

var stubLabel = regexp.MustCompile(`(?m)^([0-9a-f]+) <([^*>]+@plt)>:`)

// labels are the stubs that objdump sees in a file: addresses and names.
func labels(t *testing.T, path string) (addresses []mappings.ELFAddr, names []string) {
	t.Helper()
	output, err := exec.Command("objdump", "-d", "-j", ".plt", "-j", ".plt.sec", "-j", ".plt.got", path).Output()
	if err != nil && len(output) == 0 {
		t.Fatal("objdump: ", err)
	}
	for _, match := range stubLabel.FindAllStringSubmatch(string(output), -1) {
		address, err := strconv.ParseUint(match[1], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		addresses, names = append(addresses, mappings.ELFAddr(address)), append(names, match[2])
	}
	return addresses, names
}

func compareStubs(t *testing.T, path string) {
	t.Helper()
	addresses, names := labels(t, path)
	for i, result := range New(Options{Style: Mangled}).Resolve(module(path), addresses) {
		if len(result.Lines) != 1 || result.Lines[0].SystemName != names[i] {
			t.Errorf("%#x: %v, want %s", addresses[i], result, names[i])
		}
	}
	if len(addresses) < 3 {
		t.Errorf("only %d stubs", len(addresses))
	}
}

func TestStubsAreNamedAsByObjdump(t *testing.T) {
	for _, flags := range []string{"", "-Wl,-z,now", "-fcf-protection -Wl,-z,ibtplt", "-no-pie"} {
		t.Run("gcc "+flags, func(t *testing.T) {
			program := compile(t, "gcc", "calls.c", append(strings.Fields(flags), "-O2")...)
			compareStubs(t, program)
		})
	}
	t.Run("libstdc++", func(t *testing.T) { compareStubs(t, systemLibrary(t, "libstdc++.so.6")) })
}

func TestAStubOfACXXFunctionIsReadable(t *testing.T) {
	program := compile(t, "g++", "shapes.cc", "-O2")
	addresses, _ := labels(t, program)
	for _, result := range New(Options{}).Resolve(module(program), addresses) {
		if len(result.Lines) == 1 && result.Lines[0].SystemName == "_Znwm@plt" {
			if got := result.Lines[0].Function; got != "operator new@plt" {
				t.Error(got)
			}
			return
		}
	}
	t.Error("no stub of operator new")
}
