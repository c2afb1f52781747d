package cgoheap

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

func TestHandlersCommentHasEveryParameterAndView(t *testing.T) {
	text, err := os.ReadFile("handler.go")
	if err != nil {
		t.Fatal(err)
	}
	comment, _, _ := strings.Cut(string(text), "\nfunc (p *Profiler) Handler()")
	for name := range parameters {
		if !regexp.MustCompile(`\b` + name + `=`).MatchString(comment) {
			t.Errorf("it does not have the parameter %s", name)
		}
	}
	var views []string
	for _, v := range viewings {
		views = append(views, v.Name)
	}
	if want := "//\tview=" + strings.Join(views, "|") + "\n"; !strings.Contains(comment, want) {
		t.Errorf("it does not have the line %q", want)
	}
}
