package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

func TestConfigurationsOfTheDocsAreYAML(t *testing.T) {
	blocks := yamlBlock.FindAllStringSubmatch(read(t, "../../docs/deploy.md"), -1)
	if len(blocks) < 2 {
		t.Errorf("%d blocks", len(blocks))
	}
	for _, block := range blocks {
		var anything map[string]any
		if err := yaml.Unmarshal([]byte(block[1]), &anything); err != nil {
			t.Errorf("%v in\n%s", err, block[1])
		}
	}
}

var (
	variable  = regexp.MustCompile(`CGOHEAP_[A-Z_]+`)
	parameter = regexp.MustCompile(`/debug/pprof/cgoheap\?([a-z]+)=(?:[a-z0-9]+)(?:&([a-z]+)=)?`)
)

func TestVariablesAndParametersOfTheDocsExist(t *testing.T) {
	variables, parameters := read(t, "../../auto/doc.go"), read(t, "../../query.go")
	paths, err := filepath.Glob("../../docs/questions/*.md")
	if err != nil || len(paths) < 2 {
		t.Fatal(paths, err)
	}
	for _, path := range append(paths, "../../docs/deploy.md", "../../docs/guide.md", "README.md", "../../README.md") {
		text := read(t, path)
		for _, name := range variable.FindAllString(text, -1) {
			if !strings.Contains(variables, name+" ") {
				t.Errorf("%s names the variable %s", path, name)
			}
		}
		for _, match := range parameter.FindAllStringSubmatch(text, -1) {
			for _, name := range match[1:] {
				if name != "" && !strings.Contains(parameters, `"`+name+`":`) {
					t.Errorf("%s names the parameter %s", path, name)
				}
			}
		}
	}
}
