package message

import (
	"context"
	"log"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
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
	"SIGPIPE is as in C":   func() { defaultAction(unix.SIGPIPE) },
	"package log, by slog": func() { slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, nil))) },
}

// defaultAction is what a host of a Go library may do to a signal.
func defaultAction(of unix.Signal) {
	var action [4]uint64
	_, _, _ = unix.Syscall6(unix.SYS_RT_SIGACTION, uintptr(of), uintptr(unsafe.Pointer(&action)), 0, 8, 0, 0)
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

func TestALogThatMayNotGrowEndsNoProgram(t *testing.T) {
	const variable = "TEST_MESSAGE_LOG"
	if path := os.Getenv(variable); path != "" {
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			os.Exit(3)
		}
		log.SetOutput(file)
		defaultAction(unix.SIGXFSZ)
		if unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 100, Max: 100}) != nil {
			os.Exit(4)
		}
		l := slog.New(Handler{To: func() slog.Handler { return slog.Default().Handler() }})
		for range 10 {
			l.Error("a line of some length")
		}
		os.Exit(7)
	}
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	host := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	host.Env = append(os.Environ(), variable+"="+path)
	if err := host.Run(); host.ProcessState.ExitCode() != 7 {
		t.Error(err)
	}
	if text, err := os.ReadFile(path); err != nil || len(text) != 100 {
		t.Errorf("%q, %v", text, err)
	}
}
