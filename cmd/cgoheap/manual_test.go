package main

import (
	"fmt"
	"strings"

	"github.com/cgoheap/cgoheap/internal/terminal"
)

// manualColumns is where the lines of docs/command.md end.
const manualColumns = 128

// manual returns the text of docs/command.md.
func manual() string {
	var b strings.Builder
	b.WriteString("# The command cgoheap\n\n")
	b.WriteString("```\ngo install github.com/cgoheap/cgoheap/cmd/cgoheap@latest\n```\n\n")
	b.WriteString("It is one file, which needs no cgo: `CGO_ENABLED=0` makes it static. This text is made of the same table " +
		"as its help.\n\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "- [%s](#cgoheap-%s) %s\n", c.name, c.name, c.summary)
	}
	for _, c := range commands() {
		c.writeManual(&b)
	}
	b.WriteString("\n## Exit codes\n\n| code | meaning |\n|---|---|\n")
	for code, says := range exitCodes {
		fmt.Fprintf(&b, "| %d | %s |\n", code, says)
	}
	b.WriteString("\n## What is printed\n\n")
	for _, line := range terminal.Wrap("Names of functions and answers of services are foreign text. Control characters in "+
		"them, and marks that change the direction of "+
		"text, are escaped, as \\u001b. On a terminal, what takes over a second says what is being done, on standard error. "+
		"Services' answers of more than 16 MiB and "+
		"profiles of more than 256 MiB are refused.", "", manualColumns) {
		b.WriteString(line + "\n")
	}
	return b.String()
}

func (c *command) writeManual(b *strings.Builder) {
	fmt.Fprintf(b, "\n## cgoheap %s\n\n```\ncgoheap %s [FLAGS] %s\n```\n", c.name, c.name, c.arguments)
	for _, paragraph := range c.about {
		b.WriteString("\n" + strings.Join(terminal.Wrap(markdown(paragraph), "", manualColumns), "\n") + "\n")
	}
	b.WriteString("\n```\n")
	for _, e := range c.examples {
		fmt.Fprintf(b, "%s\n    # %s\n", e.line, e.says)
	}
	b.WriteString("```\n\n| flag | meaning |\n|---|---|\n")
	for _, f := range c.described() {
		fmt.Fprintf(b, "| `%s` | %s |\n", f.head, strings.ReplaceAll(markdown(f.says), "|", `\|`))
	}
}

// markdown leaves no mark of Markdown in plain text.
func markdown(text string) string {
	return strings.NewReplacer("*", `\*`, "<", "&lt;", "_", `\_`).Replace(text)
}
