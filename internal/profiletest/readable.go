package profiletest

import (
	"fmt"
	"strings"

	"github.com/google/pprof/profile"
)

// actors are the functions of the scene.
var actors = map[string]bool{"leak": true, "cache": true, "young": true, "spike": true, "garbage": true}

// Readable prints the scene's part of a profile: functions, values and labels, in the order of the profile.
func Readable(p *profile.Profile) string {
	var b strings.Builder
	for _, v := range p.SampleType {
		fmt.Fprintf(&b, "%s/%s ", v.Type, v.Unit)
	}
	fmt.Fprintf(&b, "default %s, covers time: %t\n", p.DefaultSampleType, p.DurationNanos > 0)
	for _, s := range p.Sample {
		if actor := acting(s); actor != "" {
			fmt.Fprintf(&b, "%8d %-8s %s\n", s.Value, actor, labels(s))
		}
	}
	return b.String()
}

func acting(s *profile.Sample) string {
	for _, name := range Functions(s) {
		_, function, _ := strings.Cut(name, "/internal/profiletest.")
		if actor := strings.ToLower(function); actors[actor] {
			return actor
		}
	}
	return ""
}

func labels(s *profile.Sample) string {
	var list []string
	for _, key := range []string{"age", "bytes"} {
		for i, n := range s.NumLabel[key] {
			list = append(list, fmt.Sprintf("%s=%d %s", key, n, s.NumUnit[key][i]))
		}
	}
	for _, key := range []string{"heap"} {
		for _, text := range s.Label[key] {
			list = append(list, key+"="+text)
		}
	}
	return strings.Join(list, ", ")
}
