package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	rounds := flag.Int("rounds", 5, "how often each contender runs")
	count := flag.Int("addresses", 10000, "how many addresses are named")
	only := flag.String("program", "", "a file to measure instead of the usual programs")
	task := flag.String("task", "", "build: only build the programs; or what this process does for another one: choose or resolve")
	flag.Parse()
	if err := do(*task, *only, *rounds, *count); err != nil {
		fmt.Fprintln(os.Stderr, "names:", err)
		os.Exit(1)
	}
}

func do(task, file string, rounds, count int) error {
	switch task {
	case "build":
		_, err := programs("")
		return err
	case "choose":
		return choose(file, count, os.Stdout)
	case "resolve":
		return resolve(file, os.Stdin, os.Stdout, os.Stderr)
	}
	programs, err := programs(file)
	if err != nil {
		return err
	}
	printHead()
	for _, p := range programs {
		if err := measure(p, rounds, count); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}
