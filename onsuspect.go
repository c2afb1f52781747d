package cgoheap

import (
	"errors"
	"log/slog"
	"slices"

	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/internal/suspects"
)

// newAlarm returns what calls Config.OnSuspect; nil if there is nothing to call.
func (p *Profiler) newAlarm() *suspects.Alarm {
	if p.config.OnSuspect == nil {
		return nil
	}
	return suspects.NewAlarm(func() []suspects.Verdict { return verdicts(p.suspects) }, p.tellings, p.failed)
}

// verdicts are those that an alarm judges by. Tests replace it, as a leak takes minutes.
var verdicts = (*suspects.Watch).Verdicts

// tellings returns the calls of Config.OnSuspect for these verdicts; nil for one whose stack has no sample any more. Each is called
// what tells it from all suspects, those that were told before among them.
func (p *Profiler) tellings(news []suspects.Verdict) []func() {
	defer p.recording.Reading()()
	calls := make([]func(), len(news))
	isNews := func(v suspects.Verdict) bool {
		return slices.ContainsFunc(news, func(told suspects.Verdict) bool { return told.Site == v.Site })
	}
	all := slices.Concat(news, slices.DeleteFunc(verdicts(p.suspects), isNews))
	snapshot, err := p.stacksOf(all)
	if err != nil { // after Stop
		return calls
	}
	for i, one := range p.described(p.shown(snapshot, all), devicesIn(snapshot), all)[:len(news)] {
		if one != nil {
			calls[i] = func() { p.tell(*one) }
		}
	}
	return calls
}

// tell calls Config.OnSuspect, which is the host's.
func (p *Profiler) tell(s Suspect) {
	err := background.Guard("Config.OnSuspect", func() { p.config.OnSuspect(s) })
	if caught := (*background.Panic)(nil); errors.As(err, &caught) {
		log := func() {
			p.config.Logger.Error("cgoheap: a function of the program panicked", slog.Any("error", caught), slog.String("stack", caught.Stack))
		}
		_ = background.Guard("the report", log) // there is nobody else to tell
	}
}
