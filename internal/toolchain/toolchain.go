package toolchain

import (
	"debug/elf"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// A Toolchain builds for one machine.
type Toolchain struct {
	GOARCH   string
	Machine  elf.Machine
	triplet  string   // before the names of its tools
	emulator []string // before its programs, on other machines
}

// All are the toolchains of the machines that a recording can run on.
var All = []Toolchain{
	{GOARCH: "amd64", Machine: elf.EM_X86_64, triplet: "x86_64-linux-gnu-"},
	{
		GOARCH: "arm64", Machine: elf.EM_AARCH64, triplet: "aarch64-linux-gnu-",
		emulator: []string{"qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"},
	},
}

// Target returns the toolchain of the machine that GOARCH names or, without it, of the one that the test was built for. The
// machines of All only.
func Target(t testing.TB) Toolchain {
	t.Helper()
	goarch := os.Getenv("GOARCH")
	if goarch == "" {
		goarch = runtime.GOARCH
	}
	for _, c := range All {
		if c.GOARCH == goarch {
			return c
		}
	}
	t.Skipf("there is no toolchain for %s", goarch)
	return Toolchain{}
}

// Tool returns the path of a tool, such as gcc or readelf. The test is skipped where it is not installed.
func (c Toolchain) Tool(t testing.TB, name string) string {
	t.Helper()
	if path, err := exec.LookPath(c.triplet + name); err == nil {
		return path
	}
	if path, err := exec.LookPath(name); err == nil && c.GOARCH == runtime.GOARCH {
		return path
	}
	t.Skipf("%s for %s is not installed", name, c.GOARCH)
	return ""
}

// Emulated reports whether programs built for the machine need an emulator here.
func (c Toolchain) Emulated() bool { return c.GOARCH != runtime.GOARCH && len(c.emulator) > 0 }

// Run returns a command that runs a program built for the machine.
func (c Toolchain) Run(program string, arguments ...string) *exec.Cmd {
	if !c.Emulated() {
		return exec.Command(program, arguments...)
	}
	line := append(append([]string{}, c.emulator...), program)
	return exec.Command(line[0], append(line[1:], arguments...)...)
}

// Build runs a tool that leaves a file, and fails the test if it does.
func (c Toolchain) Build(t testing.TB, tool string, arguments ...string) {
	t.Helper()
	if output, err := exec.Command(c.Tool(t, tool), arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", tool, strings.Join(arguments, " "), err, output)
	}
}

// Library returns the path of a shared library of the system, for the machine. The test is skipped where it is not
// installed.
func (c Toolchain) Library(t testing.TB, name string) string {
	t.Helper()
	output, err := exec.Command(c.Tool(t, "gcc"), "-print-file-name="+name).Output()
	path := strings.TrimSpace(string(output))
	if err != nil || !strings.HasPrefix(path, "/") {
		t.Skipf("%s for %s is not installed", name, c.GOARCH)
	}
	return path
}
