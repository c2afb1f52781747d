package message

import (
	"context"
	"log"
	"log/slog"
	"os"
	"os/exec"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// hosts are programs that log in their ways.
var hosts = map[string]func(){
	"nothing was set":      func() {},
	"json":                 func() { slog.SetDefault(slog.New(slog.NewJSONHandler(os.Stderr, nil))) },
	"json on stdout":       func() { slog.SetDefault(slog.New(slog.NewJSONHandler(os.Stdout, nil))) },
	"package log, stdout":  func() { log.SetOutput(os.Stdout) },
	"SIGPIPE is as in C":   defaultAction,
	"package log, by slog": func() { slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, nil))) },
}

// defaultAction is what a host of a Go library may do to the signal.
func defaultAction() {
	var action [4]uint64
	_, _, _ = unix.Syscall6(unix.SYS_RT_SIGACTION, uintptr(unix.SIGPIPE), uintptr(unsafe.Pointer(&action)), 0, 8, 0, 0)
}

func TestABrokenPipeEndsNoProgram(t *testing.T) {
	if name := os.Getenv("TEST_MESSAGE_HOST"); name != "" {
		hosts[name]()
		l := slog.New(Handler{To: func() slog.Handler { return slog.Default().Handler() }})
		for range 3 {
			l.Error("nobody reads this")
		}
		os.Exit(7)
	}
	for name := range hosts {
		t.Run(name, func(t *testing.T) {
			read, write, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			read.Close()
			defer write.Close()
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
			defer cancel()
			host := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestABrokenPipeEndsNoProgram$")
			host.Env = append(os.Environ(), "TEST_MESSAGE_HOST="+name)
			host.Stdout, host.Stderr = write, write
			if err := host.Run(); host.ProcessState.ExitCode() != 7 {
				t.Error(err)
			}
		})
	}
}
