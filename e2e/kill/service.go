package main

/*
#cgo CFLAGS: -O2 -Wall
#cgo LDFLAGS: -lpthread
#include "storm.h"
*/
import "C"

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap"
)

const sites = C.SITES

const (
	between   = C.BETWEEN
	starting  = C.STARTING
	recording = C.RECORDING
	stopping  = C.STOPPING
)

// truth is what the service keeps. It lies in a file.
type truth = C.struct_truth

func sizeOf(site int) int64 { return int64(C.size_of(C.int(site))) }

// mapTruth maps the file of the truth.
func mapTruth(path string) (*truth, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size := int(unsafe.Sizeof(truth{}))
	if err := f.Truncate(int64(size)); err != nil {
		return nil, err
	}
	memory, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return (*truth)(unsafe.Pointer(unsafe.SliceData(memory))), nil
}

const (
	threads  = 4
	stormFor = 60 * time.Millisecond
)

// enter says what the service does from now on.
func enter(t *truth, phase uint64) { atomic.StoreUint64((*uint64)(&t.phase), phase) }

// writes reports whether the service writes a profile.
func writes(t *truth) bool { return atomic.LoadUint64((*uint64)(&t.dumping)) > 0 }

func now(t *truth) uint64 { return atomic.LoadUint64((*uint64)(&t.phase)) }

const recoverName = "recovered"

// recoverDir is where a service puts what it recovers of another.
func recoverDir(boxes string) string { return filepath.Join(boxes, recoverName) }

// serve is the service. It ends when it is killed.
func serve(path, dir string) error {
	t, err := mapTruth(path)
	if err != nil {
		return err
	}
	signal.Notify(make(chan os.Signal, 1), unix.SIGUSR2) // it does not end the service where nobody dumps
	for ; ; enter(t, between) {
		t.sites = [sites]C.struct_site{}
		enter(t, starting)
		p, err := cgoheap.Start(cgoheap.Config{SampleBytes: 1, BlackBox: dir, RecoverDir: recoverDir(dir)})
		if err != nil {
			return err
		}
		ignore, err := p.DumpOnSignal(dir, unix.SIGUSR2)
		if err != nil {
			return err
		}
		enter(t, recording)
		if err := underStorm(t, p); err != nil {
			return err
		}
		ignore()
		enter(t, stopping)
		if err := p.Stop(); err != nil {
			return err
		}
	}
}

func underStorm(t *truth, p *cgoheap.Profiler) (err error) {
	var done sync.WaitGroup
	over := make(chan struct{})
	done.Go(func() {
		for {
			select {
			case <-over:
				return
			case <-time.After(3 * time.Millisecond):
			}
			atomic.AddUint64((*uint64)(&t.dumping), 1)
			if failed := p.Write(io.Discard, cgoheap.Selection{}); failed != nil {
				err = fmt.Errorf("a profile: %w", failed)
			}
			atomic.AddUint64((*uint64)(&t.dumping), ^uint64(0))
		}
	})
	C.storm(t, threads, C.int(stormFor.Microseconds()))
	close(over)
	done.Wait()
	return err
}
