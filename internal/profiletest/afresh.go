package profiletest

import (
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// Afresh runs the test in a process of its own, where no other test was before, and which may die. True in that process.
func Afresh(t *testing.T) bool {
	t.Helper()
	const variable = "CGOHEAP_TEST_AFRESH"
	if os.Getenv(variable) == t.Name() {
		return true
	}
	again := exec.Command(os.Args[0], "-test.run=^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$", "-test.v", "-test.timeout=10m")
	again.Env = append(os.Environ(), variable+"="+t.Name())
	output, err := again.CombinedOutput()
	switch result := func(of string) bool { return strings.Contains(string(output), "--- "+of+": "+t.Name()+" ") }; {
	case errors.Is(err, syscall.ENOEXEC):
		t.Skip("an emulator starts no program of the machine that it emulates")
	case result("SKIP"):
		t.Skip(lastLogged(output))
	case err != nil || !result("PASS"):
		t.Errorf("%v\n%s", err, output)
	}
	return false
}

var logged = regexp.MustCompile(`_test\.go:\d+: (.*)`)

// lastLogged returns the last text that a test logged: what it was skipped with.
func lastLogged(output []byte) string {
	texts := logged.FindAllSubmatch(output, -1)
	if texts == nil {
		return string(output)
	}
	return string(texts[len(texts)-1][1])
}
