package systemtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// All modules that are released have one version, and what lies in the tree beside them requires it: docs/release.md.
func TestAllModulesRequireOneVersion(t *testing.T) {
	required := regexp.MustCompile(`(?m)^\s*(?:require )?github\.com/cgoheap/cgoheap\S* (v\S+)`)
	versions := make(map[string][]string)
	for _, file := range moduleFiles(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range required.FindAllSubmatch(text, -1) {
			versions[string(found[1])] = append(versions[string(found[1])], file)
		}
	}
	for version, files := range versions {
		if len(versions) > 1 || !regexp.MustCompile(`^v\d+\.\d+\.\d+$`).MatchString(version) {
			t.Errorf("%s is required by %q", version, files)
		}
	}
	if len(versions) == 0 {
		t.Error("no module requires another")
	}
}

func moduleFiles(t *testing.T) (files []string) {
	t.Helper()
	list := exec.Command("git", "-c", "safe.directory=*", "ls-files", "*go.mod")
	list.Dir = "../.."
	out, err := list.Output()
	if err != nil {
		t.Skipf("this is no git checkout, and git lists the modules: %v", err)
	}
	for file := range strings.Lines(string(out)) {
		files = append(files, filepath.Join("../..", strings.TrimSpace(file)))
	}
	return files
}
