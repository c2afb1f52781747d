//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
)

// ask sends the handler a GET with parameters.
func ask(p *Profiler, parameters string) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	p.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/debug/pprof/cgoheap?"+parameters, nil))
	return answer
}

func TestParametersSelectWhatTheFieldsDo(t *testing.T) {
	p := start(t, everything)
	middle := play(t, p)
	for parameters, s := range map[string]Selection{
		"":                            {},
		"view=inuse&debug=0":          {},
		"view=allocated":              {View: Allocated},
		"view=peak":                   {View: Peak},
		"view=age":                    {View: Age},
		"view=age&older=1s":           {View: Age, OlderThan: time.Second},
		"view=shortlived":             {View: ShortLived},
		"view=shortlived&within=10s":  {View: ShortLived, Within: 10 * time.Second},
		"samples=3":                   {MaxSamples: 3},
		"bytes=4000":                  {MaxBytes: 4000},
		"view=growth&seconds=0.01":    {View: Growth, Since: middle},
		"view=allocated&seconds=0.01": {View: Allocated, Since: middle},
		"heap=native":                 {},
		"heap=all&gc=1":               {GoHeap: true},
	} {
		t.Run(parameters, func(t *testing.T) {
			answer := ask(p, parameters)
			if answer.Code != http.StatusOK {
				t.Fatalf("%d: %s", answer.Code, answer.Body)
			}
			got, want := parse(t, answer.Body), selected(t, p, s)
			if header(got) != header(want) {
				t.Errorf("got %s want %s", header(got), header(want))
			}
			if s.Since == nil && readable(got) != readable(want) {
				t.Errorf("got\n%s\nwant\n%s", readable(got), readable(want))
			}
		})
	}
}

// header is the first line of the readable form.
func header(p *profile.Profile) string {
	line, _, _ := strings.Cut(readable(p), "\n")
	return line
}

func TestSecondsGiveWhatHappenedMeanwhile(t *testing.T) {
	p := start(t, everything)
	garbage(50)
	done := make(chan *httptest.ResponseRecorder)
	go func() { done <- ask(p, "seconds=1") }()
	time.Sleep(300 * time.Millisecond)
	garbage(70)
	delta := parse(t, (<-done).Body)
	if got := values(through(delta, "garbage")); got != [4]int64{1, 70, 0, 0} {
		t.Errorf("%v", got)
	}
	if covered := time.Duration(delta.DurationNanos); covered < time.Second || covered > 30*time.Second {
		t.Errorf("it covers %v", covered)
	}
}

func TestClientThatGoesAwayEndsTheWait(t *testing.T) {
	p := start(t, everything)
	gone, leave := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, leave)
	answer := httptest.NewRecorder()
	p.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/?seconds=600", nil).WithContext(gone))
	if answer.Body.Len() > 0 {
		t.Errorf("%d bytes for nobody", answer.Body.Len())
	}
}

func TestWriteTimeoutOfTheServerBeginsAfterTheWait(t *testing.T) {
	p := start(t, everything)
	server := httptest.NewUnstartedServer(p.Handler())
	server.Config.WriteTimeout = 500 * time.Millisecond
	server.Start()
	defer server.Close()
	answer, err := http.Get(server.URL + "?seconds=1")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	parse(t, answer.Body)
}

func TestResetForgetsThePeakOnceItIsWritten(t *testing.T) {
	p := start(t, everything)
	spike(1 << 20)
	for _, want := range []int64{1 << 20, 0} {
		got := parse(t, ask(p, "view=peak&reset=1").Body)
		if bytes := values(through(got, "spike"))[1]; bytes != want {
			t.Errorf("%d bytes at the peak, want %d", bytes, want)
		}
	}
}

func TestParametersThatMakeNoSenseAreRefusedWithASentence(t *testing.T) {
	p := start(t, everything)
	for parameters, want := range map[string]string{
		"view=best":                 `the parameter view is "best": there is no view "best"`,
		"veiw=peak":                 `there is no parameter "veiw"`,
		"view=age&older=long":       `the parameter older is "long"`,
		"older=1s":                  "it is for the view age",
		"view=shortlived&within=2s": "must be one of",
		"seconds=-1":                "it must be from 0 to 86400",
		"seconds=NaN":               "it must be from 0 to 86400",
		"seconds=soon":              `the parameter seconds is "soon"`,
		"seconds=1&view=peak":       "the parameter seconds does not go with the view peak",
		"view=growth":               "the parameter seconds is needed by the view growth",
		"heap=everything":           "it must be all or native",
		"view=growth&seconds=0":     "the parameter seconds is needed by the view growth",
		"heap=all&view=age":         "the parameter heap does not go with the view age",
		"samples=many":              `the parameter samples is "many"`,
		"bytes=-5":                  "the parameter bytes is -5; it may not be negative",
		"bytes=10":                  "a profile without samples is longer",
		"seconds=1;debug=1":         "invalid semicolon",
		"a=%zz":                     `invalid URL escape "%zz"`,
		"reset=1":                   "reset goes with view=peak only",
		"debug=much":                `the parameter debug is "much"`,
	} {
		answer := ask(p, parameters)
		if answer.Code != http.StatusBadRequest || !strings.Contains(answer.Body.String(), want) {
			t.Errorf("%s: %d %s, want %s", parameters, answer.Code, answer.Body, want)
		}
	}
}
