package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// program is a folder with a command. It needs Debian packages, or modules alone.
type program struct {
	folder   string
	library  string
	packages []string
}

var programs = []program{
	{"duckdb", "DuckDB", nil},
	{"rocksdb", "RocksDB", []string{"librocksdb-dev"}},
	{"numpy", "CPython, numpy", []string{"python3-dev", "python3-numpy"}},
	{"kafka", "librdkafka", nil},
	{"vips", "libvips", []string{"libvips-dev"}},
	{"xml2", "libxml2", []string{"libxml2-dev"}},
	{"luajit", "LuaJIT", []string{"libluajit-5.1-dev"}},
	{"javascriptcore", "JavaScriptCore", []string{"libjavascriptcoregtk-4.1-dev"}},
	{"sqlite", "SQLite", nil},
}

// selected returns the programs with the names; all if there are none.
func selected(names []string) ([]program, error) {
	if len(names) == 0 {
		return programs, nil
	}
	var chosen []program
	for _, name := range names {
		i := slices.IndexFunc(programs, func(p program) bool { return p.folder == name })
		if i < 0 {
			return nil, fmt.Errorf("no program is called %s", name)
		}
		chosen = append(chosen, programs[i])
	}
	return chosen, nil
}

// missing returns the packages of the programs that are not installed.
func missing(chosen []program) (packages []string) {
	for _, p := range chosen {
		for _, name := range append([]string{"pkg-config"}, p.packages...) {
			status, _ := exec.Command("dpkg-query", "-W", "-f", "${Status}", name).Output()
			if len(p.packages) > 0 && !strings.Contains(string(status), "ok installed") && !slices.Contains(packages, name) {
				packages = append(packages, name)
			}
		}
	}
	return packages
}

// install installs packages, as root or not at all.
func install(packages []string) error {
	if len(packages) == 0 {
		return nil
	}
	line := "apt-get install --no-install-recommends " + strings.Join(packages, " ")
	if os.Geteuid() != 0 {
		return fmt.Errorf("not installed: %s (Debian: %s)", strings.Join(packages, " "), line)
	}
	fmt.Fprintln(os.Stderr, line)
	words := strings.Fields(line)
	c := exec.Command(words[0], append([]string{"-q", "-y"}, words[1:]...)...)
	c.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", line, err, out)
	}
	return nil
}
