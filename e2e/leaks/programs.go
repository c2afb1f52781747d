package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/cgoheap/cgoheap/e2e/leaks/truth"
)

// program is a folder with a command. Without Go, it is linked with what link says.
type program struct {
	folder   string
	packages []string // Debian's
	plain    string   // in shell: further arguments of the linker; $(dir MODULE) is where a module lies
}

var programs = []program{
	{folder: "corpus"},
	{folder: "sqlite", plain: "-x c -w -O1 -DSQLITE_THREADSAFE=1 $(dir github.com/mattn/go-sqlite3)/sqlite3-binding.c -x none -lm -ldl"},
	{folder: "xml2", packages: []string{"libxml2-dev"}, plain: "$(pkg-config --cflags --libs libxml-2.0)"},
	{folder: "rocksdb", packages: []string{"librocksdb-dev"}, plain: "-lrocksdb"},
	{folder: "python", packages: []string{"python3-dev"}, plain: "$(pkg-config --cflags --libs python3-embed)"},
	{folder: "pools", packages: []string{"libglib2.0-dev", "libprotobuf-dev", "libruby"}, plain: "$(pkg-config --cflags --libs glib-2.0 protobuf) -ldl"},
	{folder: "kafka", plain: "$(dir github.com/confluentinc/confluent-kafka-go/v2)/kafka/librdkafka_vendor/" +
		"librdkafka_glibc_linux_$(go env GOARCH).a -lm -ldl -lrt"},
	{folder: "duckdb", plain: "-L$(dir github.com/duckdb/duckdb-go-bindings/linux-$(go env GOARCH)) -Wl,--start-group -lduckdb_static " +
		"-lautocomplete_extension -lcore_functions_extension -licu_extension -ljson_extension -lparquet_extension " +
		"-ljemalloc_extension -ltpcds_extension -ltpch_extension -lduckdb_fastpforlib -lduckdb_fmt -lduckdb_fsst " +
		"-lduckdb_hyperloglog -lduckdb_mbedtls -lduckdb_miniz -lduckdb_pg_query -lduckdb_re2 -lduckdb_skiplistlib " +
		"-lduckdb_utf8proc -lduckdb_yyjson -lduckdb_zstd -Wl,--end-group -lm -ldl"},
}

// built is a program that can be run.
type built struct {
	recording, plain string // paths
	cases            []truth.Listed
}

func (p *program) build(dir string) (*built, error) {
	begin := time.Now()
	defer func() { fmt.Fprintf(os.Stderr, "== %s: built in %.0f s\n", p.folder, time.Since(begin).Seconds()) }()
	b := &built{recording: filepath.Join(dir, p.folder), plain: filepath.Join(dir, p.folder+".plain")}
	if err := run(exec.Command("go", "build", "-tags", "leaks", "-o", b.recording, "./"+p.folder)); err != nil {
		return nil, err
	}
	if err := p.buildPlain(b.plain, dir); err != nil {
		return nil, err
	}
	list, err := exec.Command(b.recording, "-list").Output()
	if err != nil {
		return nil, fmt.Errorf("listing the cases of %s: %w", p.folder, err)
	}
	return b, json.Unmarshal(list, &b.cases)
}

// buildPlain builds the program's C and C++ with LeakSanitizer. Files that serve only Go have no function of a case in C.
func (p *program) buildPlain(path, dir string) error {
	var objects []string
	for _, pattern := range []string{"plain/*.c", "trial/*.c", p.folder + "/*.c", p.folder + "/*.cc"} {
		sources, err := filepath.Glob(pattern)
		if err != nil {
			return err
		}
		for _, source := range sources {
			object := filepath.Join(dir, p.folder+"."+filepath.Base(source)+".o")
			objects = append(objects, object)
			if err := run(compile(source, object, p.plain)); err != nil {
				return err
			}
		}
	}
	return run(shell("g++ -fsanitize=leak -o " + path + " " + strings.Join(objects, " ") + " " + p.plain))
}

// compile compiles as cgo does, and takes from a linker's arguments what is the compiler's.
func compile(source, object, plain string) *exec.Cmd {
	flags := ""
	if strings.HasPrefix(plain, "$(pkg-config") {
		flags = strings.Replace(plain, "--libs", "", 1)
	}
	return shell("gcc -g -O2 -Wall -Itrial " + flags + " -c -o " + object + " " + source)
}

func shell(line string) *exec.Cmd {
	return exec.Command("sh", "-c", "dir() { go list -m -f '{{.Dir}}' \"$1\"; }; "+line)
}

func run(c *exec.Cmd) error {
	var text bytes.Buffer
	c.Stdout, c.Stderr = &text, &text
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(c.Args, " "), err, text.Bytes())
	}
	return nil
}

// install installs what programs need and is not installed, as root or not at all.
func install(chosen []program) error {
	var missing []string
	for _, p := range chosen {
		for _, name := range p.packages {
			status, _ := exec.Command("dpkg-query", "-W", "-f", "${Status}", name).Output()
			if !strings.Contains(string(status), "ok installed") {
				missing = append(missing, name)
			}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	line := "apt-get install --no-install-recommends pkg-config " + strings.Join(missing, " ")
	if os.Geteuid() != 0 {
		return fmt.Errorf("not installed: %s (Debian: %s)", strings.Join(missing, " "), line)
	}
	c := exec.Command("sh", "-c", strings.Replace(line, "install", "install -q -y", 1))
	c.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	return run(c)
}
