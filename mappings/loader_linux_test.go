package mappings

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// compile links a C file of testdata, and skips the test if the requested linker is not installed.
func compile(t *testing.T, source, output string, flags ...string) string {
	t.Helper()
	args := append([]string{"-O1", "-o", output, filepath.Join("testdata", source)}, flags...)
	if text, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		if strings.Contains(fmt.Sprint(flags), "-fuse-ld") {
			t.Skipf("linker not installed: %s", text)
		}
		t.Fatalf("gcc %v: %v\n%s", args, err, text)
	}
	return output
}

// loads is what the dynamic linker of a loader process reports.
type loads struct {
	process   process
	main      uint64
	biases    map[string]uint64   // by path; "" for the main executable
	libraries map[string][]uint64 // biases by path, one for each load
	functions map[string][]uint64 // where library_function lies
}

// load runs a loader until the test ends.
func load(t *testing.T, loader string, tasks ...string) loads {
	t.Helper()
	command := exec.Command(loader, tasks...)
	command.Stderr = os.Stderr
	input, _ := command.StdinPipe()
	output, _ := command.StdoutPipe()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		input.Close()
		command.Wait()
	})
	result := loads{
		process: process(fmt.Sprintf("/proc/%d", command.Process.Pid)), biases: map[string]uint64{},
		libraries: map[string][]uint64{}, functions: map[string][]uint64{},
	}
	lines := bufio.NewScanner(output)
	for lines.Scan() && lines.Text() != "ready" {
		result.read(lines.Text())
	}
	if lines.Text() != "ready" {
		t.Fatal("the loader failed")
	}
	return result
}

func (l *loads) read(line string) {
	var kind string
	var value uint64
	fmt.Sscanf(line, "%s %x", &kind, &value)
	path := ""
	if fields := strings.SplitN(line, " ", 3); len(fields) == 3 {
		path = fields[2]
	}
	switch kind {
	case "main":
		l.main = value
	case "bias":
		l.biases[path] = value
	case "load":
		l.libraries[path] = append(l.libraries[path], value)
	case "function":
		l.functions[path] = append(l.functions[path], value)
	}
}

// modules are the modules of a loader, by path.
func (l *loads) modules(t *testing.T) map[string][]Module {
	t.Helper()
	modules, err := l.process.modules()
	if err != nil {
		t.Fatal(err)
	}
	byPath := make(map[string][]Module)
	for _, m := range modules {
		byPath[m.Path] = append(byPath[m.Path], m)
	}
	return byPath
}

// only is the single module of a path.
func only(t *testing.T, modules map[string][]Module, path string) Module {
	t.Helper()
	if len(modules[path]) != 1 {
		t.Fatalf("%q is %d modules: %+v", path, len(modules[path]), modules[path])
	}
	return modules[path][0]
}
