package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

// scripts returns the script of each shell.
func scripts() map[string]func() string {
	return map[string]func() string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}
}

func prepareCompletion(*flag.FlagSet) action {
	return func(s *streams, names []string) (int, error) {
		if len(names) == 1 && scripts()[names[0]] != nil {
			_, err := io.WriteString(s.out, scripts()[names[0]]())
			return exitGood, err
		}
		return exitUnreadable, errors.New("a shell is needed: bash, zsh or fish")
	}
}

func names() (list []string) {
	for _, c := range commands() {
		list = append(list, c.name)
	}
	return list
}

// words are what may follow a command, but for files.
func (c *command) words() []string {
	if !c.files {
		return strings.Split(c.arguments, "|")
	}
	return nil
}

// bashCompletion completes flags where a word begins with -, the values of flags that have few, and otherwise files.
func bashCompletion() string {
	var b strings.Builder
	b.WriteString("# cgoheap completion bash\n_cgoheap() {\n  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} flags= words=\n  COMPREPLY=()\n")
	fmt.Fprintf(&b, "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    COMPREPLY=($(compgen -W '%s help' -- \"$word\"))\n    return\n  fi\n  case ${COMP_WORDS[1]} in\n", strings.Join(names(), " "))
	for _, c := range commands() {
		fmt.Fprintf(&b, "  %s)\n    flags='", c.name)
		for _, f := range c.described() {
			b.WriteString("-" + f.name + " ")
		}
		fmt.Fprintf(&b, "' words='%s'\n", strings.Join(c.words(), " "))
		if len(c.values) > 0 {
			b.WriteString("    case $before in\n")
			for _, name := range sortedKeys(c.values) {
				fmt.Fprintf(&b, "    -%s|--%s) COMPREPLY=($(compgen -W '%s' -- \"$word\")); return ;;\n", name, name, strings.Join(c.values[name], " "))
			}
			b.WriteString("    esac\n")
		}
		b.WriteString("    ;;\n")
	}
	b.WriteString("  help) words='" + strings.Join(names(), " ") + "' ;;\n  esac\n" +
		"  case $word in\n  -*) COMPREPLY=($(compgen -W \"$flags\" -- \"$word\")) ;;\n" +
		"  *) if [ -n \"$words\" ]; then COMPREPLY=($(compgen -W \"$words\" -- \"$word\")); fi ;;\n  esac\n}\n" +
		"complete -o default -F _cgoheap cgoheap\n")
	return b.String()
}

func zshCompletion() string {
	var b strings.Builder
	b.WriteString("#compdef cgoheap\n_cgoheap() {\n  local -a list\n  if (( CURRENT == 2 )); then\n    list=(\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "      '%s:%s'\n", c.name, quoted(c.summary))
	}
	b.WriteString("    )\n    _describe command list\n    return\n  fi\n  local name=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $name in\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "  %s)\n    _arguments", c.name)
		for _, f := range c.described() {
			value := ""
			if _, kind, has := strings.Cut(f.head, " "); has {
				value = ":" + kind + ":_files"
				if few := c.values[f.name]; few != nil {
					value = ":" + kind + ":(" + strings.Join(few, " ") + ")"
				}
			}
			fmt.Fprintf(&b, " \\\n      '*-%s[%s]%s'", f.name, quoted(strings.NewReplacer("[", "(", "]", ")", ":", `\:`).Replace(f.says)), value)
		}
		if list := c.words(); list != nil {
			fmt.Fprintf(&b, " \\\n      '*:argument:(%s)'\n    ;;\n", strings.Join(list, " "))
			continue
		}
		b.WriteString(" \\\n      '*:file:_files'\n    ;;\n")
	}
	b.WriteString("  esac\n}\nif [ \"$funcstack[1]\" = _cgoheap ]; then _cgoheap \"$@\"; else compdef _cgoheap cgoheap; fi\n")
	return b.String()
}

func fishCompletion() string {
	var b strings.Builder
	b.WriteString("# cgoheap completion fish\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "complete -c cgoheap -n __fish_use_subcommand -f -a %s -d '%s'\n", c.name, quoted(c.summary))
		seen := "-n '__fish_seen_subcommand_from " + c.name + "'"
		for _, f := range c.described() {
			fmt.Fprintf(&b, "complete -c cgoheap %s -o %s -d '%s'", seen, f.name, quoted(f.says))
			if few := c.values[f.name]; few != nil {
				fmt.Fprintf(&b, " -x -a '%s'", strings.Join(few, " "))
			} else if strings.Contains(f.head, " ") {
				b.WriteString(" -r")
			}
			b.WriteByte('\n')
		}
		if list := c.words(); list != nil {
			fmt.Fprintf(&b, "complete -c cgoheap %s -f -a '%s'\n", seen, strings.Join(list, " "))
		}
	}
	return b.String()
}

// quoted is text between single quotes of a shell.
func quoted(text string) string { return strings.ReplaceAll(text, "'", "’") }

func sortedKeys(m map[string][]string) (keys []string) {
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
