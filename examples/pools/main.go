package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/examples/pools/arena"
)

const (
	documents, nodes = 10, 2000 // nodes of each document
	nodeBytes        = 48
	taken, kept      = 300, 100 // frames
)

func main() {
	if err := run(os.Stdout, filepath.Join(os.TempDir(), "pools.pb.gz")); err != nil {
		log.Fatal(err)
	}
}

// run records what the pools do, and prints what they hold before and after they are closed.
func run(out io.Writer, path string) error {
	profiler, err := cgoheap.Start(cgoheap.Config{SampleBytes: 1})
	if err != nil {
		return err
	}
	parsed := parse()
	var pool frames
	decoded := decode(&pool)
	fmt.Fprintln(out, "in use:")
	if err := show(out, profiler, path); err != nil {
		return err
	}
	fmt.Fprintf(out, "go tool pprof -tags %s\n", path)
	for _, document := range parsed {
		document.Close()
	}
	pool.close(decoded)
	fmt.Fprintln(out, "after they are closed:")
	if err := show(out, profiler, path+".closed"); err != nil {
		return err
	}
	return profiler.Stop()
}

// parse makes the trees of some documents.
func parse() (parsed []arena.Arena) {
	for range documents {
		document := arena.Open()
		for range nodes {
			document.Node(nodeBytes)
		}
		parsed = append(parsed, document)
	}
	return parsed
}

// decode takes frames, and frees most of them.
func decode(pool *frames) (decoded []unsafe.Pointer) {
	for range taken {
		decoded = append(decoded, pool.take())
	}
	for _, frame := range decoded[kept:] {
		pool.giveBack(frame)
	}
	return decoded[:kept]
}

// show writes a profile, and prints how much is in use of each kind. Memory that is not a pool's has no kind.
func show(out io.Writer, profiler *cgoheap.Profiler, path string) error {
	var written bytes.Buffer
	if err := profiler.WriteProfile(&written); err != nil {
		return err
	}
	if err := os.WriteFile(path, written.Bytes(), 0o600); err != nil {
		return err
	}
	p, err := profile.Parse(&written)
	if err != nil {
		return err
	}
	inUse := make(map[string]int64)
	for _, s := range p.Sample {
		inUse[strings.Join(s.Label["kind"], "")] += s.Value[len(s.Value)-1] // inuse_space is the last
	}
	for _, kind := range []string{"frames", "nodes", ""} {
		name := kind
		if kind == "" {
			name = "(others)"
		}
		fmt.Fprintf(out, "%9d bytes  %s\n", inUse[kind], name)
	}
	return nil
}
