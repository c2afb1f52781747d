package suspects

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// sawing fills at a rate for a period, and is freed as a whole; what is in base stays.
func sawing(rate, size, period, base float64) program {
	return func(r *rand.Rand, minutes float64) (list []life) {
		for range int(base / size) {
			list = append(list, life{died: forever, size: size})
		}
		phase := r.Float64() * period
		arrivals(r, minutes, rate/size, func(at float64) {
			end := phase + period*math.Ceil((at-phase)/period)
			list = append(list, life{born: ticksAt(at), died: ticksAt(end), size: size})
		})
		return list
	}
}

// bursting loses bytes at once, every so many minutes, each time so much longer after the last.
func bursting(bytes, size, every, longer float64) program {
	return func(r *rand.Rand, minutes float64) (list []life) {
		for at := every * r.Float64(); at < minutes; at, every = at+every, every*longer {
			for range int(bytes / size) {
				list = append(list, life{born: ticksAt(at), died: forever, size: size})
			}
		}
		return list
	}
}

// queueing frees the oldest, but less than comes.
func queueing(rate, size, share, meanMinutes float64) program {
	return together(leaking(rate*(1-share), size), churning(rate*share, size, meanMinutes))
}

// all of the blocks, as they are recorded where every allocation is.
func everyOne(all []life) (list []recorded) {
	for _, l := range all {
		list = append(list, recorded{Block{Stack: l.stack, Site: l.stack, Born: l.born, Bytes: l.size, Blocks: 1}, l.died})
	}
	slices.SortFunc(list, func(a, b recorded) int { return int(a.Born) - int(b.Born) })
	return list
}

// inUse returns what is in use at a time, in ticks.
func inUse(all []life, now uint64) (bytes float64) {
	for _, l := range all {
		if l.born < now && l.died > now {
			bytes += l.size
		}
	}
	return bytes
}

// Each kind of history is looked at at each moment of an hour, with every allocation recorded and sampled. What a sentence says must be so of
// what was in use in truth; and what must be said of it is said at so many of the looks.
func TestWhatIsSaidOfAMovementIsSo(t *testing.T) {
	seeds := uint64(few(12, 3))
	for _, c := range []struct {
		name    string
		program program
		from    float64 // minutes, from which on it counts what is said
		said    string  // of the beginning of what is said
		looks   float64 // of which share of them
		never   string  // is in what is said at any look; of these, separated by |
		seldom  string  // is in no more than one look of fifty, from then on
	}{
		{"a steady leak", leaking(2*mib, 2048), 15, "grows", 0.99, "comes and goes|steady,|has not", "it does not grow steadily"},
		{"a leak that is slow", leaking(mib/2, 2048), 30, "grows", 0.99, "comes and goes|has not", "steady,"},
		{"a leak of large blocks", leaking(5*mib, 4*mib), 20, "grows", 0.95, "comes and goes|steady,|has not", ""},
		{"a leak beside churn", together(leaking(2*mib, 2048), churning(8*mib, 2048, 0.5)), 20, "grows", 0.95, "has not", "comes and goes|steady,"},
		{"a sawtooth", sawing(2*mib, 2048, 9, 0), 12, "comes and goes", 0.85, "has not", "steady,|, steadily for"},
		{"a large sawtooth", sawing(20*mib, 16<<10, 9, 0), 12, "comes and goes", 0.95, "has not|steady,", ", steadily for"},
		{"cycles of a collector", sawing(8*mib, 2048, 1.2, 0), 12, "comes and goes", 0.75, "has not", ", steadily for"},
		{"cycles on a base", sawing(2*mib, 2048, 5, 100*mib), 12, "steady", 0.9, "has not|comes|, steadily for", ""},
		{"bursts", bursting(6*mib, 16<<10, 4, 1), 20, "grows|rose by", 0.95, "has not|comes|steady,", ""},
		{"bursts of few", bursting(2*mib, 16<<10, 7, 1), 30, "grows|rose by", 0.8, "comes|steady,", "has not"},
		{"bursts that are ever rarer", bursting(6*mib, 16<<10, 1, 2), 90, "", 0, "comes|steady,|, steadily for", ""},
		{"a step", stepping(20*mib, 16<<10), 60, "has not grown", 0.9, "comes|, steadily for", ""},
		{"a cache that is full after 20 minutes", filling(2*mib, 2048, 40*mib), 40, "", 0, "comes", ""},
		{"a cache that is full after 5 minutes", filling(8*mib, 2048, 40*mib), 8, "", 0, ", steadily for", "comes"},
		{"a queue", queueing(4*mib, 2048, 0.5, 3), 20, "grows|rose by", 0.95, "has not|comes|steady,", ""},
	} {
		for _, exact := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, exact: %v", c.name, exact), func(t *testing.T) {
				if testing.Short() && exact {
					t.Skip("long: make test-all runs it")
				}
				looks, said := 0, 0
				seldom, last := make(map[string]int), ""
				for seed := range seeds {
					r := rand.New(rand.NewPCG(seed, 77))
					all := c.program(r, 62)
					blocks := everyOne(all)
					if !exact {
						blocks = sampled(r, all)
					}
					var moments []float64 // in use in truth, by the moments that are kept
					known := make(map[uint64]float64)
					watch(blocks, 0, 62, func(h *History, _ uint64) {
						list := h.Trends(simTick)
						if len(list) == 0 {
							return
						}
						v := judge(list, nil)[0]
						moments = moments[:0]
						for i := range v.Series {
							ticks := h.moments[len(h.moments)-len(v.Series)+i].ticks
							if _, is := known[ticks]; !is {
								known[ticks] = inUse(all, ticks)
							}
							moments = append(moments, known[ticks])
						}
						text := v.Sentence(Names{Function: "f"}, inMiB)
						_, text, _ = strings.Cut(text, ": ")
						if wrong := untrue(&v, text, moments, exact); wrong != "" {
							t.Errorf("seed %d, %.1f min: %s: %s; %.1f", seed, v.Time.Sub(simStart).Minutes(), wrong, text, inMiBs(moments))
						}
						for _, word := range strings.Split(c.never, "|") {
							if word != "" && strings.Contains(text, word) && v.Bytes > 8*unit(exact) {
								t.Errorf("seed %d, %.1f min, never: %s; %.1f", seed, v.Time.Sub(simStart).Minutes(), text, inMiBs(moments))
							}
						}
						if v.Time.Sub(simStart).Minutes() < c.from {
							return
						}
						looks++
						if slices.ContainsFunc(strings.Split(c.said, "|"), func(begin string) bool { return strings.HasPrefix(text, begin) }) || v.Bytes == 0 {
							said++
						} else {
							last = fmt.Sprintf("seed %d, %.1f min: %s %+v %.1f", seed, v.Time.Sub(simStart).Minutes(), text, v.course, inMiBs(moments))
						}
						for _, word := range strings.Split(c.seldom, "|") {
							if word != "" && strings.Contains(text, word) {
								seldom[word]++
							}
						}
					})
				}
				if float64(said) < c.looks*float64(looks) {
					t.Errorf("%q is said at %d of %d looks; else %s", c.said, said, looks, last)
				}
				for word, n := range seldom {
					if n > looks/50 {
						t.Errorf("%q is said at %d of %d looks", word, n, looks)
					}
				}
				t.Logf("%q is said at %d of %d looks", c.said, said, looks)
			})
		}
	}
}

func unit(exact bool) float64 {
	if exact {
		return 0
	}
	return interval
}

func inMiBs(list []float64) (made []float64) {
	for _, b := range list {
		made = append(made, b/mib)
	}
	return made
}

// untrue returns what of a sentence is not so, for what was in use in truth.
func untrue(v *Verdict, text string, moments []float64, exact bool) string {
	now, first := moments[len(moments)-1], moments[0]
	most, least := slices.Max(moments), slices.Min(moments)
	room := 0.0 // for the error of sampling
	if !exact {
		room = 3.5 * math.Sqrt(interval*(most+interval))
	}
	switch span := v.Time.Sub(v.Since); {
	case strings.HasPrefix(text, "grows") && now-first < v.Growth*span.Minutes()/4-room:
		return "it has less than it grew by"
	case strings.HasPrefix(text, "rose by") && now-first < -room:
		return "it did not"
	case strings.HasPrefix(text, "steady") && most-least > most/2+room:
		return "it is not"
	case strings.HasPrefix(text, "comes and goes") && most-now < (most-least)/4-room && slices.IsSorted(moments):
		return "it only comes"
	case strings.HasPrefix(text, "has not grown since"):
		i := slices.IndexFunc(v.Series, func(m Moment) bool { return !m.Time.Before(v.still) })
		if now-moments[i] > (most-least)/20+room/2 {
			return "it has"
		}
		if v.Time.Sub(v.still) < 8*time.Minute {
			return "that is too early"
		}
	}
	return ""
}
