package auto

import (
	"fmt"
	"log/slog"
	"math"
	"os"
	"strconv"
	"strings"
)

// environment reads variables. One that makes no sense is reported, and its default holds.
type environment struct {
	all  []string        // as os.Environ gives them
	read map[string]bool // the names of those that were asked for
	log  *slog.Logger
}

func newEnvironment(all []string, log *slog.Logger) environment {
	return environment{all, make(map[string]bool), log}
}

// variable is the value of the last one of that name; "" if there is none.
func (e environment) variable(name string) (value string) {
	e.read[name] = true
	for _, v := range e.all {
		if text, found := strings.CutPrefix(v, name+"="); found {
			value = text
		}
	}
	return value
}

// reportUnread reports variables of this package's prefix that nobody asked for: nobody would else see that a name is
// misspelt.
func (e environment) reportUnread() {
	for _, v := range e.all {
		name, _, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "CGOHEAP") && !e.read[name] {
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

// parsed gives what parse makes of a variable.
func parsed[T any](e environment, name string, otherwise T, parse func(string) (T, error)) T {
	value := strings.TrimSpace(e.variable(name))
	if value == "" {
		return otherwise
	}
	result, err := parse(value)
	if err != nil {
		e.log.Warn("cgoheap: a variable makes no sense", slog.String("variable", name), slog.String("value", value), slog.Any("error", err))
		return otherwise
	}
	return result
}

func (e environment) flag(name string, otherwise bool) bool {
	return parsed(e, name, otherwise, func(value string) (bool, error) {
		switch strings.ToLower(value) {
		case "off", "no":
			return false, nil
		case "on", "yes":
			return true, nil
		}
		return strconv.ParseBool(value)
	})
}

func (e environment) number(name string, otherwise int64) int64 {
	return parsed(e, name, otherwise, func(value string) (int64, error) { return atLeastZero(strconv.ParseInt(value, 10, 32)) })
}

func atLeastZero(n int64, err error) (int64, error) {
	if err == nil && n < 0 {
		return 0, fmt.Errorf("it is negative")
	}
	return n, err
}

// units are what a number of bytes may end in.
var units = []struct {
	suffix string
	bytes  float64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"B", 1}, {"", 1}}

func (e environment) bytes(name string, otherwise int64) int64 {
	return parsed(e, name, otherwise, parseBytes)
}

func parseBytes(value string) (int64, error) {
	for _, u := range units {
		number, found := strings.CutSuffix(value, u.suffix)
		if !found {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil {
			return 0, err
		}
		if n *= u.bytes; n < 0 || n != math.Trunc(n) || n > 1<<53 {
			return 0, fmt.Errorf("it is not a number of bytes")
		}
		return int64(n), nil
	}
	return 0, nil // not reached: the last unit is empty
}

// share takes 0.8 and 80%.
func (e environment) share(name string) float64 {
	return parsed(e, name, 0, func(value string) (float64, error) {
		number, percent := strings.CutSuffix(value, "%")
		n, err := strconv.ParseFloat(number, 64)
		if percent {
			n /= 100
		}
		if err == nil && !(n > 0 && n <= 1) {
			return 0, fmt.Errorf("it is not a share from 0 to 1")
		}
		return n, err
	})
}

func (e environment) signals(name string) []os.Signal {
	return parsed(e, name, defaultSignals(), func(value string) ([]os.Signal, error) {
		switch strings.ToLower(value) {
		case "none", "off", "no":
			return nil, nil
		}
		s, err := parseSignal(value)
		return []os.Signal{s}, err
	})
}

// level is the least level that is reported; nil if it is for the program's logger to say.
func (e environment) level(name string) *slog.Level {
	return parsed(e, name, nil, parseLevel)
}
