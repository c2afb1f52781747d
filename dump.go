package cgoheap

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// dumps numbers the dumps of the process.
var dumps atomic.Uint64

// DumpOnSignal writes a profile into dir whenever one of the signals arrives; without any it is SIGUSR2. Signals that
// arrive while one is being written make one more dump together. A dump is written to a temporary file and then renamed
// to PROGRAM.PID.UTC-TIME.NUMBER.cgoheap.pb.gz, readable by its owner only; the path, or what went wrong, goes to the
// Config's Logger. It is an error at once if dir does not exist or cannot be written. stop lets the signals go, and waits
// for a dump that is being written.
func (p *Profiler) DumpOnSignal(dir string, signals ...os.Signal) (stop func(), err error) {
	if dir, err = writable(dir); err != nil {
		return nil, fmt.Errorf("cgoheap: dump directory: %w", err)
	}
	if len(signals) == 0 {
		signals = defaultSignals
	}
	arrived := make(chan os.Signal, 1)
	signal.Notify(arrived, signals...)
	var finished sync.WaitGroup
	finished.Go(func() {
		for s := range arrived {
			p.dump(dir, s)
		}
	})
	return sync.OnceFunc(func() {
		signal.Stop(arrived)
		close(arrived)
		finished.Wait()
	}), nil
}

// writable makes dir absolute, because the program may change its working directory, and tries to make a file in it.
func writable(dir string) (string, error) {
	if dir == "" { // os.CreateTemp would take another directory
		return "", errors.New("no name was given")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, tempPattern)
	if err != nil {
		return "", err
	}
	return dir, errors.Join(f.Close(), os.Remove(f.Name()))
}

func (p *Profiler) dump(dir string, s os.Signal) {
	path := filepath.Join(dir, dumpName(time.Now()))
	if err := p.writeFile(path); err != nil {
		p.config.Logger.Error("cgoheap: dump failed", slog.String("signal", s.String()), slog.Any("error", err))
		return
	}
	p.config.Logger.Info("cgoheap: dumped", slog.String("signal", s.String()), slog.String("path", path))
}

func dumpName(now time.Time) string {
	return fmt.Sprintf("%s.%d.%s.%d.cgoheap.pb.gz",
		filepath.Base(os.Args[0]), os.Getpid(), now.UTC().Format("20060102T150405Z"), dumps.Add(1))
}

const tempPattern = ".cgoheap-*.tmp"

// writeFile writes a profile beside path and renames it when it is whole.
func (p *Profiler) writeFile(path string) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), tempPattern) // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if err := errors.Join(p.WriteProfile(f), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
