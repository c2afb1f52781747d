package symbolize

import (
	"cmp"
	"strings"
	"testing"
)

func TestANameIsNeverThatOfCodeThatCameLater(t *testing.T) {
	for about, c := range map[string]struct {
		said string // of one address, from profile to profile: a name, "-" for none, "?" if the list was not read to its end
		want string // the name, "-" for none, "!" if it is known that the code was replaced
	}{
		"always the same":           {"f f f", "f f f"},
		"never":                     {"- - -", "- - -"},
		"other code comes":          {"f g g", "f ! !"},
		"other code comes and goes": {"f g f f", "f ! ! !"},
		"it goes":                   {"f - f", "f ! !"},
		"it comes when stacks were taken already":      {"- f f", "- ! !"},
		"a list that is not read to its end":           {"? f ? f", "- f - f"},
		"a list that is not read to its end, replaced": {"f ? g", "f - !"},
	} {
		t.Run(about, func(t *testing.T) {
			var seen jitSeen
			want := strings.Fields(c.want)
			for i, said := range strings.Fields(c.said) {
				wants := wantsOf(1, 2)
				wants[1].name = []byte("always")
				if said != "-" && said != "?" {
					wants[0].name = []byte(said)
				}
				seen.judge(wants, said != "?")
				got := cmp.Or(string(wants[0].name), "-")
				if wants[0].replaced {
					got = strings.TrimPrefix(got+"!", "-")
				}
				if got != want[i] || string(wants[1].name) != "always" {
					t.Errorf("profile %d: %q, want %q; %q", i, got, want[i], wants[1].name)
				}
			}
		})
	}

	t.Run("addresses that are too many to be remembered have no name", func(t *testing.T) {
		var seen jitSeen
		wants := make([]madeWant, seenLimit+1)
		for range 2 {
			for i := range wants {
				wants[i] = madeWant{address: uint64(i), name: []byte("f")}
			}
			seen.judge(wants, true)
			if wants[seenLimit-1].name == nil || wants[seenLimit].name != nil || len(seen.said) != seenLimit {
				t.Fatalf("%q and %q, %d remembered", wants[seenLimit-1].name, wants[seenLimit].name, len(seen.said))
			}
		}
	})
}
