package auto

import (
	"bytes"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
)

// given is an environment of these variables, and what is reported of it.
func given(variables map[string]string) (environment, *bytes.Buffer) {
	var log bytes.Buffer
	var all []string
	for name, value := range variables {
		all = append(all, name+"="+value)
	}
	return newEnvironment(all, slog.New(slog.NewTextHandler(&log, nil))), &log
}

func TestVariablesThatNobodyReadsAreReported(t *testing.T) {
	e, log := given(map[string]string{"CGOHEAP_SAMPEL_BYTES": "1", "CGOHEAP_SIGNAL": "USR2", "CGOHEAP_RUN": "parent=1", "CGOHEAP_BENCH_DIR": "/", "HOME": "/"})
	e.variable("CGOHEAP_SIGNAL")
	if e.reportUnread(); strings.Count(log.String(), "there is no such variable") != 1 || !strings.Contains(log.String(), "variable=CGOHEAP_SAMPEL_BYTES") {
		t.Error(log)
	}
}

func TestBytes(t *testing.T) {
	for value, want := range map[string]int64{"": 7, "1": 1, "512KiB": 512 << 10, "1.5 MiB": 3 << 19, "2GiB": 2 << 30, " 5B ": 5, "0": 0} {
		e, log := given(map[string]string{"X": value})
		if got := e.bytes("X", 7); got != want || log.Len() > 0 {
			t.Errorf("%q: %d, want %d %s", value, got, want, log)
		}
	}
	for _, value := range []string{"many", "-1", "0.5", "1.0001KiB", "NaN", "Inf", "1e30", "5MB", "KiB"} {
		e, log := given(map[string]string{"X": value})
		if got := e.bytes("X", 7); got != 7 || !strings.Contains(log.String(), "variable=X") {
			t.Errorf("%q: %d %s", value, got, log)
		}
	}
}

func TestFlag(t *testing.T) {
	for value, want := range map[string]bool{"on": true, "1": true, "True": true, "yes": true, "off": false, "0": false, "no": false} {
		for _, otherwise := range []bool{true, false} {
			e, log := given(map[string]string{"X": value})
			if got := e.flag("X", otherwise); got != want || log.Len() > 0 {
				t.Errorf("%q: %t %s", value, got, log)
			}
		}
	}
	e, log := given(map[string]string{"X": "perhaps"})
	if !e.flag("X", true) || log.Len() == 0 {
		t.Errorf("an invalid value: %s", log)
	}
}

func TestShare(t *testing.T) {
	for value, want := range map[string]float64{"": 0, "0.8": 0.8, "80%": 0.8, "1": 1} {
		e, log := given(map[string]string{"X": value})
		if got := e.share("X"); got != want || log.Len() > 0 {
			t.Errorf("%q: %v %s", value, got, log)
		}
	}
	for _, value := range []string{"0", "80", "-0.1", "NaN", "%"} {
		e, log := given(map[string]string{"X": value})
		if got := e.share("X"); got != 0 || log.Len() == 0 {
			t.Errorf("%q: %v", value, got)
		}
	}
}

func TestSignals(t *testing.T) {
	usr1, err := parseSignal("USR1")
	if err != nil {
		t.Skip(err)
	}
	for value, want := range map[string][]os.Signal{"": defaultSignals(), "none": nil, "off": nil, "No": nil, "SIGUSR1": {usr1}, "usr1": {usr1}, "10": {usr1}} {
		e, log := given(map[string]string{"X": value})
		if got := e.signals("X"); !slices.Equal(got, want) || log.Len() > 0 {
			t.Errorf("%q: %v %s", value, got, log)
		}
	}
	for _, value := range []string{"KILL", "SIGSTOP", "9", "0", "-3", "99", "LATER", "URG", "PROF", "32", "33", "34"} {
		e, log := given(map[string]string{"X": value})
		if got := e.signals("X"); !slices.Equal(got, defaultSignals()) || log.Len() == 0 {
			t.Errorf("%q: %v", value, got)
		}
	}
}
