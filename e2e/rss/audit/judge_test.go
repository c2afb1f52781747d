package audit

import (
	"strings"
	"testing"
)

// good returns a result of two moments in which all holds.
func good() *Result {
	m := func() Moment {
		return Moment{Rounds: 1, Least: 100000, Most: 100500, First: 100200, Last: 100300,
			Lines: map[string]int64{"malloc: in use": 96400, callerUnknown: 3000, unexplained: 1000}}
	}
	return &Result{Asked: 2, Rounds: 5, Moments: []Moment{m(), m()}}
}

func TestFaultsAreFound(t *testing.T) {
	if faults := good().Faults(); len(faults) > 0 {
		t.Errorf("%q in a result that is good", faults)
	}
	for want, spoil := range map[string]func(r *Result){
		"adds up to 101501": func(r *Result) { r.Moments[1].Lines["malloc: in use"] += 1101 },
		"adds up to 98999":  func(r *Result) { r.Moments[1].Lines["malloc: in use"] -= 1401 },
		"94.9 % of account 1": func(r *Result) {
			r.Moments[1].Lines[callerUnknown] += 1100
			r.Moments[1].Lines["malloc: in use"] -= 1100
		},
		"94.8 % of account 0": func(r *Result) { r.Moments[0].Lines[unexplained] += 1250; r.Moments[0].Lines["malloc: in use"] -= 1250 },
		"only 94.4 % of RSS have a name in the mean": func(r *Result) {
			for i := range r.Moments {
				r.Moments[i].Lines[unexplained] += 1625
				r.Moments[i].Lines["malloc: in use"] -= 1625
				r.Moments[i].Faulted = 2000
			}
		},
		"partial: refused":      func(r *Result) { r.Moments[0].Partial = "refused" },
		"1 accounts instead":    func(r *Result) { r.Moments = r.Moments[:1] },
		"in only 0 accounts":    func(r *Result) { r.Moments[0].Most, r.Moments[1].Most = 101000, 101000 },
		"a round in only 0":     func(r *Result) { r.Moments[0].Rounds, r.Moments[1].Rounds = 0, 0 },
		"did nothing meanwhile": func(r *Result) { r.Rounds = 0 },
	} {
		r := good()
		spoil(r)
		if faults := r.Faults(); len(faults) != 1 || !strings.Contains(faults[0], want) {
			t.Errorf("%q, want one with %q", faults, want)
		}
	}
}

// The kernel answers while the load gives memory back and takes other memory, so it may see neither the most nor the least.
func TestWhatBecameResidentMeanwhileMayBeInTheSum(t *testing.T) {
	for _, c := range []struct {
		sum, unnamed, faulted int64
		want                  string
	}{
		{103190, 0, 2000, ""}, {103210, 0, 2000, "adds up to 103210"},
		{97310, 0, 2000, ""}, {97290, 0, 2000, "adds up to 97290"},
		{100000, 6900, 2000, ""}, {100000, 7100, 2000, "92.9 % of account 0"},
	} {
		r := good()
		m := &r.Moments[0]
		m.Faulted, m.Lines = c.faulted, map[string]int64{"malloc: in use": c.sum - c.unnamed, unexplained: c.unnamed}
		r.Moments[1].Lines = map[string]int64{"malloc: in use": 100000}
		if faults := r.Faults(); c.want == "" && len(faults) > 0 || c.want != "" && (len(faults) != 1 || !strings.Contains(faults[0], c.want)) {
			t.Errorf("%+v: %q", c, faults)
		}
	}
}

func TestAtRestNothingIsAllowedForWhatBecameResident(t *testing.T) {
	r := good()
	r.Rest = true
	m := &r.Moments[0]
	m.Faulted, m.Lines = 2000, map[string]int64{"malloc: in use": 101600}
	if faults := r.Faults(); len(faults) != 1 || !strings.Contains(faults[0], "adds up to 101600") {
		t.Errorf("%q", faults)
	}
}

func TestALoadAtRestNeedNotWork(t *testing.T) {
	r := good()
	r.Rest = true
	for i := range r.Moments {
		r.Moments[i].Rounds, r.Moments[i].Most = 0, 200000
	}
	if faults := r.Faults(); len(faults) > 0 {
		t.Errorf("%q", faults)
	}
}

// The rest of the moments may show nothing: they are taken because the machine is busy.
func TestAccountsAreTakenUntilTheyShowSomething(t *testing.T) {
	r := good()
	r.Asked = 20
	for range 18 {
		r.Moments = append(r.Moments, Moment{Least: 100000, Most: 200000})
	}
	if !r.shows() {
		t.Errorf("%d are steady, the load worked in %d", r.Steady(), r.Worked())
	}
	for want, spoil := range map[string]func(m *Moment){
		"moves": func(m *Moment) { m.Most = 200000 }, "does nothing": func(m *Moment) { m.Rounds = 0 },
	} {
		m := r.Moments[0]
		spoil(&r.Moments[0])
		if r.shows() {
			t.Errorf("one that %s is enough", want)
		}
		r.Moments[0] = m
	}
	r.Asked++
	if r.shows() {
		t.Error("too few are enough")
	}
}

func TestWatchHasTheKernelsAnswers(t *testing.T) {
	if w := newWatch().end(); w.err != nil || w.least < 1<<20 || w.most < w.least || w.worked < 0 {
		t.Errorf("%+v", w)
	}
}
