//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/profiletest"
)

func TestParametersSelectWhatTheFieldsDo(t *testing.T) {
	p := start(t, everything)
	middle := profiletest.PlayTaking(t, p.Baseline)
	examples := map[string]Selection{
		"":                            {},
		"view=inuse&debug=0":          {},
		"view=allocated":              {View: ViewAllocated()},
		"view=peak":                   {View: ViewPeak()},
		"view=age":                    {View: ViewAge(0)},
		"view=age&older=1s":           {View: ViewAge(time.Second)},
		"view=shortlived":             {View: ViewShortLived(0)},
		"view=shortlived&within=10s":  {View: ViewShortLived(10 * time.Second)},
		"samples=3":                   {MaxSamples: 3},
		"bytes=4000":                  {MaxBytes: 4000},
		"view=growth&seconds=0.01":    {View: ViewGrowth(middle)},
		"view=allocated&seconds=0.01": {View: View{kind: viewAllocated, delta: true, since: middle}},
		"heap=native":                 {},
		"heap=all&gc=1":               {GoHeap: true},
		"bare=1":                      {BareAddresses: true},
		"view=peak&reset=0":           {View: ViewPeak()},
	}
	for name := range parameters {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(examples)), func(query string) bool { return strings.Contains("&"+query, "&"+name+"=") }) {
			t.Errorf("there is no example of %s", name)
		}
	}
	for parameters, s := range examples {
		t.Run(parameters, func(t *testing.T) {
			answer := profiletest.Ask(p.Handler(), parameters)
			if answer.Code != http.StatusOK {
				t.Fatalf("%d: %s", answer.Code, answer.Body)
			}
			got, want := profiletest.Parse(t, answer.Body), selected(t, p, s)
			if header(got) != header(want) {
				t.Errorf("got %s want %s", header(got), header(want))
			}
			if s.View.since == nil && profiletest.Readable(got) != profiletest.Readable(want) {
				t.Errorf("got\n%s\nwant\n%s", profiletest.Readable(got), profiletest.Readable(want))
			}
		})
	}
}

// header is the first line of the readable form.
func header(p *profile.Profile) string {
	line, _, _ := strings.Cut(profiletest.Readable(p), "\n")
	return line
}

// A delta of the view allocated, which only the parameter seconds can ask for, is a delta that viewers open differently.
func TestADeltaOfWhatWasAllocatedHasTheSamplesOfADelta(t *testing.T) {
	p := start(t, everything)
	middle := profiletest.PlayTaking(t, p.Baseline)
	got := selected(t, p, Selection{View: View{kind: viewAllocated, delta: true, since: middle}})
	if got.DefaultSampleType != "alloc_space" {
		t.Errorf("viewers show %q first", got.DefaultSampleType)
	}
	want := selected(t, p, Selection{View: ViewDelta(middle)})
	got.DefaultSampleType = want.DefaultSampleType
	if profiletest.Readable(got) != profiletest.Readable(want) {
		t.Errorf("got\n%s\nwant\n%s", profiletest.Readable(got), profiletest.Readable(want))
	}
}

// A message about a field of Selection names the parameter that sets it.
func TestFieldsKnowTheirParameters(t *testing.T) {
	valid := map[string]string{"view": "peak", "older": "1s", "within": "1s", "seconds": "1", "heap": "all", "samples": "3", "bytes": "4000",
		"bare": "1", "reset": "1", "gc": "1", "debug": "1"}
	sets := map[string][]string{} // parameters, by the field that they set
	for name, set := range parameters {
		var q query
		if err := set(&q, valid[name]); err != nil {
			t.Fatalf("%s=%s: %v", name, valid[name], err)
		}
		fields := reflect.ValueOf(q.Selection)
		for i := range fields.NumField() {
			if f := fields.Type().Field(i); f.IsExported() && !fields.Field(i).IsZero() {
				sets["Selection."+f.Name] = append(sets["Selection."+f.Name], name)
			}
		}
	}
	for field, names := range sets {
		if !slices.Contains(names, parameterOf[field]) {
			t.Errorf("%s is set by %q, and a message about it names %q", field, names, parameterOf[field])
		}
	}
	for field := range parameterOf {
		if sets[field] == nil {
			t.Errorf("no parameter sets %s", field)
		}
	}
}

func TestSecondsGiveWhatHappenedMeanwhile(t *testing.T) {
	p := start(t, everything)
	profiletest.Garbage(50)
	for meanwhile := false; !meanwhile; { // a busy machine may let the second pass first
		waits, done := make(chan time.Time), make(chan bool)
		ctx := context.WithValue(t.Context(), http.ServerContextKey, &http.Server{WriteTimeout: time.Hour})
		answer := withDeadline{httptest.NewRecorder(), func(at time.Time) { waits <- at }}
		asked := time.Now()
		go func() {
			defer close(done)
			p.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/?seconds=1", nil))
		}()
		<-waits
		profiletest.Garbage(70)
		meanwhile = time.Since(asked) < time.Second
		<-done
		delta := profiletest.Parse(t, answer.Body)
		if got := profiletest.Sum(profiletest.Through(delta, "Garbage")); meanwhile && got != [4]int64{1, 70, 0, 0} {
			t.Errorf("%v", got)
		}
		if covered := time.Duration(delta.DurationNanos); covered < time.Second || covered > time.Since(asked) {
			t.Errorf("it covers %v", covered)
		}
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

// A withDeadline is a server's answer for which a deadline can be set.
type withDeadline struct {
	*httptest.ResponseRecorder
	set func(time.Time)
}

func (w withDeadline) SetWriteDeadline(at time.Time) error {
	w.set(at)
	return nil
}

func TestWriteTimeoutOfTheServerBeginsAfterTheWait(t *testing.T) {
	p := start(t, everything)
	ctx, leave := context.WithCancel(context.WithValue(context.Background(), http.ServerContextKey, &http.Server{WriteTimeout: time.Hour}))
	began, deadlines := time.Now(), 0
	answer := withDeadline{httptest.NewRecorder(), func(at time.Time) {
		deadlines++
		if wait := 10*time.Minute + time.Hour; at.Before(began.Add(wait)) || at.After(time.Now().Add(wait)) {
			t.Errorf("the deadline is %v after the beginning", at.Sub(began))
		}
		leave()
	}}
	p.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(ctx, http.MethodGet, "/?seconds=600", nil))
	if deadlines != 1 {
		t.Errorf("%d deadlines", deadlines)
	}
}

func TestResetForgetsThePeakOnceItIsWritten(t *testing.T) {
	p := start(t, everything)
	profiletest.Spike(1 << 20)
	for _, want := range []int64{1 << 20, 0} {
		got := profiletest.Parse(t, profiletest.Ask(p.Handler(), "view=peak&reset=1").Body)
		if bytes := profiletest.Sum(profiletest.Through(got, "Spike"))[1]; bytes != want {
			t.Errorf("%d bytes at the peak, want %d", bytes, want)
		}
	}
}

func TestInvalidParametersAreRefusedWithASentence(t *testing.T) {
	p := start(t, everything)
	for parameters, want := range map[string]string{
		"view=best":                 `the parameter view is "best": it must be one of inuse, allocated, peak, age, shortlived, growth`,
		"veiw=peak":                 `there is no parameter "veiw"`,
		"view=age&older=long":       `the parameter older is "long": it must be a duration, such as 90s`,
		"older=1s":                  "the parameter older is for the views age and unreachable",
		"view=shortlived&within=2s": "must be one of",
		"view=shortlived&within=0s": `the parameter within is "0s": it must be one of [100ms`,
		"seconds=-1":                "it must be a number from 0 to 86400",
		"seconds=NaN":               "it must be a number from 0 to 86400",
		"seconds=soon":              `the parameter seconds is "soon": it must be a number`,
		"seconds=1&view=peak":       "the parameter seconds does not go with the view peak",
		"view=growth":               "the parameter seconds is needed by the view growth",
		"heap=everything":           "it must be all or native",
		"view=growth&seconds=0":     "the parameter seconds is needed by the view growth",
		"heap=all&view=age":         "the parameter heap does not go with the view age",
		"samples=many":              `the parameter samples is "many": it must be a whole number`,
		"bytes=-5":                  "the parameter bytes is -5; it may not be negative",
		"bytes=10":                  "a profile without samples is longer than 10 bytes",
		"seconds=1;debug=1":         "invalid semicolon",
		"a=%zz":                     `invalid URL escape "%zz"`,
		"bare=perhaps":              `the parameter bare is "perhaps": it must be 1 or 0, true or false`,
		"reset=1":                   "reset goes with view=peak only",
		"debug=much":                `the parameter debug is "much": it must be 1 for text, or 0`,
	} {
		answer := profiletest.Ask(p.Handler(), parameters)
		if answer.Code != http.StatusBadRequest || !strings.Contains(answer.Body.String(), want) {
			t.Errorf("%s: %d %s, want %s", parameters, answer.Code, answer.Body, want)
		}
	}
}
