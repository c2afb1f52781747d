package auto

import (
	"fmt"
	"go/token"
	"go/types"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap"
)

func TestMessagesHaveTheFormAndTheDefault(t *testing.T) {
	for variable, want := range map[string]string{
		"CGOHEAP_SAMPLE_BYTES": `error="it must be a number of bytes, such as 65536, 512KiB, 1.5MiB or 2GiB" default=512KiB`,
		"CGOHEAP_TABLE_BYTES":  `error="it must be a number of bytes, such as 65536, 512KiB, 1.5MiB or 2GiB" default=256MiB`,
		"CGOHEAP_MAX_DEPTH":    `error="it must be a whole number from 0 to 2147483647" default=128`,
		"CGOHEAP_THREAD_NAMES": `error="it must be on or off, yes or no, true or false, 1 or 0" default=off`,
		"CGOHEAP":              `error="it must be on or off, yes or no, true or false, 1 or 0" default=on`,
		"CGOHEAP_SIGNAL":       `error="it must be none, or the name or the number of a signal that can be caught, such as USR2 or 12" default=USR2`,
		"CGOHEAP_HIGH_CGROUP":  `error="it must be a share, such as 0.8 or 80%"`,
		"CGOHEAP_LOG":          `error="it must be debug, info, warn, error or off"`,
	} {
		e, log := given(map[string]string{variable: "lots"})
		e.config()
		e.flag("CGOHEAP", true)
		e.signals("CGOHEAP_SIGNAL")
		e.share("CGOHEAP_HIGH_CGROUP")
		e.level("CGOHEAP_LOG")
		if want := "variable=" + variable + " value=lots " + want + "\n"; !strings.HasSuffix(log.String(), want) {
			t.Errorf("%s, want %s", log, want)
		}
	}
}

// A value that a dump's configuration refuses is reported with its variable.
func TestTheVariableOfADumpIsNamed(t *testing.T) {
	for field, want := range map[string]string{
		"DumpConfig.HighWater.Cgroup": "CGOHEAP_HIGH_CGROUP", "DumpConfig.HighWater.RSS": "CGOHEAP_HIGH_RSS", "DumpConfig.Keep": "CGOHEAP_DUMP_KEEP",
		"DumpConfig.KeepBytes": "CGOHEAP_DUMP_KEEP_BYTES", "DumpConfig.HighWater.RateWindow": "CGOHEAP_HIGH_RATE_MINUTES",
	} {
		if got := dumpVariable(&cgoheap.FieldError{Field: field}).Value.String(); got != want {
			t.Errorf("%s: %s, want %s", field, got, want)
		}
	}
	if got := dumpVariable(os.ErrNotExist).Value.String(); got != "CGOHEAP_DUMP_DIR" {
		t.Errorf("any other error: %s", got)
	}
}

// filled returns a value of a type that no field has by default.
func filled(t *testing.T, of reflect.Type) reflect.Value {
	t.Helper()
	v := reflect.New(of).Elem()
	switch of.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(-5)
	case reflect.String:
		v.SetString("-5")
	case reflect.Slice:
		v.Set(reflect.MakeSlice(of, 1, 1))
	case reflect.Func:
		v.Set(reflect.MakeFunc(of, func([]reflect.Value) []reflect.Value { return nil }))
	case reflect.Pointer:
		v.Set(reflect.New(of.Elem()))
	default:
		t.Fatalf("a field of the type %v", of)
	}
	return v
}

func TestAnyFieldThatStartRefusesIsRestored(t *testing.T) {
	defaults := newEnvironment(nil, nil).config()
	fields := reflect.TypeFor[cgoheap.Config]()
	for i := range fields.NumField() {
		config, name := defaults, fields.Field(i).Name
		reflect.ValueOf(&config).Elem().Field(i).Set(filled(t, fields.Field(i).Type))
		if variable, _ := restore(&config, "Config."+name); variable == "" || !reflect.DeepEqual(config, defaults) {
			t.Errorf("%s is left as it was: %q", name, variable)
		}
		if variable, _ := restore(&config, "Config."+name); variable != "" {
			t.Errorf("%s is restored without end", name)
		}
	}
	if variable, _ := restore(&defaults, "Config.Nothing"); variable != "" {
		t.Errorf("what is no field has the variable %s", variable)
	}
}

func TestVariablesAreCalledAsTheirFields(t *testing.T) {
	for value, fields := range map[string][]string{"7": {"SampleBytes", "MaxDepth", "TableBytes"}, "true": {"GoroutineLabels", "ThreadNames"}} {
		for _, name := range fields {
			config := newEnvironment(nil, nil).config()
			field := reflect.ValueOf(&config).Elem().FieldByName(name)
			field.Set(filled(t, field.Type()))
			variable, _ := restore(&config, "Config."+name)
			e, _ := given(map[string]string{variable: value})
			if got := fmt.Sprint(reflect.ValueOf(e.config()).FieldByName(name)); got != value {
				t.Errorf("with %s=%s, %s is %s", variable, value, name, got)
			}
		}
	}
}

func TestNewSuspectsAreReported(t *testing.T) {
	e, log := given(map[string]string{"CGOHEAP_SUSPECTS": "on"})
	e.config().OnSuspect(cgoheap.Suspect{Class: "grows", Sentence: "it grows"})
	if text := log.String(); !strings.Contains(text, "level=WARN") || !strings.Contains(text, `class=grows suspect="it grows"`) {
		t.Error(text)
	}
	if e, _ := given(nil); e.config().OnSuspect != nil {
		t.Error("suspects are watched that nobody asked for")
	}
}

// The defaults stand in doc.go, for messages in auto.go, and where they come from in the root's config.go.
func TestDefaultsAreThoseOfConfigAndOfTheDocumentation(t *testing.T) {
	source, err := os.ReadFile("../config.go")
	if err != nil {
		t.Fatal(err)
	}
	documentation, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		value        int64
		variable, is string
	}{
		"defaultSampleBytes": {defaultSampleBytes, "CGOHEAP_SAMPLE_BYTES", byteCount(defaultSampleBytes).String()},
		"defaultMaxDepth":    {defaultMaxDepth, "CGOHEAP_MAX_DEPTH", "128"},
		"defaultTableBytes":  {defaultTableBytes, "CGOHEAP_TABLE_BYTES", byteCount(defaultTableBytes).String()},
	} {
		found := regexp.MustCompile(`\n\t` + name + ` += (.+)\n`).FindStringSubmatch(string(source))
		if found == nil {
			t.Fatalf("config.go has no %s", name)
		}
		root, err := types.Eval(token.NewFileSet(), nil, token.NoPos, found[1])
		if err != nil || root.Value.ExactString() != fmt.Sprint(c.value) {
			t.Errorf("%s is %v in config.go, here %d: %v", name, root.Value, c.value, err)
		}
		if !regexp.MustCompile(c.variable + ` .*\(` + c.is + `\)`).Match(documentation) {
			t.Errorf("doc.go does not have the default of %s, %s", c.variable, c.is)
		}
	}
}
