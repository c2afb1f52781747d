package cgoheap

import (
	"os"
	"os/exec"
	"testing"
)

// alone runs the test in a process of its own, where no other test was before. True in that process.
func alone(t *testing.T) bool {
	t.Helper()
	const variable = "CGOHEAP_TEST_ALONE"
	if os.Getenv(variable) == t.Name() {
		return true
	}
	again := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	again.Env = append(os.Environ(), variable+"="+t.Name())
	output, err := again.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, output)
	} else {
		t.Logf("%s", output)
	}
	return false
}
