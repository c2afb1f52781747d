package cgoheap

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/cgoheap/cgoheap/internal/self"
)

// dumps numbers the dumps of the process.
var dumps atomic.Uint64

// DumpOnSignal writes a profile into dir whenever one of the signals arrives; without any it is SIGUSR2. It is Dump with
// nothing else asked for.
func (p *Profiler) DumpOnSignal(dir string, signals ...os.Signal) (stop func(), err error) {
	if len(signals) == 0 {
		signals = defaultSignals
	}
	return p.Dump(Dumps{Dir: dir, Signals: signals})
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

// make makes one dump, and then clears away the oldest. An error, which it also logs, is that of the dump.
func (d *dumper) make(why slog.Attr) error {
	path := filepath.Join(d.Dir, dumpName(time.Now()))
	log := d.profiler.config.Logger
	if err := d.writeFile(path); err != nil {
		log.Error("cgoheap: dump failed", why, slog.Any("error", err))
		return err
	}
	log.Info("cgoheap: dumped", why, slog.String("path", path))
	if err := d.clear(filepath.Base(path)); err != nil {
		log.Error("cgoheap: old dumps could not be removed", slog.Any("error", err))
	}
	return nil
}

func dumpName(now time.Time) string {
	return fmt.Sprintf("%s.%d.%s.%d%s", self.Name, os.Getpid(), now.UTC().Format(dumpTime), dumps.Add(1), dumpSuffix)
}

const (
	dumpTime    = "20060102T150405Z"
	dumpSuffix  = ".cgoheap.pb.gz"
	tempPattern = ".cgoheap-*.tmp"
)

// writeFile writes a profile beside path and renames it when it is whole.
func (d *dumper) writeFile(path string) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), tempPattern) // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if err := errors.Join(d.profiler.Write(f, d.Selection), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
