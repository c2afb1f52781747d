package bench

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// gitlab is a file for GitLab's CI with the global keywords that https://docs.gitlab.com/ci/yaml/ lists. Every other key is a job.
// No linter for such files runs without a server of GitLab's, and none from Go, so these types are the schema. The keywords that the
// example has are held to their types, too.
type gitlab struct {
	Default   any                  `yaml:"default"`
	Include   any                  `yaml:"include"`
	Stages    []string             `yaml:"stages"`
	Variables map[string]any       `yaml:"variables"`
	Workflow  any                  `yaml:"workflow"`
	Jobs      map[string]gitlabJob `yaml:",inline"`
}

type gitlabJob struct {
	AfterScript  []string          `yaml:"after_script"`
	Artifacts    gitlabArtifacts   `yaml:"artifacts"`
	BeforeScript []string          `yaml:"before_script"`
	Image        string            `yaml:"image"`
	Rules        []gitlabRule      `yaml:"rules"`
	Script       []string          `yaml:"script"`
	Variables    map[string]string `yaml:"variables"`

	AllowFailure       any `yaml:"allow_failure"`
	Cache              any `yaml:"cache"`
	Coverage           any `yaml:"coverage"`
	DastConfiguration  any `yaml:"dast_configuration"`
	Dependencies       any `yaml:"dependencies"`
	Environment        any `yaml:"environment"`
	Extends            any `yaml:"extends"`
	Hooks              any `yaml:"hooks"`
	Identity           any `yaml:"identity"`
	IDTokens           any `yaml:"id_tokens"`
	Inherit            any `yaml:"inherit"`
	Interruptible      any `yaml:"interruptible"`
	ManualConfirmation any `yaml:"manual_confirmation"`
	Needs              any `yaml:"needs"`
	Pages              any `yaml:"pages"`
	Parallel           any `yaml:"parallel"`
	Release            any `yaml:"release"`
	ResourceGroup      any `yaml:"resource_group"`
	Retry              any `yaml:"retry"`
	Run                any `yaml:"run"`
	Secrets            any `yaml:"secrets"`
	Services           any `yaml:"services"`
	Stage              any `yaml:"stage"`
	StartIn            any `yaml:"start_in"`
	Tags               any `yaml:"tags"`
	Timeout            any `yaml:"timeout"`
	Trigger            any `yaml:"trigger"`
	When               any `yaml:"when"`
}

type gitlabRule struct {
	If            string            `yaml:"if"`
	Variables     map[string]string `yaml:"variables"`
	AllowFailure  any               `yaml:"allow_failure"`
	Changes       any               `yaml:"changes"`
	Exists        any               `yaml:"exists"`
	Interruptible any               `yaml:"interruptible"`
	Needs         any               `yaml:"needs"`
	When          any               `yaml:"when"`
}

type gitlabArtifacts struct {
	ExposeAs  string   `yaml:"expose_as"`
	Paths     []string `yaml:"paths"`
	When      string   `yaml:"when"`
	Access    any      `yaml:"access"`
	Exclude   any      `yaml:"exclude"`
	ExpireIn  any      `yaml:"expire_in"`
	Name      any      `yaml:"name"`
	Public    any      `yaml:"public"`
	Reports   any      `yaml:"reports"`
	Untracked any      `yaml:"untracked"`
}

// read returns an error if a file has another keyword, or one of another type.
func (g *gitlab) read(text []byte) error {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	return decoder.Decode(g)
}

func TestTheFileForGitLabHasItsKeywords(t *testing.T) {
	text, err := os.ReadFile("../../docs/ci/gitlab.yml")
	if err != nil {
		t.Fatal(err)
	}
	var g gitlab
	if err := g.read(text); err != nil {
		t.Fatal(err)
	}
	for name, job := range g.Jobs {
		if len(job.Script) == 0 || len(job.Rules) == 0 {
			t.Errorf("%s has no script, or no rules", name)
		}
		a := job.Artifacts
		if when := regexp.MustCompile(`^(on_success|on_failure|always)$`); !when.MatchString(a.When) {
			t.Errorf("%s: artifacts:when is %q", name, a.When)
		}
		if shown := regexp.MustCompile(`^\w[-\w ]{0,99}$`); !shown.MatchString(a.ExposeAs) || strings.ContainsAny(strings.Join(a.Paths, ""), "*$") {
			t.Errorf("%s: artifacts:expose_as is %q, of %q", name, a.ExposeAs, a.Paths)
		}
	}
	if len(g.Jobs) != 1 {
		t.Errorf("%d jobs", len(g.Jobs))
	}
	for _, c := range [][2]string{
		{"script:", "scripts:"}, {"  rules:", "  rule:"}, {"expose_as:", "expose:"}, {"- if:", "- iff:"},
		{"GIT_DEPTH: \"0\"", "GIT_DEPTH: [0]"}, {"image: golang:1.26", "image: [golang]"},
	} {
		worse := bytes.Replace(text, []byte(c[0]), []byte(c[1]), 1)
		if bytes.Equal(worse, text) || new(gitlab).read(worse) == nil {
			t.Errorf("with %s instead of %s nothing is wrong", c[1], c[0])
		}
	}
}

// The step of GitHub's workflow that comments is run with a command gh that prints what it is asked.
func TestAWorkflowChangesItsOwnComment(t *testing.T) {
	text, err := os.ReadFile("../../docs/ci/github.yml")
	if err != nil {
		t.Fatal(err)
	}
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct{ Run string }
		}
	}
	if err := yaml.Unmarshal(text, &workflow); err != nil {
		t.Fatal(err)
	}
	steps := workflow.Jobs["compare"].Steps
	step := steps[len(steps)-1].Run
	for about, c := range map[string]struct{ known, want string }{
		"the first":   {"", "pr comment 7 --body-file comment.md\n"},
		"the second":  {"12", "api --method PATCH repos/a/b/issues/comments/12 --field body=@comment.md\n"},
		"many before": {"12\n13", "api --method PATCH repos/a/b/issues/comments/12 --field body=@comment.md\n"},
	} {
		dir := t.TempDir()
		gh := "#!/bin/sh\ncase \"$*\" in *'startswith(\"<!-- native-memory.sh -->\")'*) echo \"$KNOWN\" ;; *) echo \"$@\" ;; esac\n"
		for name, text := range map[string]string{"gh": gh, "comment.md": "a comment"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		command := exec.Command("bash", "-e", "-c", step)
		command.Dir = dir
		command.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "KNOWN="+c.known, "NUMBER=7",
			"GITHUB_REPOSITORY=a/b", "GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary"))
		if got, err := command.CombinedOutput(); err != nil || string(got) != c.want {
			t.Errorf("%s: %v: %s, want %s", about, err, got, c.want)
		}
	}
}
