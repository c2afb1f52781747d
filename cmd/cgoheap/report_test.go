//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package main

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/page"
	"github.com/cgoheap/cgoheap/internal/toolchain"
)

var answersIn = regexp.MustCompile(`<script id="answers" type="application/json">([A-Za-z0-9+/=]*)</script>`)

// reportOf runs cgoheap report and returns the answers in the file, by what the page asks for.
func reportOf(t *testing.T, name string) (answers map[string]json.RawMessage, size int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	if code, out, trouble := ranWith(t, "", "report", "-o", path, name); code != exitGood || trouble != "" || !strings.HasPrefix(out, path+": ") {
		t.Fatalf("exit code %d, %q, %q", code, out, trouble)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return answersOfReport(t, path), int(info.Size())
}

func answersOfReport(t *testing.T, path string) (answers map[string]json.RawMessage) {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, elsewhere := range []string{`src="`, `href="files`, `from "./`} {
		if strings.Contains(string(file), elsewhere) {
			t.Errorf("the report refers to %s", elsewhere)
		}
	}
	found := answersIn.FindSubmatch(file)
	if found == nil {
		t.Fatal("there are no answers")
	}
	packed, err := base64.StdEncoding.DecodeString(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(z).Decode(&answers); err != nil {
		t.Fatal(err)
	}
	return answers
}

// manyStacks writes a profile of so many stacks. Its names are as long as those of C++ are, and each stack has a label.
func manyStacks(t *testing.T, stacks int) string {
	t.Helper()
	p := &profile.Profile{TimeNanos: 1.7e18, SampleType: []*profile.ValueType{{Type: "inuse_objects", Unit: "count"}, {Type: "inuse_space", Unit: "bytes"}},
		PeriodType: &profile.ValueType{Type: "space", Unit: "bytes"}, Mapping: []*profile.Mapping{{ID: 1, File: "/usr/bin/service"}}}
	for n := range 3000 {
		f := &profile.Function{ID: uint64(n + 1), Name: fmt.Sprintf("company::storage::Engine%d<std::string>::handle_request_%d", n%50, n), Filename: fmt.Sprintf("/src/storage/engine_%d.cc", n%50)}
		p.Function = append(p.Function, f)
		p.Location = append(p.Location, &profile.Location{ID: uint64(n + 1), Mapping: p.Mapping[0], Line: []profile.Line{{Function: f, Line: int64(n%900 + 1)}}})
	}
	for n := range stacks {
		s := &profile.Sample{Value: []int64{int64(n%7 + 1), int64(n%977+1) * 48}, Label: map[string][]string{"tenant": {fmt.Sprint("t", n%20)}}}
		for depth, at := 0, n; depth < 20; depth++ {
			s.Location = append(s.Location, p.Location[at%3000])
			at = (at*31/(depth/4+2) + depth) % 3000
		}
		p.Sample = append(p.Sample, s)
	}
	var file bytes.Buffer
	if err := p.Write(&file); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "many.pb.gz")
	if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAReportHasWhatThePageAsksFor(t *testing.T) {
	path := manyStacks(t, 500)
	answers, _ := reportOf(t, path)
	var about page.About
	if err := json.Unmarshal(answers["about  "], &about); err != nil || len(about.Views) != 2 || !slices.Contains(about.Without, page.PartDownload) {
		t.Errorf("%v, %+v", err, about)
	}
	p := parsed(t, path)
	for _, v := range about.Views {
		for _, by := range []string{"", "tenant"} {
			want, err := json.Marshal(page.NewStacks(p, page.Options{View: v.Name, Value: v.Name, By: by}))
			if err != nil {
				t.Fatal(err)
			}
			if got := bytes.TrimSpace(answers["stacks "+v.Name+" "+by]); !bytes.Equal(got, want) {
				t.Errorf("%s by %q: %.200s, want %.200s", v.Name, by, got, want)
			}
		}
	}
}

func TestAReportOfManyStacksIsSmall(t *testing.T) {
	if _, size := reportOf(t, manyStacks(t, 20_000)); size > 2<<20 {
		t.Errorf("it has %d bytes", size)
	}
}

func TestAReportOfABoxTellsHowItEnded(t *testing.T) {
	box, kill := recorded(t, toolchain.Memory(t))
	kill(syscall.SIGKILL)
	answers, _ := reportOf(t, box)
	var about page.About
	if err := json.Unmarshal(answers["about  "], &about); err != nil || len(about.Ended) == 0 || slices.Contains(about.Without, page.PartSuspects) {
		t.Errorf("%v, %+v", err, about)
	}
}

func TestReportsHaveNamesOfTheirOwn(t *testing.T) {
	path := manyStacks(t, 3)
	t.Chdir(t.TempDir())
	for _, name := range []string{"cgoheap.html", "cgoheap-2.html"} {
		if code, out, trouble := ranWith(t, "", "report", path); code != exitGood || out != name+": the page of "+path+", for any browser\n" || !exists(name) {
			t.Errorf("exit code %d, %q, %q", code, out, trouble)
		}
	}
	if code, _, trouble := ranWith(t, "", "report", "-o", "cgoheap.html", path); code != exitUnreadable || !strings.Contains(trouble, "cgoheap.html: file exists") {
		t.Errorf("exit code %d, %q", code, trouble)
	}
	if code, _, trouble := ranWith(t, "", "report", "nothing.pb.gz"); code != exitUnreadable || !strings.Contains(trouble, "nothing.pb.gz") {
		t.Errorf("exit code %d, %q", code, trouble)
	}
}
