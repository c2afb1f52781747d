package symbolize

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/mappings"
)

// llvmAgrees asks llvm-symbolizer, if it is installed, which answer is right for the disputed addresses, given by index: it
// reports for which of them its functions' places, columns included, are ours.
func llvmAgrees(t *testing.T, path string, addresses []mappings.ELFAddr, got []Result, disputed []int) []bool {
	t.Helper()
	agrees := make([]bool, len(disputed))
	var input strings.Builder
	for _, i := range disputed {
		fmt.Fprintf(&input, "%#x\n", uint64(addresses[i]))
	}
	command := exec.Command("llvm-symbolizer", "--obj="+path, "--inlines", "--no-demangle")
	command.Stdin = strings.NewReader(input.String())
	output, err := command.Output()
	if err != nil {
		return agrees
	}
	answers := strings.Split(strings.TrimSpace(string(output)), "\n\n")
	for n, i := range disputed {
		agrees[n] = n < len(answers) && sameAsLLVM(strings.Split(strings.TrimSpace(answers[n]), "\n"), got[i].Lines)
	}
	return agrees
}

// sameAsLLVM compares an answer, two rows per line, with lines of ours.
func sameAsLLVM(rows []string, lines []Line) bool {
	if len(rows) != 2*len(lines) {
		return false
	}
	for i, line := range lines {
		if parseLLVM(rows[2*i+1]) != (Line{File: line.File, Line: line.Line, Column: line.Column}) {
			return false
		}
	}
	return true
}

// parseLLVM reads file:line:column.
func parseLLVM(place string) (line Line) {
	place, column := cutLast(place)
	place, number := cutLast(place)
	line.Line, _ = strconv.Atoi(number)
	line.Column, _ = strconv.Atoi(column)
	if place != "??" {
		line.File = filepath.Clean(place)
	}
	return line
}

func cutLast(place string) (before, after string) {
	colon := max(0, strings.LastIndexByte(place, ':'))
	return place[:colon], strings.TrimPrefix(place[colon:], ":")
}
