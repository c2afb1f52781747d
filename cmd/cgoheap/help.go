package main

import (
	"flag"
	"fmt"
	"strings"

	"github.com/cgoheap/cgoheap/internal/terminal"
)

// helpColumns is the width of help, which fits any terminal.
const helpColumns = 80

func usage() string {
	var b strings.Builder
	b.WriteString("cgoheap shows who holds the memory of a process, native memory above all.\n\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "  cgoheap %s [FLAGS] %s\n", c.name, c.arguments)
		writeWrapped(&b, "      ", c.summary)
	}
	b.WriteString("\ncgoheap COMMAND -h has the flags, and examples; cgoheap --version, the version.\n")
	return b.String()
}

// help returns what -h shows.
func (c *command) help() string {
	var b strings.Builder
	fmt.Fprintf(&b, "usage: cgoheap %s [FLAGS] %s\n", c.name, c.arguments)
	for _, paragraph := range c.about {
		b.WriteByte('\n')
		writeWrapped(&b, "", paragraph)
	}
	b.WriteString("\nExamples:\n")
	for _, e := range c.examples {
		fmt.Fprintf(&b, "  %s\n", e.line)
		writeWrapped(&b, "      ", e.says)
	}
	b.WriteString("\nFlags:\n")
	for _, f := range c.described() {
		fmt.Fprintf(&b, "  %s\n", f.head)
		writeWrapped(&b, "      ", f.says)
	}
	b.WriteString("\nExit codes:\n")
	for code, says := range exitCodes {
		for i, line := range terminal.Wrap(says, "", helpColumns-6) {
			fmt.Fprintf(&b, "  %s   %s\n", map[bool]string{true: fmt.Sprint(code), false: " "}[i == 0], line)
		}
	}
	return b.String()
}

// described is a flag for people: "-every TIME", and what it means.
type described struct{ name, head, says string }

func (c *command) described() (list []described) {
	flags, _ := c.flags()
	flags.VisitAll(func(f *flag.Flag) {
		value, says := flag.UnquoteUsage(f)
		d := described{f.Name, "-" + f.Name, says}
		if value != "" {
			d.head += " " + strings.ToUpper(value)
		}
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "0s" {
			d.says += " (default " + f.DefValue + ")"
		}
		list = append(list, d)
	})
	return append(list, described{"h", "-h", "shows this help"})
}

func writeWrapped(b *strings.Builder, indent, text string) {
	for _, line := range terminal.Wrap(text, "", helpColumns-len(indent)) {
		b.WriteString(indent + line + "\n")
	}
}
