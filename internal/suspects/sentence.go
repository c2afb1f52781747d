package suspects

import (
	"fmt"
	"strings"
	"time"
)

// Names are what a stack is called in a sentence.
type Names struct {
	Function, File string // the innermost function that allocates for itself, and its file
	Line           int
	By             string // the functions by which stacks differ whose other names are the same
	Entry          string // the function that Go called; "" if that is the same, or there is none
	Caller         string // the Go function; "" if there is none
	Pool           string // a function that may cut its blocks into smaller ones; "" if none is known to
	Device         string // of Device
}

// String returns the function as the subject of a sentence.
func (n Names) String() string {
	text := "`" + n.Function + "`"
	if n.File != "" {
		text += fmt.Sprintf(" (%s:%d)", n.File, n.Line)
	}
	text += n.By
	if n.Entry != "" {
		text += " in " + n.Entry
	}
	if n.Caller != "" && n.Caller != n.Function {
		text += ", called from " + n.Caller
	}
	return text
}

// Sentence says what is known of the stack, for a person. Format formats an estimate of bytes with half of its
// interval.
func (v *Verdict) Sentence(n Names, format func(value, half float64) string) string {
	if v.Thing != nil {
		return v.outsideSentence(n, format)
	}
	parts := []string{v.movement(format)}
	if f := v.Finding; f != nil && v.Bytes > 0 {
		parts = append(parts, f.String())
	}
	return v.memory(n) + n.String() + ": " + strings.Join(parts, ", ") + v.conclusion(format) + v.tooFew() + v.cut(n.Pool)
}

// memory says before the stack's name that it is memory of a device; "" for malloc's.
func (v *Verdict) memory(n Names) string {
	switch {
	case v.Kind() != Device:
		return ""
	case n.Pool != "":
		return "segments of a pool in device memory (" + n.Device + ") of "
	}
	return "device memory (" + n.Device + ") of "
}

// cut says of blocks that are held, and that a pool may cut into smaller ones, that some of those may be lost.
func (v *Verdict) cut(pool string) string {
	if pool == "" || v.Finding == nil || v.Bytes == 0 || v.mayLeak() || v.Class == Unheld {
		return ""
	}
	return fmt.Sprintf("; `%s` may cut them into smaller ones, and which of those are lost is not known", pool)
}

func (v *Verdict) movement(format func(value, half float64) string) string {
	since := " since " + v.Since.UTC().Format("15:04 MST")
	inUse := format(v.Bytes, v.BytesError) + " in use"
	switch {
	case v.Bytes == 0:
		return "nothing in use any more"
	case v.Moments < 2:
		return inUse + ", seen once"
	case v.fell:
		return v.ebb(format) + inUse
	case v.climbs() && (v.Class == Unsure || v.Class == Unheld) && v.slows():
		last := len(v.Series) - 1
		return fmt.Sprintf("rose by %s%s, %s", format(v.Series[last].Bytes-v.Series[0].Bytes, v.apart(0, last)), since, inUse)
	case v.climbs():
		return fmt.Sprintf("grows %s/min%s, %s", format(v.Growth, v.GrowthError), since, inUse)
	case v.rises() && !v.still.IsZero() && !v.ebbs:
		return fmt.Sprintf("has not grown since %s, %s", v.still.UTC().Format("15:04 MST"), inUse)
	case v.early(), !v.level():
		return inUse
	}
	return "steady, " + inUse
}

// ebb says when most was in use of what was freed.
func (v *Verdict) ebb(format func(value, half float64) string) string {
	most := fmt.Sprintf("%s in use at %s, ", format(v.Series[v.peak].Bytes, v.peakError()), v.Series[v.peak].Time.UTC().Format("15:04 MST"))
	switch {
	case !v.rose:
		return "fell from " + most
	case v.peak == len(v.Series)-1:
		return "comes and goes, "
	}
	return "comes and goes, most " + most
}

// conclusion says no more than is known: that nothing was found that points to blocks is no proof that they are lost.
func (v *Verdict) conclusion(format func(value, half float64) string) string {
	hidden := hidden
	if v.Finding != nil && v.Finding.Unread > 0 {
		hidden = fmt.Sprintf("or its addresses lie in the %s that could not be looked at", format(float64(v.Finding.Unread), 0))
	}
	span := v.Time.Sub(v.Since).Round(time.Minute)
	switch {
	case v.Bytes == 0:
		return ""
	case v.mayLeak() && v.Finding.Unreachable < 0.95 && v.Finding.Name != "":
		return ": a leak, " + hidden + "; what still seems reachable may be lost, too, because an old pointer looks like one in use"
	case v.mayLeak():
		return ": a leak, " + hidden
	case v.Class == Unheld && v.climbs():
		return ": lost, " + hidden + "; it does not grow steadily, or not for long enough to tell"
	case v.Class == Unheld || v.unheld() >= unheldSteady:
		return ": lost, " + hidden + v.tooEarly("; ")
	case v.early():
		return v.tooEarly(": ")
	case v.Class == Grows && v.Finding == nil:
		return fmt.Sprintf(", steadily for %.0f min, and hardly any is freed: it is not known whether anything still points to it", span.Minutes())
	case v.Class == Grows && v.Finding.Freed:
		return ": " + unbounded + ", or a leak beside those"
	case v.Class == Grows && (v.Finding.Open >= unheldShare || v.Finding.doubtful()):
		return ", and hardly any is freed: a leak, or " + unbounded
	case v.Class == Grows && v.open():
		return fmt.Sprintf(", and hardly any is freed: a leak, or %s: when pointers were looked for, at %s, too few blocks were seen to tell",
			unbounded, v.Finding.When.UTC().Format("15:04 MST"))
	case v.Class == Grows && v.Finding.Note != "":
		return ", and hardly any is freed"
	case v.Class == Grows:
		return ", and hardly any is freed: " + unbounded
	case v.Class == Queue:
		return fmt.Sprintf(", steadily for %.0f min, though %.0f %% of what lasts is freed: a queue or cache that fills faster than it drains",
			span.Minutes(), 100*v.Freed)
	case v.Class == Unsure:
		return "; it does not grow steadily, or not for long enough to tell"
	case v.Moments >= 8 && v.Freed > mostFreed && v.fell:
		return ": a cache or work in progress"
	case v.Moments >= 8 && v.Freed > mostFreed:
		return ", its blocks come and go: a cache or work in progress"
	}
	return ""
}

// mayLeak reports whether it grows steadily, and nothing was found that points to a good part of it.
func (v *Verdict) mayLeak() bool {
	return v.Class == Leak || v.Class == Grows && v.unheld() >= unheldShare
}

// open reports whether a good part may be lost, as far as was found.
func (v *Verdict) open() bool { return v.Finding.Unreachable+v.Finding.Error >= unheldShare }

// tooFew says that what has no pointer proves nothing, where nothing else does.
func (v *Verdict) tooFew() string {
	f := v.Finding
	if f == nil || v.Bytes == 0 || f.Freed || f.Unreachable < leastSaid || !f.few() || v.Class == Grows && v.open() {
		return ""
	}
	return "; too few blocks were seen to tell what is lost"
}

// leastSaid is the least share of which it is said that no pointer was found.
const leastSaid = 0.005

// hidden is what else it may be that nothing was found which points to blocks: docs/reach.md lists what is not seen.
const hidden = "or its pointers are hidden"

const unbounded = "a cache, list or pool without a bound, or one that still fills"

// tooEarly says after a mark that it is too early to say that it does not grow, if it is.
func (v *Verdict) tooEarly(mark string) string {
	if !v.early() || v.fell {
		return ""
	}
	return fmt.Sprintf("%safter %v it is too early to tell whether it grows", mark, v.Time.Sub(v.Since).Round(time.Second))
}

// String says what was found.
func (f *Finding) String() string {
	lost := "no pointer found to " + percent(f.Unreachable, f.Error)
	held := f.Holder.String()
	unnamed := held == ""
	if unnamed {
		held = "reachable"
	}
	if f.doubtful() {
		held += numbers
	}
	switch {
	case f.Freed:
		return lost + ", though such blocks were freed, so pointers to some are hidden"
	case f.Open >= leastSaid:
		return f.open(lost, held)
	case f.Unreachable < leastSaid:
		return held
	case unnamed && !f.doubtful() || f.Unreachable >= 0.95:
		return lost
	}
	return lost + ", the rest " + held
}

// numbers is said where so much may be held by numbers only that the rest of the sentence would be another.
const numbers = ", or only from numbers that look like pointers, as malloc's heap lies below 4 GiB (not so in a position-independent program)"

// doubtful reports whether what is held by what may be numbers could be another class of what is lost.
func (f *Finding) doubtful() bool { return f.Doubt >= unheldShare }

// open says where the addresses lie of blocks of which it is not known whether they are lost, and what is known of others.
func (f *Finding) open(lost, held string) string {
	var parts []string
	if f.Unreachable >= leastSaid {
		parts = append(parts, lost)
	}
	if f.Open >= 0.995 {
		parts = append(parts, "its addresses lie in "+f.OpenIn+", so whether it is lost is not known")
	} else {
		parts = append(parts, "the addresses of "+percent(f.Open, f.OpenError)+" lie in "+f.OpenIn+", so whether those are lost is not known")
	}
	if f.Unreachable+f.Open < 0.995 && f.Holder.Open == "" {
		parts = append(parts, "the rest "+held)
	}
	return strings.Join(parts, ", ")
}

// ThroughGo ends the name of a holder or root from which the pointers lead on through Go's heap.
const ThroughGo = ", through Go's heap"

// Unknown is the name of memory of which nobody knows what it is, such as what was mapped by a call that was not recorded.
const Unknown = "memory of unknown origin"

// String says what the holder is; "" if it is not known.
func (h Holder) String() string {
	switch {
	case h.Name == "":
		return ""
	case h.Name == Unknown:
		return "reachable, and it is not known from where"
	case h.Root == Unknown:
		return "reachable from " + quoted(h.Name) + ", and it is not known what leads there"
	}
	text, note := "reachable from ", h.Note
	if note != "" {
		note = ", " + note
	}
	if h.Root == "" {
		return text + quoted(h.Name) + note
	}
	root, inGo := strings.CutSuffix(h.Root, ThroughGo)
	if text += quoted(root) + note; inGo {
		return text + ThroughGo + " and " + quoted(h.Name)
	}
	if strings.Contains(text, ", ") {
		text += ","
	}
	return text + " through " + quoted(h.Name)
}

// quoted marks what the program calls a holder.
func quoted(holder string) string {
	holder, inGo := strings.CutSuffix(holder, ThroughGo)
	for _, kind := range []string{"global ", "Go variable ", "finalizer or cleanup ", "a block allocated in "} {
		if name, found := strings.CutPrefix(holder, kind); found {
			holder = kind + "`" + name + "`"
			break
		}
	}
	if inGo {
		holder += ThroughGo
	}
	return holder
}

func percent(share, half float64) string {
	if half < 0.005 {
		return fmt.Sprintf("%.0f %%", 100*share)
	}
	return fmt.Sprintf("%.0f ± %.0f %%", 100*share, 100*half)
}
