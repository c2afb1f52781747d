package toolchain

import (
	"errors"
	"os"
	"strings"
	"testing"
)

func TestAWorkshopMakesEachFileOnce(t *testing.T) {
	w, err := OpenWorkshop()
	if err != nil {
		t.Fatal(err)
	}
	made, failure := 0, errors.New("no such thing")
	for range 2 {
		path, err := w.Make("thing", func(path string) error { made++; return os.WriteFile(path, nil, 0o600) })
		if _, missing := os.Stat(path); err != nil || missing != nil || path != w.Path("thing") {
			t.Errorf("%s: %v, %v", path, err, missing)
		}
		if _, err := w.Make("none", func(string) error { made++; return failure }); !errors.Is(err, failure) {
			t.Error(err)
		}
	}
	if made != 2 {
		t.Errorf("%d were made, want 2", made)
	}
	w.Close()
	if _, err := os.Stat(w.Path("thing")); !os.IsNotExist(err) {
		t.Errorf("after Close: %v", err)
	}
}

func TestTheErrorOfAToolHasItsOutput(t *testing.T) {
	tool := Tool{Folder: "..", Env: []string{"MOON=full"}, Words: []string{"sh", "-c", "echo $MOON; ls -d toolchain; exit 3"}}
	if err := tool.Run(); err == nil || !strings.Contains(err.Error(), "exit status 3\nfull\ntoolchain\n") {
		t.Error(err)
	}
	if err := (Tool{Words: []string{"true"}}).Run(); err != nil {
		t.Error(err)
	}
}
