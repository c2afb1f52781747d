package cgoheap

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/symbolize"
)

func TestANameOfNoHostIsAnError(t *testing.T) {
	if _, err := Start(Config{Hosts: []string{"shop.test", "["}}); err == nil || !strings.Contains(err.Error(), `Config.Hosts has "["`) {
		t.Error(err)
	}
}

func TestInvalidConfig(t *testing.T) {
	for _, c := range []struct {
		config Config
		field  string
		value  int64
	}{
		{Config{SampleBytes: -1}, "SampleBytes", -1},
		{Config{SampleBytes: math.MaxInt64}, "SampleBytes", math.MaxInt64},
		{Config{MaxDepth: -5}, "MaxDepth", -5},
		{Config{MaxDepth: 513}, "MaxDepth", 513},
		{Config{TableBytes: -1 << 20}, "TableBytes", -1 << 20},
		{Config{TableBytes: 8<<20 - 1}, "TableBytes", 8<<20 - 1},
		{Config{TableBytes: 64<<30 + 1}, "TableBytes", 64<<30 + 1},
		{Config{UnpackBytes: -1}, "UnpackBytes", -1},
	} {
		t.Run(fmt.Sprintf("the error says that %s is %d", c.field, c.value), func(t *testing.T) {
			p, err := Start(c.config)
			if err == nil {
				p.Stop()
				t.Fatal("it was accepted")
			}
			if want := fmt.Sprintf("Config.%s is %d;", c.field, c.value); !strings.Contains(err.Error(), want) {
				t.Errorf("%q does not contain %q", err, want)
			}
		})
	}
}

func TestNamesAreAsConfigured(t *testing.T) {
	for word, style := range map[string]symbolize.Style{"": symbolize.Templates, "templates": symbolize.Templates,
		"short": symbolize.Short, "full": symbolize.Full, "none": symbolize.Mangled} {
		c, err := Config{Demangle: word, HiddenFrames: true, DebugDirs: []string{"/a"}, Debuginfod: true, UnpackBytes: 7}.withDefaults()
		want := symbolize.Options{Style: style, HiddenFrames: true, DebugDirs: []string{"/a"}, Debuginfod: true, UnpackBytes: 7}
		if got := c.names(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v", word, got, err)
		}
	}
	if _, err := (Config{Demangle: "some"}).withDefaults(); err == nil || !strings.Contains(err.Error(), `Config.Demangle is "some"; it must be`) {
		t.Error(err)
	}
}

func TestLabelsAreAskedForInTheRecording(t *testing.T) {
	for _, want := range []bool{false, true} {
		o := Config{GoroutineLabels: want, ThreadNames: !want}.options()
		if o.Goroutines != want || o.ThreadNames != !want {
			t.Errorf("%+v", o)
		}
	}
}

func TestDefaults(t *testing.T) {
	t.Run("the zero Config samples every 512 KiB, and says nothing", func(t *testing.T) {
		c, err := Config{}.withDefaults()
		if err != nil {
			t.Fatal(err)
		}
		if c.SampleBytes != 512<<10 || c.MaxDepth != 128 || c.TableBytes != 256<<20 || c.Logger == nil {
			t.Errorf("%+v", c)
		}
	})

	t.Run("the least and the most that the documentation names are accepted", func(t *testing.T) {
		for _, c := range []Config{{SampleBytes: 1, MaxDepth: 1, TableBytes: 8 << 20}, {MaxDepth: 512, TableBytes: 64 << 30}} {
			if _, err := c.withDefaults(); err != nil {
				t.Error(err)
			}
		}
	})
}
