package symbolize

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// llvmAgrees asks llvm-symbolizer, where there is one, who is right about an address: it reports whether its functions'
// places, columns included, are ours.
func llvmAgrees(t *testing.T, path string, address uint64, got Result) bool {
	t.Helper()
	command := exec.Command("llvm-symbolizer", "--obj="+path, "--inlines", "--no-demangle", fmt.Sprintf("%#x", address))
	output, err := command.Output()
	if err != nil {
		return false
	}
	rows := strings.Split(strings.TrimSpace(string(output)), "\n")
	if len(rows) != 2*len(got.Lines) {
		return false
	}
	for i, line := range got.Lines {
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
