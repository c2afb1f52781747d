package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/e2e/sqlite"
	"github.com/cgoheap/cgoheap/e2e/truth"
	"github.com/cgoheap/cgoheap/internal/victim"
)

type options struct {
	profile, truth, plugin string
	sampleBytes            int64
	free, labels           bool
}

func main() {
	var o options
	flag.StringVar(&o.profile, "profile", "", "file to write the profile to")
	flag.StringVar(&o.truth, "truth", "", "file to write the truth to")
	flag.StringVar(&o.plugin, "plugin", "", "library to load and allocate in")
	flag.Int64Var(&o.sampleBytes, "sample", 1, "mean bytes between samples")
	flag.BoolVar(&o.free, "free", false, "free everything")
	flag.BoolVar(&o.labels, "labels", false, "label samples with the way to them and the thread")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "exact:", err)
		os.Exit(1)
	}
}

//go:noinline
func run(o options) error {
	plugin, err := victim.OpenPlugin(o.plugin)
	if err != nil {
		return err
	}
	if err := sqlite.Count(); err != nil {
		return err
	}
	profiler, err := cgoheap.Start(cgoheap.Config{
		SampleBytes:     o.sampleBytes,
		GoroutineLabels: o.labels,
		ThreadNames:     o.labels,
		HiddenFrames:    true,     // the tests compare every frame
		UnpackBytes:     64 << 20, // with lines and inlined calls, however much debug data there is
	})
	if err != nil {
		return err
	}
	tour := &tour{plugin: plugin, keep: !o.free, labelled: o.labels}
	for i, entrance := range entrances {
		tour.enter(entrance, 3+2*i)
	}
	if err := writeProfile(o.profile, profiler); err != nil {
		return err
	}
	tour.sum()
	report := tour.ledger.Report()
	report.Losses = truth.Losses(profiler.Stats())
	if err := report.Write(o.truth); err != nil {
		return err
	}
	return profiler.Stop()
}

func writeProfile(path string, profiler *cgoheap.Profiler) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := profiler.WriteProfile(file); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}
