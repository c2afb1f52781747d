// Package trial runs one case of a program in a process that records, and serves its profiles.
package trial

/*
#cgo CFLAGS: -Wall -O2
#include <stdlib.h>
#include "trial.h"

static const char *case_name(size_t i) { return trial_cases[i].name; }
static void case_run(size_t i) { trial_cases[i].run(); }
*/
import "C"

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"unsafe"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/e2e/leaks/truth"
)

// Case is a case that is written in Go.
type Case struct {
	Name string
	Run  func() // returns at rest
}

// Main runs the case that the flags choose, prints what it did, and serves until standard input ends.
func Main(own ...Case) {
	list := flag.Bool("list", false, "print the cases")
	name := flag.String("case", "", "the case to run")
	sample := flag.Int64("sample", 1, "Config.SampleBytes")
	first := flag.Bool("first", false, "run on the process's first thread")
	size := flag.Uint64("bytes", 16<<20, "how much each function of the case allocates")
	flag.Parse()
	cases := append(inC(), own...)
	var err error
	if *list {
		err = json.NewEncoder(os.Stdout).Encode(listed(cases, len(own)))
	} else {
		C.trial_bytes = C.size_t(*size)
		err = run(cases, *name, *sample, *first)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// inC returns the program's cases in C.
func inC() (cases []Case) {
	for i := C.size_t(0); C.case_name(i) != nil; i++ {
		cases = append(cases, Case{C.GoString(C.case_name(i)), func() { C.case_run(i) }})
	}
	return cases
}

func listed(cases []Case, own int) (list []truth.Listed) {
	for i, c := range cases {
		list = append(list, truth.Listed{Name: c.Name, Go: i >= len(cases)-own})
	}
	return list
}

// init keeps the first thread for main.
func init() { runtime.LockOSThread() }

// run runs the case on a thread that it keeps, so that what is local to the thread stays: as goroutines of a service do, on another than the
// process's first, unless first is set. glibc has the blocks of the first thread at low addresses, where numbers look like pointers.
func run(cases []Case, name string, sample int64, first bool) error {
	if first {
		return onThisThread(cases, name, sample)
	}
	ended := make(chan error)
	go func() {
		runtime.LockOSThread()
		ended <- onThisThread(cases, name, sample)
	}()
	return <-ended
}

func onThisThread(cases []Case, name string, sample int64) error {
	p, err := cgoheap.Start(cgoheap.Config{SampleBytes: sample})
	if err != nil {
		return err
	}
	for _, c := range cases {
		if c.Name == name {
			c.Run()
			return serve(p)
		}
	}
	return fmt.Errorf("there is no case %q", name)
}

func serve(p *cgoheap.Profiler) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	http.Handle("GET /debug/pprof/cgoheap", p.Handler())
	http.Handle("GET /debug/cgoheap/", p.PagesHandler())
	go func() { fmt.Fprintln(os.Stderr, http.Serve(listener, nil)) }()
	done := truth.Case{URL: "http://" + listener.Addr().String() + "/debug/", Rows: rows()}
	if err := json.NewEncoder(os.Stdout).Encode(done); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

func rows() (list []truth.Row) {
	for i := C.size_t(0); ; i++ {
		row := C.trial_row(i)
		if row == nil {
			return list
		}
		list = append(list, truth.Row{Function: C.GoString(row.function), Holder: C.GoString(row.holder), Sentence: C.GoString(row.sentence),
			Blocks: int64(row.blocks), Bytes: int64(row.bytes)})
	}
}

// Number returns how many blocks of a size each function of the case allocates.
func Number(size int) int { return int(C.trial_number(C.size_t(size))) }

// Held says what view=heldby must say of the function's blocks, of which one has been counted.
func Held(function, holder string) {
	name := C.CString(function)
	C.trial_held(name, C.CString(holder))
	C.free(unsafe.Pointer(name))
}

// Told says what the sentence of each suspect of the function must match.
func Told(function, sentence string) {
	name := C.CString(function)
	C.trial_told(name, C.CString(sentence))
	C.free(unsafe.Pointer(name))
}

// Uncounted says that the case frees a block of a function, which has been counted.
func Uncounted(function string, size int) {
	name := C.CString(function)
	C.trial_uncounted(name, C.size_t(size))
	C.free(unsafe.Pointer(name))
}
