package label

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Label is one label of a series.
type Label struct{ Name, Value string }

var name = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)

// DefaultProfile is the profile name that users of Go's memory profiles know.
const DefaultProfile = "memory"

// Series is __name__ and the other labels, by name. Labels without a value are left out, as both servers take them for
// ones that are not there.
func Series(profile string, labels map[string]string) ([]Label, error) {
	if profile == "" {
		profile = DefaultProfile
	}
	if !name.MatchString(profile) {
		return nil, fmt.Errorf("the profile name %q is not letters, digits and '_'", profile)
	}
	list := []Label{{"__name__", profile}}
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		value := labels[key]
		switch {
		case strings.HasPrefix(key, "__"):
			return nil, fmt.Errorf("the label name %q begins with two '_', which servers keep for themselves", key)
		case !name.MatchString(key):
			return nil, fmt.Errorf("the label name %q is not letters, digits and '_'", key)
		case !utf8.ValidString(value):
			return nil, fmt.Errorf("the label %s is not UTF-8: %q", key, value)
		case value != "":
			list = append(list, Label{key, value})
		}
	}
	slices.SortFunc(list, func(a, b Label) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// Recovered is the label of series with profiles of processes that died. Its value is "true".
const Recovered = "recovered"

// WithRecovered returns the labels with Recovered.
func WithRecovered(labels map[string]string) map[string]string {
	more := map[string]string{Recovered: "true"}
	for key, value := range labels {
		if key != Recovered {
			more[key] = value
		}
	}
	return more
}

// Program is the name of the program's file, for a service that was not given a name.
func Program() string { return strings.ToValidUTF8(program, "_") }

// program is read when the program begins, because programs change os.Args.
var program = programName(os.Args)

func programName(arguments []string) string {
	if len(arguments) == 0 || arguments[0] == "" {
		if path, err := os.Executable(); err == nil {
			return filepath.Base(path)
		}
		return "program"
	}
	return filepath.Base(arguments[0])
}
