package main

import (
	"flag"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/command.md")

const manualPath = "../../docs/command.md"

func ranWith(t *testing.T, in string, arguments ...string) (code int, out, trouble string) {
	t.Helper()
	var o, e strings.Builder
	code = run(arguments, strings.NewReader(in), &o, &e)
	return code, o.String(), e.String()
}

func TestTheManualIsThatOfTheTable(t *testing.T) {
	if *update {
		if err := os.WriteFile(manualPath, []byte(manual()), 0o644); err != nil { //nolint:gosec // all may read it
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(manualPath)
	if err != nil || string(text) != manual() {
		t.Errorf("%v; go test ./cmd/cgoheap -run Manual -update writes it", err)
	}
}

func TestHelpHasExamplesAndFlags(t *testing.T) {
	code, all, trouble := ranWith(t, "", "-h")
	if code != exitGood || trouble != "" {
		t.Errorf("exit code %d, %q", code, trouble)
	}
	for _, c := range commands() {
		if !strings.Contains(all, "cgoheap "+c.name+" [FLAGS] "+c.arguments) {
			t.Errorf("%s is not in %s", c.name, all)
		}
		for _, arguments := range [][]string{{c.name, "-h"}, {c.name, "--help"}, {"help", c.name}, {c.name, "argument", "-h"}} {
			if c.program && arguments[1] == "argument" {
				continue // the program's flag
			}
			code, out, trouble := ranWith(t, "", arguments...)
			if code != exitGood || trouble != "" || !strings.HasPrefix(out, "usage: cgoheap "+c.name) || !strings.Contains(out, "\nExit codes:\n  0 ") {
				t.Errorf("%v: exit code %d, %q, %q", arguments, code, out, trouble)
			}
			flags, _ := c.flags()
			flags.VisitAll(func(f *flag.Flag) {
				if !strings.Contains(out, "\n  -"+f.Name) {
					t.Errorf("%s: -%s is not in its help", c.name, f.Name)
				}
			})
			for _, e := range c.examples {
				if !strings.Contains(out, e.line) {
					t.Errorf("%s: the example %s is not in its help", c.name, e.line)
				}
			}
		}
		if len(c.examples) == 0 || len(c.about) == 0 || c.summary == "" {
			t.Errorf("%s: the table lacks a part", c.name)
		}
	}
}

// An example whose flags are wrong would be found out by a reader.
func TestExamplesHaveFlagsThatThereAre(t *testing.T) {
	for _, c := range commands() {
		for _, e := range c.examples {
			for _, part := range strings.Split(e.line, "| ") {
				words := strings.Fields(part)
				if words[0] != "cgoheap" {
					continue
				}
				other := commands()[slices.IndexFunc(commands(), func(o command) bool { return o.name == words[1] })]
				flags, _ := other.flags()
				if other.program {
					if err := flags.Parse(words[2:]); err != nil {
						t.Errorf("%s: %v", e.line, err)
					}
					continue
				}
				for _, word := range words[2:] {
					if name, isFlag := strings.CutPrefix(word, "-"); isFlag && name != "" && flags.Lookup(name) == nil {
						t.Errorf("%s: there is no flag %s", e.line, word)
					}
				}
			}
		}
	}
}

func TestWrongCallsAreToldInALine(t *testing.T) {
	for says, arguments := range map[string][]string{
		`there is no command "dumb"; did you mean "dump"? (cgoheap -h lists the commands)`: {"dumb"},
		`there is no command "xyz" (cgoheap -h`:                                            {"xyz"},
		`not defined: -evry; did you mean "every"? (cgoheap top -h`:                        {"top", "-evry", "3s", "a"},
		"cgoheap shows who holds":                                                          {},
		"cgoheap dump -h lists the flags":                                                  {"dump", "-wrong", "1"},
		`there is no command "\x1b[2J"`:                                                    {"\x1b[2J"},
		`flag provided but not defined: -\u001bc`:                                          {"top", "-\x1bc"},
		"a shell is needed":                                                                {"completion", "tcsh"},
		"two profiles are needed":                                                          {"diff", "one"},
		"only one of the two can be":                                                       {"diff", "-", "-"},
		"a header is NAME: VALUE":                                                          {"view", "-header", "wrong", "a"},
		"-timeout must be more than 0":                                                     {"view", "-timeout", "-1s", "a"},
		"-changes is for a service":                                                        {"view", "-changes", "a"},
		"-n may not be negative":                                                           {"diff", "-n", "-1", "a", "b"},
		`there is no view "growth"`:                                                        {"view", "-view", "growth", "a"},
		"-json and -o - both":                                                              {"dump", "-json", "-o", "-", "1"},
		"a profile is needed, or - for":                                                    {"check"},
		"flag provided but not defined: -wrong":                                            {"run", "-wrong", "true"},
		"one address, process number, profile or ":                                         {"view", "a", "b"},
	} {
		code, out, trouble := ranWith(t, "", arguments...)
		lines := strings.Count(trouble, "\n")
		if code != exitUnreadable || out != "" || !strings.Contains(trouble, says) || strings.Contains(trouble, "\x1b") || (lines == 1) != (len(arguments) > 0) {
			t.Errorf("%q: exit code %d, %q, %q", arguments, code, out, trouble)
		}
	}
}

func TestTheVersion(t *testing.T) {
	for _, asked := range version {
		if code, out, trouble := ranWith(t, "", asked); code != exitGood || trouble != "" || !strings.HasPrefix(out, "cgoheap ") || !strings.HasSuffix(out, ", "+runtime.Version()+", "+runtime.GOOS+"/"+runtime.GOARCH+"\n") {
			t.Errorf("exit code %d, %q, %q", code, out, trouble)
		}
	}
}

func TestHowFarANameIs(t *testing.T) {
	for pair, want := range map[[2]string]int{{"", "ab"}: 2, {"ab", ""}: 2, {"dump", "dump"}: 0, {"dumb", "dump"}: 1, {"evry", "every"}: 1, {"tpo", "top"}: 2, {"recover", "cover"}: 2, {"kitten", "sitting"}: 3} {
		if got := distance(pair[0], pair[1]); got != want || distance(pair[1], pair[0]) != want {
			t.Errorf("%q: %d, want %d", pair, got, want)
		}
	}
}

func TestFlagsMayComeLast(t *testing.T) {
	for _, c := range []struct{ arguments, names []string }{
		{[]string{"a", "-x", "b"}, []string{"a", "b"}},
		{[]string{"-x", "a", "--", "-y"}, []string{"a", "-y"}},
		{[]string{"--", "-1"}, []string{"-1"}},
		{[]string{"-", "-x"}, []string{"-"}},
		{nil, nil},
	} {
		flags := flag.NewFlagSet("", flag.ContinueOnError)
		x := flags.Bool("x", false, "")
		names, err := parse(flags, c.arguments)
		if err != nil || !slices.Equal(names, c.names) || *x != slices.Contains(c.arguments, "-x") {
			t.Errorf("%q becomes %q, %v, %v", c.arguments, names, *x, err)
		}
	}
}

// completed returns what a shell offers for a line, whose last word is to be completed.
func completed(t *testing.T, shell string, arguments ...string) string {
	t.Helper()
	if _, err := exec.LookPath(shell); err != nil {
		t.Skipf("needs %s (Debian: %s)", shell, shell)
	}
	out, err := exec.Command(shell, arguments...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", shell, err, out)
	}
	return string(out)
}

func TestBashCompletes(t *testing.T) {
	for line, want := range map[string]string{
		"d":               "diff dump",
		"dump -vi":        "-view",
		"dump -view a":    "allocated age",
		"completion ":     "bash zsh fish",
		"help t":          "top",
		"diff -st":        "-stacks",
		"recover -view r": "rss",
		"top x":           "",
	} {
		words := append([]string{"cgoheap"}, strings.Fields(line)...)
		if strings.HasSuffix(line, " ") {
			words = append(words, "")
		}
		script := bashCompletion() + `COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _cgoheap; echo "${COMPREPLY[*]}"`
		got := completed(t, "bash", append([]string{"--norc", "-c", script, "bash"}, words...)...)
		if strings.TrimSpace(got) != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestFishCompletes(t *testing.T) {
	for line, want := range map[string]string{"cgoheap d": "diff\t", "cgoheap dump -view a": "allocated", "cgoheap dump -vie": "-view\t", "cgoheap completion ": "zsh"} {
		got := completed(t, "fish", "--no-config", "-c", fishCompletion()+"complete -C '"+line+"'")
		if !strings.Contains("\n"+got, "\n"+want) {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestZshUnderstandsItsScript(t *testing.T) {
	got := completed(t, "zsh", "-f", "-c", "autoload -U compinit && compinit -u -D\n"+zshCompletion()+"\nwhence -w _cgoheap; print -r -- $_comps[cgoheap]")
	if got != "_cgoheap: function\n_cgoheap\n" {
		t.Errorf("%q", got)
	}
}
