package toolchain

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// A Workshop is a folder with the programs that tests build, each built once.
type Workshop struct {
	folder string
	mutex  sync.Mutex
	made   map[string]error
}

// OpenWorkshop makes an empty workshop, which every user may enter. Close removes it.
func OpenWorkshop() (*Workshop, error) {
	folder, err := os.MkdirTemp("", "cgoheap-workshop-")
	if err != nil {
		return nil, err
	}
	return &Workshop{folder: folder, made: make(map[string]error)}, os.Chmod(folder, 0o755)
}

// RunWith opens a workshop for a package's tests, runs them, and ends the process. TestMain calls it.
func RunWith(w **Workshop, m *testing.M) {
	opened, err := OpenWorkshop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	*w = opened
	code := m.Run()
	opened.Close()
	os.Exit(code)
}

// Close removes the workshop and all that is in it.
func (w *Workshop) Close() { os.RemoveAll(w.folder) }

// Path returns the path that a file in the workshop has, whether it was made or not.
func (w *Workshop) Path(name string) string { return filepath.Join(w.folder, name) }

// Make returns the path of a file in the workshop. The first call for a name makes the file; later ones return its error.
func (w *Workshop) Make(name string, produce func(path string) error) (string, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	path := w.Path(name)
	err, known := w.made[name]
	if !known {
		err = produce(path)
		w.made[name] = err
	}
	return path, err
}

// A Tool is a command that builds something.
type Tool struct {
	Folder string   // where it runs; "" is here
	Env    []string // added to the environment
	Words  []string // its name and arguments
}

// Run runs the tool. Its output is in the error.
func (t Tool) Run() error {
	command := exec.Command(t.Words[0], t.Words[1:]...)
	command.Dir = t.Folder
	command.Env = append(os.Environ(), t.Env...)
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", command, err, out)
	}
	return nil
}
