package dlang

import (
	"strings"
	"testing"
)

const everything = TemplateArguments | Parameters

// Names by the grammar, rule by rule.
func TestEachRuleOfTheGrammarIsReadAsItSays(t *testing.T) {
	for symbol, want := range map[string]string{
		"_Dmain":                     "D main",
		"_D3foo3barFZv":              "foo.bar()",
		"_D3foo3barFiZv":             "foo.bar(int)",
		"_D3foo3bari":                "foo.bar",
		"_D3foo3Bar6__ctorMFiZCQuQs": "foo.Bar.this(int)",
		"_D3foo3Bar6__dtorMFZv":      "foo.Bar.~this()",
		"_D3foo3Bar10__postblitMFZv": "foo.Bar.this(this)",
		"_D3foo3Bar6__initZ":         "initializer for foo.Bar",
		"_D3foo3Bar6__vtblZ":         "vtable for foo.Bar",
		"_D3foo3Bar7__ClassZ":        "ClassInfo for foo.Bar",
		"_D3foo11__InterfaceZ":       "Interface for foo",
		"_D3foo12__ModuleInfoZ":      "ModuleInfo for foo",
		// functions
		"_D3foo3barMxFZv":       "foo.bar() const",
		"_D3foo3barMOxFZv":      "foo.bar() shared const",
		"_D3foo3barMNgFZv":      "foo.bar() inout",
		"_D3foo3barFNaNbNiNfZv": "foo.bar()",
		"_D3foo3barFiYv":        "foo.bar(int, ...)",
		"_D3foo3barFAiXv":       "foo.bar(int[]...)",
		"_D3foo3barUiZv":        "foo.bar(int)",
		"_D3foo3barFKiJkLaIbZv": "foo.bar(ref int, out uint, lazy char, in bool)",
		"_D3foo3barFMNkPiZv":    "foo.bar(scope return int*)",
		"_D3foo3barFiZ3bazFkZv": "foo.bar(int).baz(uint)",
		"_D3foo4__S13barFZv":    "foo.bar()",
		"_D3foo03barFZv":        "foo.bar()",
		// types
		"_D3foo3barFghstiklmfdeabuwvnZv": "foo.bar(byte, ubyte, short, ushort, int, uint, long, ulong, float, double, real, " +
			"char, bool, wchar, dchar, void, typeof(null))",
		"_D3foo3barFopjqrczizkZv":       "foo.bar(ifloat, idouble, ireal, cfloat, cdouble, creal, cent, ucent)",
		"_D3foo3barFAyaZv":              "foo.bar(immutable(char)[])",
		"_D3foo3barFG16hZv":             "foo.bar(ubyte[16])",
		"_D3foo3barFHAyaiZv":            "foo.bar(int[immutable(char)[]])",
		"_D3foo3barFxPyOaZv":            "foo.bar(const(immutable(shared(char))*))",
		"_D3foo3barFNgiNhG4fNnZv":       "foo.bar(inout(int), __vector(float[4]), typeof(*null))",
		"_D3foo3barFPFiZaZv":            "foo.bar(char(int) function)",
		"_D3foo3barFPUNbiZaZv":          "foo.bar(extern(C) char(int) nothrow function)",
		"_D3foo3barFDxFNaZiZv":          "foo.bar(int() pure delegate const)",
		"_D3foo3barFB2iaZv":             "foo.bar(Tuple!(int, char))",
		"_D3foo3barFBiaZZv":             "foo.bar(Tuple!(int, char))",
		"_D3foo3barFS3std5range4NodeZv": "foo.bar(std.range.Node)",
		// templates
		"_D3foo__T3barTiZ3bazFiZv":                   "foo.bar!(int).baz(int)",
		"_D3foo10__T3barTiZ3bazFiZv":                 "foo.bar!(int).baz(int)",
		"_D3foo__U3barS3std4pathZv":                  "foo.bar!(std.path)",
		"_D3foo__T3barS_D3std4pathFZvZv":             "foo.bar!(std.path())",
		"_D3foo__T3barX8_ZN3abcEZv":                  "foo.bar!(_ZN3abcE)",
		"_D3foo__T3barHTiTaZv":                       "foo.bar!(int, char)",
		"_D3foo__T3barVii42VkN1Vmi7Vb1Vb0Zv":         "foo.bar!(42, -1u, 7uL, true, false)",
		"_D3foo__T3barVai97Vai10Vui8364Vwi128512Zv":  `foo.bar!('a', '\x0a', '\u20ac', '\U0001f600')`,
		"_D3foo__T3barVAyaa4_616209c3Zv":             `foo.bar!("ab\t\xc3")`,
		"_D3foo__T3barVAyww1_61Zv":                   `foo.bar!("a"w)`,
		"_D3foo__T3barVde8P1VdeN8PN1VdeNANVdeNINFZv": "foo.bar!(0x8.p1, -0x8.p-1, NaN, -Inf)",
		"_D3foo__T3barVrc8P1c4P2Zv":                  "foo.bar!(0x8.p1+0x4.p2i)",
		"_D3foo__T3barVAiA2i1i2Zv":                   "foo.bar!([1, 2])",
		"_D3foo__T3barVHiiA2i1i2i3i4Zv":              "foo.bar!([1:2, 3:4])",
		"_D3foo__T3barVS3foo1XS2i1nZv":               "foo.bar!(foo.X(1, null))",
		"_D3foo__T3barVPFZvf_D3foo3bazFZvZv":         "foo.bar!(foo.baz())",
		// back references: of a name, of a type
		"_D3foo3bar__TQhTiZQmFZv": "foo.bar.bar!(int).bar()",
		"_D3foo3barFS3foo1XQhZv":  "foo.bar(foo.X, foo.X)",
	} {
		got, ok := Demangle(symbol, everything)
		if got != want || !ok {
			t.Errorf("%s\n got  %s\n want %s", symbol, got, want)
		}
		if second, known := filt(t, symbol); known && second != want {
			t.Errorf("%s\n want %s\n but c++filt says %s", symbol, want, second)
		}
	}
}

func TestAsMuchIsShownAsIsAskedFor(t *testing.T) {
	const symbol = "_D3std5array__T8AppenderTAyaZQo3putMxFAyaZ5innerFiZv"
	for show, want := range map[Show]string{
		0:                 "std.array.Appender.Appender.put.inner",
		TemplateArguments: "std.array.Appender!(immutable(char)[]).Appender.put.inner",
		everything:        "std.array.Appender!(immutable(char)[]).Appender.put(immutable(char)[]) const.inner(int)",
	} {
		if got, ok := Demangle(symbol, show); !ok || got != want {
			t.Errorf("%d: %s, want %s", show, got, want)
		}
	}
}

func TestWhatIsNotOfTheGrammarIsNotDemangled(t *testing.T) {
	const good = "_D3foo__T3barVAyaa3_616263Z3bazFAyaQfZv"
	for _, symbol := range []string{
		"", "_D", "_Dfoo", "_D0", "main", "_ZN3fooE", "_D3fo", "_D99999999999999999999foo", "_D3fooQa", "_D3foo3barFZ",
		"_D3foo__T3barVii42", "_D3foo__T3barZ", "_D3foo9__T3barTiZ3bazFiZv", "_D3foo__T3barVAyaa9_61Zv", "_D3foo__T3barVAyaa1_gZv",
		"_D3foo3barFZvv", "_D3fooFB99999iZv", "_D3foo__T3barVai99999999999Zv", good[:len(good)-1], good + "v",
		"_D3foo3barF" + strings.Repeat("A", 300) + "iZv",
	} {
		if got, ok := Demangle(symbol, everything); ok || got != "" {
			t.Errorf("%s: %q", symbol, got)
		}
	}
}

func TestANameThatExpandsWithoutEndIsGivenUp(t *testing.T) {
	symbol := "_D3foo__T1aTiZ"
	for range 64 { // each refers twice to the one before
		symbol += "__T1aTS3fooQiTS3fooQnZ"
	}
	if got, ok := Demangle(symbol+"v", everything); ok {
		t.Errorf("%d bytes", len(got))
	}
}
