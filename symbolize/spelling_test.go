package symbolize

import (
	"debug/elf"
	"slices"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/mappings"
)

func TestAPlainNameIsShownInTheStyle(t *testing.T) {
	for name, want := range map[string]struct{ templates, short, base string }{
		"take":           {"take", "take", "take"},
		"take<int>":      {"take<int>", "take", "take"},
		"take<long int>": {"take<long>", "take", "take"},
		"a::take<long long unsigned int, short unsigned int>": {"a::take<unsigned long long, unsigned short>", "a::take", "take"},
		"(anonymous namespace)::take<std::vector<long int> >": {
			"(anonymous namespace)::take<std::vector<long> >", "(anonymous namespace)::take", "take"},
		"Cage<long int, 3>::label":         {"Cage<long, 3>::label", "Cage::label", "label"},
		"Pool::operator< <long int>":       {"Pool::operator< <long>", "Pool::operator<", "operator<"},
		"Pool::operator<< <int>":           {"Pool::operator<< <int>", "Pool::operator<<", "operator<<"},
		"Pool::operator->":                 {"Pool::operator->", "Pool::operator->", "operator->"},
		"Box<int>::operator()<long int>":   {"Box<int>::operator()<long>", "Box::operator()", "operator()"},
		"Pool::operator long int":          {"Pool::operator long", "Pool::operator long", "operator "},
		"Pool::operator std::vector<int>":  {"Pool::operator std::vector<int>", "Pool::operator std::vector", "operator "},
		"Pool::operator new []":            {"Pool::operator new []", "Pool::operator new []", "operator new []"},
		"cooperator ::take<int>":           {"cooperator ::take<int>", "cooperator ::take", "take"},
		"f<(3>2), decltype (p->q)>":        {"f<(3>2), decltype (p->q)>", "f", "f"},
		"drop_in_place<fn(u8) -> Vec<u8>>": {"drop_in_place<fn(u8) -> Vec<u8>>", "drop_in_place", "drop_in_place"},
		"<A as B<u8>>::f":                  {"<A as B<u8>>::f", "<A as B>::f", "f"},
		"Local::~<lambda>":                 {"Local::~<lambda>", "Local::~<lambda>", "~<lambda>"},
		"main::{unnamed}::operator()::{unnamed}::operator()<int>": {
			"main::{lambda}::operator()::{lambda}::operator()<int>", "main::{lambda}::operator()::{lambda}::operator()", "operator()"},
		"main::{unnamed}::draw": {"main::{unnamed}::draw", "main::{unnamed}::draw", "draw"},
		"broken<<<":             {"broken<<<", "broken", "broken"},
	} {
		if got := Templates.plain(name); got != want.templates {
			t.Errorf("%s is shown as %s, want %s", name, got, want.templates)
		}
		if got := Short.plain(name); got != want.short {
			t.Errorf("%s is shown as %s without arguments, want %s", name, got, want.short)
		}
		if got := baseName(name); got != want.base {
			t.Errorf("%s has the base name %s, want %s", name, got, want.base)
		}
	}
}

// withoutArgumentsSlowly looks at each byte of a name.
func withoutArgumentsSlowly(name string) string {
	var kept strings.Builder
	for i := 0; i < len(name); {
		end := i + 1
		if length := operatorAt(name, i); length > 0 {
			end = i + length
		} else if name[i] == '<' && !startsPart(name, i) {
			i = pastBrackets(name, i)
			continue
		} else if strings.HasPrefix(name[i:], " <") {
			i++
			continue
		}
		kept.WriteString(name[i:end])
		i = end
	}
	return kept.String()
}

func FuzzArgumentsAreLeftOutAsByteByByte(f *testing.F) {
	for _, mangled := range slices.Concat(usual, unusual, longNames) {
		f.Add(Full.readable(mangled))
	}
	for _, name := range []string{"a::operator<", "operator<=><b>", "operator<<< <c>", "xoperator<d>", "operator-><e>", "operator><f>",
		" <", "a:< <b>>", "~<c> <d>", "operator< operator<", "<><>", "operator", "a <b> <c>d"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if got, want := withoutArguments(name), withoutArgumentsSlowly(name); got != want {
			t.Errorf("%q without arguments is %q, want %q", name, got, want)
		}
	})
}

// localFunctions are the addresses and the mangled names of the functions in a program that only their own file sees.
func localFunctions(t *testing.T, program string) (addresses []mappings.ELFAddr, mangled []string) {
	t.Helper()
	for name, symbols := range allSymbols(t, program) {
		if strings.HasPrefix(name, "_ZN12_GLOBAL") || strings.HasPrefix(name, "_ZL") || strings.HasPrefix(name, "_ZZ4main") {
			if symbols[0].Size > 0 && elf.ST_TYPE(symbols[0].Info) == elf.STT_FUNC {
				addresses = append(addresses, mappings.ELFAddr(symbols[0].Value))
				function, _, _ := strings.Cut(name, ".") // of a clone
				mangled = append(mangled, function)
			}
		}
	}
	return addresses, mangled
}

func TestFunctionsOfOneFileHaveTheNamesOfTheirSymbols(t *testing.T) {
	for i, compiler := range []string{"g++ -O2", "g++ -O0", "g++ -O2 -gdwarf-4", "g++ -O2 -g1", "clang++ -O2", "clang++ -O2 -g1"} {
		t.Run(compiler, func(t *testing.T) {
			if testing.Short() && i > 0 {
				t.Skip("long: make test-all runs it")
			}
			fields := strings.Fields(compiler)
			program := compile(t, fields[0], "takes.cc", append([]string{"-g"}, fields[1:]...)...)
			addresses, mangled := localFunctions(t, program)
			if len(addresses) < 16 {
				t.Fatalf("only %d functions: %q", len(addresses), mangled)
			}
			for _, style := range []Style{Templates, Short, Full, Mangled} {
				results := New(Options{Style: style}).Resolve(module(program), addresses)
				for i, r := range results {
					got := r.Lines[len(r.Lines)-1]
					if got.SystemName != mangled[i] || got.Function != style.readable(mangled[i]) {
						t.Errorf("style %d: %q, %q, want %q, %q", style, got.Function, got.SystemName, style.readable(mangled[i]), mangled[i])
					}
				}
			}
		})
	}
}

func TestInlinedFunctionsOfOneFileAreSpelledAsOthers(t *testing.T) {
	for compiler, lambda := range map[string]string{"g++": "main::{lambda}::operator()", "clang++": "main::$_1::operator()"} {
		t.Run(compiler, func(t *testing.T) {
			if testing.Short() && compiler != "g++" {
				t.Skip("long: make test-all runs it")
			}
			program := compile(t, compiler, "takes.cc", "-g", "-O2")
			missing := []string{"(anonymous namespace)::taken<long>", "(anonymous namespace)::taken<unsigned long long>",
				"inlined<int>", "inlined<long>", lambda}
			for _, r := range New(Options{}).Resolve(module(program), everyByte(t, program)) {
				for _, line := range r.Lines {
					missing = slices.DeleteFunc(missing, func(name string) bool { return name == line.Function })
					if line.Function == line.SystemName && strings.Contains(line.Function, "<") {
						t.Fatalf("pprof would shorten %+v", line)
					}
				}
			}
			if len(missing) > 0 {
				t.Errorf("not seen: %q", missing)
			}
		})
	}
}
