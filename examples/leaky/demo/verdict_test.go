package main

import (
	"io"
	"strings"
	"testing"
)

func TestAVerdictConvictsOnlyTheGuilty(t *testing.T) {
	cases := map[string]struct {
		change map[string]int64
		want   string // in the error; "" is none
	}{
		"as it should be":        {nil, ""},
		"a guilty one is unseen": {map[string]int64{"handleReport": 0}, "handleReport leaks, but holds only"},
		"an innocent one holds":  {map[string]int64{"handleOrders": 400}, "handleOrders does not leak, but holds"},
		"the thread holds":       {map[string]int64{"worker": 400}, "(the worker's thread) does not leak, but holds"},
		"most belongs to no one": {map[string]int64{"rest": 90000}, "(everything else) does not leak, but holds"},
	}
	for name, c := range cases {
		err := verdict(io.Discard, leakyProfile(c.change), residentProfile(300))
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: error %v, want one that says %q", name, err, c.want)
		}
	}
}

func TestAGuiltyStackMustLeadIntoTheLibrary(t *testing.T) {
	p := leakyProfile(nil)
	for _, sample := range p.Sample {
		sample.Location = sample.Location[len(sample.Location)-1:] // only the Go side of each stack
	}
	err := verdict(io.Discard, p, residentProfile(300))
	if err == nil || !strings.Contains(err.Error(), "leads from sqlite3RunParser into handleReport") {
		t.Errorf("error %v, want one that misses SQLite's frames", err)
	}
}

func TestAProfileOfAnotherKindIsRefused(t *testing.T) {
	p := leakyProfile(nil)
	p.SampleType[3].Type = "samples"
	if err := verdict(io.Discard, p, residentProfile(300)); err == nil || !strings.Contains(err.Error(), "inuse_space") {
		t.Errorf("error %v, want one that names inuse_space", err)
	}
}

func TestMemoryThatALibraryMapsIsFoundToo(t *testing.T) {
	err := verdict(io.Discard, leakyProfile(nil), residentProfile(10))
	if err == nil || !strings.Contains(err.Error(), "handleExport leaks memory that unixRemapfile maps, but holds only 1.1 %") {
		t.Errorf("error %v, want one that misses the mapping", err)
	}
}
