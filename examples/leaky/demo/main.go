package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/google/pprof/profile"
)

type options struct {
	out         string
	rounds      int
	sampleBytes int
}

func main() {
	var o options
	flag.StringVar(&o.out, "out", "out", "`directory` for the profile and the pictures")
	flag.IntVar(&o.rounds, "rounds", 4000, "how often the leaking handlers are asked, the others as often or less")
	flag.IntVar(&o.sampleBytes, "sample-bytes", 64<<10, "mean `bytes` between samples")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "demo failed:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	var err error
	if o.out, err = filepath.Abs(o.out); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "leaky-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	dump, err := record(ctx, o, scratch)
	if err != nil {
		return err
	}
	path, p, err := keep(dump, o.out)
	if err != nil {
		return err
	}
	if err := printProfile(os.Stdout, p); err != nil {
		return err
	}
	pictures, err := draw(p, o.out)
	if err != nil {
		return err
	}
	fmt.Printf("profile:      %s\nflame graph:  %s\n\n", path, pictures)
	return verdict(os.Stdout, p)
}

// record runs the service under load, and returns the path of the profile that it dumped.
func record(ctx context.Context, o options, scratch string) (string, error) {
	fmt.Println("building the service (the first time, compiling SQLite takes a minute) ...")
	binary, err := build(ctx, scratch)
	if err != nil {
		return "", err
	}
	s, err := start(ctx, binary, o.sampleBytes)
	if err != nil {
		return "", err
	}
	dump, err := s.exercise(ctx, o.rounds)
	return dump, s.stop(err)
}

func (s *server) exercise(ctx context.Context, rounds int) (string, error) {
	began := time.Now()
	requests, err := drive(ctx, s.url, rounds)
	if err != nil {
		return "", err
	}
	fmt.Printf("answered %d requests in %.1f s\n", requests, time.Since(began).Seconds())
	usage, err := s.usage(ctx) // before the dump, which costs memory too
	if err != nil {
		return "", err
	}
	fmt.Println(usage)
	return s.dump(ctx)
}

// keep copies the dump into the directory out, and reads it.
func keep(dump, out string) (string, *profile.Profile, error) {
	written, err := os.ReadFile(dump)
	if err != nil {
		return "", nil, err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return "", nil, err
	}
	path := filepath.Join(out, "leaky.pb.gz")
	if err := os.WriteFile(path, written, 0o644); err != nil {
		return "", nil, err
	}
	p, err := profile.ParseData(written)
	if err != nil {
		return "", nil, fmt.Errorf("reading the dumped profile: %w", err)
	}
	return path, p, p.CheckValid()
}
