package preload

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// setUserID returns a program that runs with the rights of another user.
func setUserID(t *testing.T) string {
	t.Helper()
	if os.Geteuid() != 0 {
		return "/usr/bin/passwd"
	}
	path := filepath.Join(t.TempDir(), "program")
	text, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = errors.Join(os.WriteFile(path, text, 0o700), os.Chown(path, 65534, 65534), os.Chmod(path, 0o700|os.ModeSetuid)) //nolint:gosec // it is not run
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestProgramsThatRunWithOtherRightsAreRefused(t *testing.T) {
	if _, err := Inspect(setUserID(t)); err == nil || !strings.Contains(err.Error(), "(set-user-ID)") {
		t.Error(err)
	}
}

func TestAScriptIsInspectedByItsInterpreter(t *testing.T) {
	dir := t.TempDir()
	script := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil { //nolint:gosec // a script
			t.Fatal(err)
		}
		return path
	}
	if target, err := Inspect(script("a", "#! /bin/sh -e\n")); err != nil || target != (Program{Target{runtime.GOARCH, isMusl()}, none}) {
		t.Error(target, err)
	}
	b := script("b", "#!"+filepath.Join(dir, "c")+"\n")
	script("c", "#!"+b+"\n")
	if _, err := Inspect(b); err == nil || !strings.Contains(err.Error(), "scripts that run each other") {
		t.Error(err)
	}
	if _, err := Inspect(script("d", "#!/nowhere/sh\n")); !errors.Is(err, syscall.ENOENT) {
		t.Error(err)
	}
}
