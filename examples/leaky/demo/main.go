package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/google/pprof/profile"
)

type options struct {
	out         string
	rounds      int
	sampleBytes int
	serve       bool
}

func main() {
	var o options
	flag.StringVar(&o.out, "out", "out", "`directory` for the profile and the pictures")
	flag.IntVar(&o.rounds, "rounds", 4000, "how many requests the leaking handlers get; the others get as many or fewer")
	flag.IntVar(&o.sampleBytes, "sample-bytes", 64<<10, "mean `bytes` between samples")
	flag.BoolVar(&o.serve, "serve", false, "serve at "+address+" under a light load, with a black box, until interrupted, and show nothing")
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
	if o.serve {
		return serve(ctx, o, scratch)
	}
	seen, err := record(ctx, o, scratch)
	if err != nil {
		return err
	}
	return tell(seen, o.out)
}

// tell prints what was recorded, and leaves it in the directory out.
func tell(seen recorded, out string) error {
	path, p, err := keep(seen.dump, out)
	if err != nil {
		return err
	}
	rssPath, rss, err := seen.resident.keep(out)
	if err != nil {
		return err
	}
	fmt.Print(seen.resident.account)
	if err := errors.Join(printHolders(os.Stdout, rss), printMapped(os.Stdout, rss), printProfile(os.Stdout, p)); err != nil {
		return err
	}
	pictures, err := draw(rss, out)
	if err != nil {
		return err
	}
	fmt.Printf("profiles:     %s\n              %s\nflame graph:  %s\n\n", path, rssPath, pictures)
	return verdict(os.Stdout, p, rss)
}

// recorded is what the service said: the path of its dump, and what its RSS consists of.
type recorded struct {
	dump     string
	resident resident
}

// record runs the service under load, and returns what it said.
func record(ctx context.Context, o options, scratch string) (recorded, error) {
	fmt.Println("building the service (the first time, compiling SQLite takes a minute) ...")
	binary, err := build(ctx, scratch)
	if err != nil {
		return recorded{}, err
	}
	s, err := start(ctx, binary, "-listen", "127.0.0.1:0", "-sample-bytes", strconv.Itoa(o.sampleBytes))
	if err != nil {
		return recorded{}, err
	}
	seen, err := s.exercise(ctx, o.rounds)
	return seen, s.stop(err)
}

// address is where serve has the service listen, and boxes where its black box is.
const (
	address = "127.0.0.1:8080"
	boxes   = "/dev/shm"
)

// serve has the service leak slowly, for somebody who looks for it: docs/guide.md.
func serve(ctx context.Context, o options, scratch string) error {
	fmt.Println("building the service (the first time, compiling SQLite takes a minute) ...")
	binary, err := build(ctx, scratch)
	if err != nil {
		return err
	}
	s, err := start(context.WithoutCancel(ctx), binary, "-listen", address, "-blackbox", boxes, "-sample-bytes", strconv.Itoa(o.sampleBytes))
	if err != nil {
		return err
	}
	fmt.Printf("it serves at %s/debug/cgoheap/, process %d, with a black box in %s; Ctrl-C ends it\n", s.url, s.cmd.Process.Pid, boxes)
	visits := &traffic{url: s.url, rounds: math.MaxInt64, pause: 250 * time.Millisecond}
	if _ = visits.drive(ctx); ctx.Err() == nil {
		fmt.Printf("it answers no more; its program stays until Ctrl-C, for the names that cgoheap recover %s prints\n", boxes)
		<-ctx.Done()
	}
	_ = s.stop(nil) // it was interrupted, too, or has ended
	return nil
}

func (s *server) exercise(ctx context.Context, rounds int) (seen recorded, err error) {
	began := time.Now()
	requests, err := drive(ctx, s.url, rounds)
	if err != nil {
		return seen, err
	}
	fmt.Printf("answered %d requests in %.1f s\n", requests, time.Since(began).Seconds())
	usage, err := s.usage(ctx) // before the dump, which costs memory too
	if err != nil {
		return seen, err
	}
	fmt.Printf("\n%s\n\n", usage)
	if seen.resident, err = s.askResident(ctx); err != nil {
		return seen, err
	}
	seen.dump, err = s.dump(ctx)
	return seen, err
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
