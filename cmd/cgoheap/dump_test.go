package main

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// internal/systemtest has the tests of what a dump contains.
func TestADumpThatCannotBeMadeSaysWhy(t *testing.T) {
	own := strconv.Itoa(os.Getpid())
	for about, c := range map[string]struct {
		arguments []string
		says      string
	}{
		"no process":               {nil, "one process number, core file or black box is needed"},
		"two":                      {[]string{"1", "2"}, "one process number, core file or black box is needed"},
		"a name":                   {[]string{"nginx"}, "open nginx: no such file"},
		"a program":                {[]string{os.Args[0]}, "it is no core file, but another ELF file"},
		"another file":             {[]string{"/proc/self/maps"}, "it is no core file"},
		"a negative number":        {[]string{"--", "-1"}, `"-1" is not the number of a process`},
		"none of this number":      {[]string{"2147483647"}, "there is no such process"},
		"one without cgoheap":      {[]string{own}, "no recording was found in its memory"},
		"an unknown view":          {[]string{"-view", "growth", own}, `there is no view "growth"`},
		"what no core file has":    {[]string{"-view", "rss", os.Args[0]}, "there is no view rss of a process that is gone, nor of a core file"},
		"RSS without cgoheap":      {[]string{"-view", "rss", own}, "no recording was found in its memory"},
		"a time of no class":       {[]string{"-within", "2s", own}, "-within is 2s"},
		"a negative age":           {[]string{"-older", "-1s", own}, "-older is -1s"},
		"an unknown flag":          {[]string{"-all", own}, "flag provided but not defined"},
		"a flag without its value": {[]string{"-view"}, "flag needs an argument"},
	} {
		t.Run(about, func(t *testing.T) {
			t.Chdir(t.TempDir())
			var out, trouble strings.Builder
			if code := run(append([]string{"dump"}, c.arguments...), nil, &out, &trouble); code != exitUnreadable ||
				!strings.Contains(trouble.String(), c.says) || out.Len() > 0 {
				t.Errorf("exit code %d, %q, %q", code, out.String(), trouble.String())
			}
			if left, err := filepath.Glob("*"); len(left) > 0 || err != nil {
				t.Errorf("it leaves %v, %v", left, err)
			}
		})
	}
}

func TestEachViewOfAProcessHasAFileOfItsOwn(t *testing.T) {
	for want, arguments := range map[string][]string{
		"cgoheap.4711.pb.gz": {"4711"}, "cgoheap.4711.rss.pb.gz": {"-view", "rss", "4711"}, "cgoheap.core.1.peak.pb.gz": {"-view", "peak", "/cores/core.1"},
		"mine": {"-view", "rss", "-o", "mine", "4711"},
	} {
		var d dumping
		flags := flag.NewFlagSet("", flag.ContinueOnError)
		d.flags(flags)
		if err := flags.Parse(arguments); err != nil {
			t.Fatal(err)
		}
		if err := d.choose(flags.Args()); err != nil || d.file != want {
			t.Errorf("%q is written to %s, want %s: %v", arguments, d.file, want, err)
		}
	}
}
