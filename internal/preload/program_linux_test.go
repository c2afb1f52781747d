package preload

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
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
	if _, err := Inspect(script("none", "echo without a first line that says who runs it\n")); err == nil || !strings.Contains(err.Error(), "and no script, which begins with") {
		t.Error(err)
	}
	if target, err := Inspect(script("a", "#! /bin/sh -e\n")); err != nil || target != (Program{Target{Arch: runtime.GOARCH, Musl: isMusl()}, none}) {
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

func TestAFolderIsNoProgram(t *testing.T) {
	if _, err := FindProgram(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is a folder: name a program") {
		t.Error(err)
	}
}

// The program may go to another folder before it executes another one.
func TestTheCacheHasAnAbsolutePath(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, home := range []string{"HOME", "XDG_CACHE_HOME"} {
		t.Setenv("XDG_CACHE_HOME", "")
		t.Setenv(home, "relative")
		if dir, err := cache(); err == nil && !filepath.IsAbs(dir) || err != nil && home == "HOME" {
			t.Error(home, dir, err)
		}
	}
}

// One who was killed while he made the library has left a folder; another may be making it now.
func TestWhatWasLeftHalfMadeIsRemoved(t *testing.T) {
	folder := t.TempDir()
	for name, made := range map[string]time.Time{"old": time.Now().Add(-2 * time.Hour), "new": time.Now()} {
		path := filepath.Join(folder, making+name)
		if err := errors.Join(os.Mkdir(path, 0o700), os.WriteFile(filepath.Join(path, "file"), nil, 0o600), os.Chtimes(path, made, made)); err != nil {
			t.Fatal(err)
		}
	}
	removeOld(folder)
	left, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(left) != 1 || filepath.Base(left[0]) != making+"new" {
		t.Error(left, err)
	}
}
