package dlang

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
)

// filts is c++filt's answers, the second road; nil where there is none that knows D.
func filts(t testing.TB, symbols []string) []string {
	t.Helper()
	command := exec.Command("c++filt", "-s", "dlang")
	command.Stdin = strings.NewReader(strings.Join(symbols, "\n") + "\n")
	output, err := command.Output()
	if err != nil {
		return nil
	}
	return strings.Split(string(bytes.TrimSuffix(output, []byte("\n"))), "\n")
}

// newer are rules that binutils before 2.42 does not know, or reads otherwise on purpose.
var newer = []string{"FBiaZ"}

func filt(t testing.TB, symbol string) (string, bool) {
	t.Helper()
	for _, rule := range newer {
		if strings.Contains(symbol, rule) {
			return "", false
		}
	}
	answers := filts(t, []string{symbol})
	return strings.Join(answers, "\n"), answers != nil
}

// writer makes names by the grammar, with back references where something was written before.
type writer struct {
	*rand.Rand
	strings.Builder
	names, types []int // where they begin
}

func (w *writer) pick(words string) string {
	all := strings.Fields(words)
	return all[w.IntN(len(all))]
}

// back writes a reference to one of the places; false if there is none.
func (w *writer) back(places []int) bool {
	if len(places) == 0 || w.IntN(4) > 0 {
		return false
	}
	distance := w.Len() - places[w.IntN(len(places))]
	digits := string(rune('a' + distance%26))
	for distance /= 26; distance > 0; distance /= 26 {
		digits = string(rune('A'+distance%26)) + digits
	}
	w.WriteString("Q" + digits)
	return true
}

func (w *writer) name() {
	if w.back(w.names) {
		return
	}
	w.names = append(w.names, w.Len())
	word := w.pick("foo bar std push_back a toString opCall Node")
	fmt.Fprintf(&w.Builder, "%d%s", len(word), word)
}

func (w *writer) qualified(depth int) {
	w.name()
	for range w.IntN(3) {
		if depth > 0 && w.IntN(4) == 0 {
			w.template(depth - 1)
		} else {
			w.name()
		}
	}
}

func (w *writer) template(depth int) {
	w.WriteString("__T")
	w.name()
	for range w.IntN(3) {
		switch w.IntN(4) {
		case 0:
			w.WriteString("S")
			w.qualified(depth)
		case 1:
			w.WriteString(w.pick("Vii42 ViN7 Vki9 Vmi1 Vb1 Vai97 Vai10 Vui200 Vwi70000 VAyaa3_616263 VAyww2_6109 Vde8P1 VdeNINF " +
				"VAiA2i1i2 VHiiA1i1i2 VPin"))
		default:
			w.WriteString("T")
			w.typed(depth)
		}
	}
	w.WriteString("Z")
}

func (w *writer) typed(depth int) {
	if w.back(w.types) {
		return
	}
	at := w.Len()
	switch {
	case depth <= 0 || w.IntN(3) == 0:
		w.WriteString(w.pick("v g h s t i k l m f d e b a u w n zi zk"))
		return // too short to be referred to
	case w.IntN(5) == 0:
		w.WriteString(w.pick("C S E"))
		w.qualified(depth - 1)
	case w.IntN(5) == 0:
		w.WriteString(w.pick("PF PU DF DxF"))
		w.parameters(depth - 1)
		w.typed(depth - 1)
	case w.IntN(5) == 0:
		w.WriteString("H")
		w.typed(depth - 1)
		w.typed(depth - 1)
	default:
		w.WriteString(w.pick("A P x y O Ng G7"))
		w.typed(depth - 1)
	}
	w.types = append(w.types, at)
}

func (w *writer) parameters(depth int) {
	w.WriteString(w.pick("Na Nb Nc Nd Ni NaNbNiNf Nj i Aya"))
	for range w.IntN(3) {
		if w.IntN(3) == 0 {
			w.WriteString(w.pick("K J L M I IK MK NkK"))
		}
		w.typed(depth)
	}
	w.WriteString(w.pick("Z Z Z Z X Y"))
}

func randomName(source *rand.Rand) string {
	w := &writer{Rand: source}
	w.WriteString("_D")
	w.qualified(3)
	if w.IntN(3) == 0 {
		w.WriteString("F")
		w.parameters(2)
		w.name()
	}
	if w.IntN(8) > 0 {
		w.WriteString(w.pick("F F F MF MxF MONgF U"))
		w.parameters(3)
	}
	w.typed(2)
	return w.String()
}

func TestRandomNamesAreDemangledAsByBinutils(t *testing.T) {
	source := rand.New(rand.NewPCG(1, 2))
	symbols := make([]string, 20_000)
	for i := range symbols {
		symbols[i] = randomName(source)
	}
	second := filts(t, symbols)
	if second == nil {
		t.Skip("no c++filt that knows D")
	}
	demangled, wrong := 0, 0
	for i, symbol := range symbols {
		want := second[i]
		got, ok := Demangle(symbol, everything)
		if ok {
			demangled++
		} else {
			got = symbol
		}
		if got != want {
			if wrong++; wrong <= 10 {
				t.Errorf("%s\n got  %s\n want %s", symbol, got, want)
			}
		}
	}
	t.Logf("%d of %d demangled, %d otherwise than by c++filt", demangled, len(symbols), wrong)
	if demangled < len(symbols)*9/10 {
		t.Error("too few are demangled")
	}
}

func FuzzADemangledNameIsBounded(f *testing.F) {
	source := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		f.Add(randomName(source), byte(everything))
	}
	f.Fuzz(func(t *testing.T, symbol string, show byte) {
		got, ok := Demangle(symbol, Show(show))
		if ok != (got != "") || len(got) > lengthLimit {
			t.Fatalf("%q: %t, %d bytes", symbol, ok, len(got))
		}
		if again, _ := Demangle(symbol, Show(show)); again != got {
			t.Fatalf("%q, then %q", got, again)
		}
	})
}
