package auto

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/cgoheap/cgoheap/internal/report"
)

// environment reads variables. An invalid value is reported and replaced by the default.
type environment struct {
	all  []string        // as os.Environ returns them
	read map[string]bool // the names of the variables that were looked up
	log  *slog.Logger
}

func newEnvironment(all []string, log *slog.Logger) environment {
	return environment{all, make(map[string]bool), log}
}

// quiet returns the same variables, for one that is read a second time: an invalid value is reported once.
func (e environment) quiet() environment {
	e.log = slog.New(slog.DiscardHandler)
	return e
}

// variable returns the value of the last variable of that name; "" if there is none.
func (e environment) variable(name string) (value string) {
	e.read[name] = true
	for _, v := range e.all {
		if text, found := strings.CutPrefix(v, name+"="); found {
			value = text
		}
	}
	return value
}

// ofOthers are variables of this package's prefix that others read: cgoheap run sets the first for all that its program starts, and
// nativebench reads the second.
var ofOthers = strings.Fields("CGOHEAP_RUN CGOHEAP_BENCH_DIR")

// reportUnread reports variables of this package's prefix that nobody reads: their names are misspelt.
func (e environment) reportUnread() {
	for _, v := range e.all {
		name, _, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "CGOHEAP") && !e.read[name] && !slices.Contains(ofOthers, name) {
			e.log.Warn("cgoheap: there is no such variable", slog.String("variable", name))
		}
	}
}

func (e environment) text(name, otherwise string) string {
	if value := e.variable(name); value != "" {
		return value
	}
	return otherwise
}

// parsed returns the value of a variable as parse reads it. An error of parse says what the value must be. A T prints as a
// variable may have it, or as "" if the default is to do nothing.
func parsed[T any](e environment, name string, otherwise T, parse func(string) (T, error)) T {
	value := strings.TrimSpace(e.variable(name))
	if value == "" {
		return otherwise
	}
	result, err := parse(value)
	if err != nil {
		attrs := []any{slog.String("variable", name), slog.String("value", value), slog.Any("error", err)}
		if text := fmt.Sprint(otherwise); text != "" {
			attrs = append(attrs, slog.String("default", text))
		}
		e.log.Warn("cgoheap: a variable is invalid", attrs...)
		return otherwise
	}
	return result
}

// onOff is a flag that is printed as a variable may have it.
type onOff bool

func (on onOff) String() string {
	if on {
		return "on"
	}
	return "off"
}

func (e environment) flag(name string, otherwise bool) bool {
	return bool(parsed(e, name, onOff(otherwise), func(value string) (onOff, error) {
		switch strings.ToLower(value) {
		case "off", "no":
			return false, nil
		case "on", "yes":
			return true, nil
		}
		if on, err := strconv.ParseBool(value); err == nil {
			return onOff(on), nil
		}
		return false, errors.New("it must be on or off, yes or no, true or false, 1 or 0")
	}))
}

func (e environment) number(name string, otherwise int64) int64 {
	return parsed(e, name, otherwise, func(value string) (int64, error) {
		n, err := strconv.ParseInt(value, 10, 32)
		if err != nil || n < 0 {
			return 0, fmt.Errorf("it must be a whole number from 0 to %d", math.MaxInt32)
		}
		return n, nil
	})
}

// byteCount is a number of bytes that is printed as a variable may have it.
type byteCount int64

func (n byteCount) String() string {
	if n == 0 {
		return ""
	}
	for i, suffix := range []string{"GiB", "MiB", "KiB"} {
		if unit := byteCount(1) << (30 - 10*i); n%unit == 0 {
			return strconv.FormatInt(int64(n/unit), 10) + suffix
		}
	}
	return strconv.FormatInt(int64(n), 10)
}

func (e environment) bytes(name string, otherwise int64) int64 {
	return int64(parsed(e, name, byteCount(otherwise), parseBytes))
}

func parseBytes(value string) (byteCount, error) {
	n, err := report.ParseBytes(value)
	return byteCount(n), err
}

// portion is a share; 0 prints as none.
type portion float64

func (p portion) String() string {
	if p == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(p), 'g', -1, 64)
}

// share accepts 0.8 and 80%.
func (e environment) share(name string) float64 {
	return float64(parsed(e, name, 0, func(value string) (portion, error) {
		number, percent := strings.CutSuffix(value, "%")
		n, err := strconv.ParseFloat(number, 64)
		if percent {
			n /= 100
		}
		if err != nil || !(n > 0 && n <= 1) {
			return 0, errors.New("it must be a share, such as 0.8 or 80%")
		}
		return portion(n), nil
	}))
}

// signalList prints as the names of its signals.
type signalList []os.Signal

func (list signalList) String() string {
	names := make([]string, len(list))
	for i, s := range list {
		names[i] = signalName(s)
	}
	return strings.Join(names, " ")
}

func (e environment) signals(name string) []os.Signal {
	return parsed(e, name, signalList(defaultSignals()), func(value string) (signalList, error) {
		switch strings.ToLower(value) {
		case "none", "off", "no":
			return nil, nil
		}
		s, err := parseSignal(value)
		return signalList{s}, err
	})
}

// leastLevel prints as "" if there is none.
type leastLevel struct{ level *slog.Level }

func (l leastLevel) String() string {
	if l.level == nil {
		return ""
	}
	return l.level.String()
}

// level returns the least level to report; nil leaves that to the program's logger.
func (e environment) level(name string) *slog.Level {
	return parsed(e, name, leastLevel{}, func(value string) (leastLevel, error) {
		l, err := parseLevel(value)
		return leastLevel{l}, err
	}).level
}
