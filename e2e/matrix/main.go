package main

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

func main() {
	some := selected(rows(), os.Args[1:])
	if len(some) == 0 {
		fmt.Fprintf(os.Stderr, "matrix: no row has any of %q in its name\n", os.Args[1:])
		os.Exit(2)
	}
	shop, err := toolchain.OpenWorkshop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "matrix:", err)
		os.Exit(1)
	}
	results := runAll(shop, some)
	shop.Close()
	os.Exit(report(results))
}

// selected keeps the rows whose names contain one of the parts, or all rows if there are no parts.
func selected(all []row, parts []string) []row {
	var kept []row
	for _, r := range all {
		for _, part := range parts {
			if strings.Contains(r.name, part) {
				kept = append(kept, r)
				break
			}
		}
	}
	if len(parts) == 0 {
		return all
	}
	return kept
}

func runAll(shop *toolchain.Workshop, all []row) []result {
	var results []result
	for _, r := range all {
		results = append(results, r.run(shop))
		fmt.Fprint(os.Stderr, ".")
	}
	fmt.Fprintln(os.Stderr)
	return results
}

// report prints the table and then the failures, and returns the exit code.
func report(results []result) int {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ROW\tGO\tLIBC\tMODE\tRESULT\tREASON")
	code := 0
	count := make(map[outcome]int)
	for _, r := range results {
		b := r.row.build
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", r.row.name, cmp.Or(b.toolchain, current), b.libc, b.mode, r.outcome, r.reason)
		count[r.outcome]++
	}
	table.Flush()
	fmt.Printf("\n%d exact, %d refused as they must, %d skipped, %d failed\n", count[exact], count[refused], count[skipped], count[failed])
	for _, r := range results {
		if r.outcome == failed {
			code = 1
			fmt.Printf("\n%s: %s\n%.2000s\n", r.row.name, r.reason, r.output)
		}
	}
	return code
}
