package servers

import (
	"bytes"
	"errors"
	"os/exec"
	"testing"
)

// pushed sends a profile once, without an exporter. later reports that an exporter would send it again.
func pushed(t *testing.T, data []byte, flags ...string) (later bool, err error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), built(t, "../../export/internal/push"), flags...)
	command.Stdin = bytes.NewReader(data)
	said, err := command.CombinedOutput()
	exit := (*exec.ExitError)(nil)
	if !errors.As(err, &exit) {
		return false, err
	}
	return exit.ExitCode() == 3, errors.New(string(bytes.TrimSpace(said)))
}

func mustPush(t *testing.T, data []byte, flags ...string) {
	t.Helper()
	if _, err := pushed(t, data, flags...); err != nil {
		t.Fatal(err)
	}
}
