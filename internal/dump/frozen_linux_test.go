//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package dump

import (
	"io"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// A thread that writes to a frozen disk waits until somebody ends that, but neither Start nor Stop waits for the thread.
func TestADiskThatHasStopped(t *testing.T) {
	defer func(before time.Duration) { patience = before }(patience)
	patience = 50 * time.Millisecond
	disk := toolchain.FrozenDisk(t)
	c := Config{Dir: disk, Signals: []os.Signal{syscall.SIGUSR1}, Logger: slog.New(slog.DiscardHandler)}
	if _, err := Start(c); err == nil || !strings.Contains(err.Error(), disk+": there is no answer after 50ms") {
		t.Error(err)
	}

	var log strings.Builder
	begun, thawed := make(chan bool), make(chan bool)
	c.Dir, c.Logger = t.TempDir(), slog.New(slog.NewTextHandler(&log, nil))
	c.Write = func(io.Writer) error {
		close(begun)
		<-thawed
		return nil
	}
	dumps, err := Start(c)
	if err != nil {
		t.Fatal(err)
	}
	dumps.d.signalled(syscall.SIGUSR1)
	<-begun
	dumps.Stop()
	if !strings.Contains(log.String(), "a dump goes on") {
		t.Error(log.String())
	}
	close(thawed)
	dumps.d.task.End()
}
