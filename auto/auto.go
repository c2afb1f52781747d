package auto

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/internal/page"
)

func init() {
	e := newEnvironment(os.Environ(), slog.New(newReports(nil)))
	e.log = slog.New(newReports(e.level("CGOHEAP_LOG")))
	background.Run("the import", func() { started = start(e, http.DefaultServeMux) }, func(err error) {
		e.log.Error("cgoheap: a fault of the profiler", slog.Any("error", err))
	})
}

var started *cgoheap.Profiler

// Profiler returns the profiler that the import started; nil if CGOHEAP is off, or if it could not start.
func Profiler() *cgoheap.Profiler { return started }

func start(e environment, mux *http.ServeMux) *cgoheap.Profiler {
	if !e.flag("CGOHEAP", true) {
		return nil
	}
	profiler, err := e.record()
	if err != nil {
		e.log.Warn("cgoheap: not recording", slog.Any("error", err))
		return nil
	}
	if e.flag("CGOHEAP_HTTP", true) {
		e.serve(mux, profiler)
	}
	e.dump(profiler)
	e.reportUnread()
	return profiler
}

// record starts the profiler. A variable with an invalid value is reported and replaced by its default.
func (e environment) record() (*cgoheap.Profiler, error) {
	config := e.config()
	for {
		profiler, err := cgoheap.Start(config)
		refused := (*cgoheap.FieldError)(nil)
		if !errors.As(err, &refused) {
			return profiler, err
		}
		variable, otherwise := restore(&config, refused.Field)
		if variable == "" {
			return nil, err
		}
		e.log.Warn("cgoheap: a variable is invalid", slog.String("variable", variable), slog.Any("error", err), slog.Any("default", otherwise))
	}
}

var words = regexp.MustCompile(`[A-Z][a-z]+`)

// restore sets a field of the configuration, such as "Config.MaxDepth", to its default. It returns the variable of the field and
// the default, or "" if the field has no variable, or has the default already.
func restore(config *cgoheap.Config, field string) (variable string, otherwise any) {
	name := strings.TrimPrefix(field, "Config.")
	value, defaults := reflect.ValueOf(config).Elem().FieldByName(name), reflect.ValueOf(newEnvironment(nil, nil).config()).FieldByName(name)
	if !value.IsValid() || reflect.DeepEqual(value.Interface(), defaults.Interface()) {
		return "", nil
	}
	value.Set(defaults)
	variable = "CGOHEAP_" + strings.ToUpper(strings.Join(words.FindAllString(name, -1), "_"))
	if name == "BlackBox" { // one word
		variable = "CGOHEAP_BLACKBOX"
	}
	if bytes, ok := defaults.Interface().(int64); ok {
		return variable, byteCount(bytes)
	}
	return variable, defaults.Interface()
}

// The defaults of cgoheap.Config, for messages.
const (
	defaultSampleBytes = 512 << 10
	defaultMaxDepth    = 128
	defaultTableBytes  = 256 << 20
	defaultKeep        = 10
)

func (e environment) config() cgoheap.Config {
	c := cgoheap.Config{
		SampleBytes:     e.bytes("CGOHEAP_SAMPLE_BYTES", defaultSampleBytes),
		MaxDepth:        int(e.number("CGOHEAP_MAX_DEPTH", defaultMaxDepth)),
		TableBytes:      e.bytes("CGOHEAP_TABLE_BYTES", defaultTableBytes),
		GoroutineLabels: e.flag("CGOHEAP_GOROUTINE_LABELS", false),
		ThreadNames:     e.flag("CGOHEAP_THREAD_NAMES", false),
		BlackBox:        e.text("CGOHEAP_BLACKBOX", ""),
		RecoverDir:      e.text("CGOHEAP_DUMP_DIR", ""),
		RecoverKeep:     e.recoverKeep(),

		RecoverKeepBytes: max(0, e.quiet().bytes("CGOHEAP_DUMP_KEEP_BYTES", 0)),

		Hosts:    strings.FieldsFunc(e.text("CGOHEAP_HOSTS", ""), func(r rune) bool { return r == ',' || r == ' ' }),
		Timeline: e.flag("CGOHEAP_TIMELINE", false),
		Suspects: e.flag("CGOHEAP_SUSPECTS", false),
		Logger:   e.log,
	}
	if c.Suspects {
		c.OnSuspect = e.suspected
	}
	return c
}

// suspected reports a new suspect, in the words that the log has at high water.
func (e environment) suspected(s cgoheap.Suspect) {
	e.log.Warn("cgoheap: memory is suspected", slog.String("class", s.Class), slog.String("suspect", s.Sentence))
}

// recoverKeep is how many profiles of dead processes are kept: as many as of dumps, which report an invalid value.
func (e environment) recoverKeep() int {
	if keep := int(e.quiet().number("CGOHEAP_DUMP_KEEP", defaultKeep)); keep > 0 {
		return min(keep, math.MaxInt32)
	}
	return math.MaxInt32
}

// serve registers the handlers. If the program already uses a pattern, the mux panics, which must not end the program.
func (e environment) serve(mux *http.ServeMux, profiler *cgoheap.Profiler) {
	handlers := map[string]http.Handler{
		"GET /debug/pprof/cgoheap": profiler.Handler(),
		"POST /debug/pprof/symbol": cgoheap.SymbolHandler(),
	}
	pages := profiler.PagesHandler()
	for _, pattern := range page.Patterns() {
		handlers[pattern] = pages
	}
	if !knowsMethods() {
		handlers = withoutMethods(handlers)
	}
	var taken []string
	var first error
	for _, pattern := range slices.Sorted(maps.Keys(handlers)) {
		if err := register(mux, pattern, handlers[pattern]); err != nil {
			taken, first = append(taken, pattern), cmp.Or(first, err)
		}
	}
	if first != nil {
		e.log.Warn("cgoheap: not served, because the program uses the patterns itself", slog.Any("patterns", taken), slog.Any("error", first))
	}
}

func register(mux *http.ServeMux, pattern string, handler http.Handler) (err error) {
	defer func() {
		if taken := recover(); taken != nil {
			err = fmt.Errorf("%v", taken)
		}
	}()
	mux.Handle(pattern, handler)
	return nil
}

// knowsMethods reports whether patterns may begin with a method: not with GODEBUG=httpmuxgo121=1, which a program may also be built with.
func knowsMethods() bool {
	mux := http.NewServeMux()
	mux.Handle("GET /", http.NotFoundHandler())
	_, pattern := mux.Handler(&http.Request{Method: http.MethodGet, URL: &url.URL{Path: "/"}})
	return pattern != ""
}

// withoutMethods returns the handlers under patterns of Go 1.21. There, net/http/pprof answers each method of /debug/pprof/symbol
// itself, and it panics if the pattern is taken.
func withoutMethods(handlers map[string]http.Handler) map[string]http.Handler {
	list := make(map[string]http.Handler, len(handlers))
	for pattern, handler := range handlers {
		if _, path, _ := strings.Cut(pattern, " "); path != "/debug/pprof/symbol" {
			list[strings.TrimSuffix(path, "{$}")] = handler
		}
	}
	return list
}

func (e environment) dump(profiler *cgoheap.Profiler) {
	d := cgoheap.DumpConfig{
		Dir:       e.text("CGOHEAP_DUMP_DIR", os.TempDir()),
		Signals:   e.signals("CGOHEAP_SIGNAL"),
		Keep:      int(e.number("CGOHEAP_DUMP_KEEP", defaultKeep)),
		KeepBytes: e.bytes("CGOHEAP_DUMP_KEEP_BYTES", 0),
		HighWater: cgoheap.HighWater{
			Native: e.bytes("CGOHEAP_HIGH_NATIVE", 0),
			RSS:    e.bytes("CGOHEAP_HIGH_RSS", 0),
			Cgroup: e.share("CGOHEAP_HIGH_CGROUP"),

			Rate:       e.bytes("CGOHEAP_HIGH_RATE", 0),
			RateWindow: time.Duration(e.number("CGOHEAP_HIGH_RATE_MINUTES", 0)) * time.Minute,
		},
	}
	for len(d.Signals) > 0 || d.HighWater != (cgoheap.HighWater{}) {
		_, err := profiler.StartDumps(d)
		if err == nil {
			return
		}
		if !unwatch(&d.HighWater, err) {
			e.log.Warn("cgoheap: no dumps", dumpVariable(err), slog.Any("error", reason(err)))
			return
		}
		e.log.Warn("cgoheap: a mark of memory is not as it was set", dumpVariable(err), slog.Any("error", reason(err)))
	}
}

// dumpVariables are the variables of DumpConfig's fields.
var dumpVariables = map[string]string{
	"DumpConfig.Keep":             "CGOHEAP_DUMP_KEEP",
	"DumpConfig.KeepBytes":        "CGOHEAP_DUMP_KEEP_BYTES",
	"DumpConfig.HighWater.Native": "CGOHEAP_HIGH_NATIVE",
	"DumpConfig.HighWater.RSS":    "CGOHEAP_HIGH_RSS",
	"DumpConfig.HighWater.Cgroup": "CGOHEAP_HIGH_CGROUP",

	"DumpConfig.HighWater.RateWindow": "CGOHEAP_HIGH_RATE_MINUTES",
}

// dumpVariable names the variable of the field that an error refuses. Any other error is one of the directory.
func dumpVariable(err error) slog.Attr {
	name := "CGOHEAP_DUMP_DIR"
	if refused := (*cgoheap.FieldError)(nil); errors.As(err, &refused) {
		name = dumpVariables[refused.Field]
	}
	return slog.String("variable", name)
}

// reason returns an error without the name of the field that it refuses: who sets variables need not know it.
func reason(err error) error {
	if refused := (*cgoheap.FieldError)(nil); errors.As(err, &refused) {
		return refused.Err
	}
	return err
}

// unwatch takes the field of a level away that the error refuses, and reports whether it is about one.
func unwatch(h *cgoheap.HighWater, err error) bool {
	refused := (*cgoheap.FieldError)(nil)
	if !errors.As(err, &refused) {
		return false
	}
	switch refused.Field {
	case "DumpConfig.HighWater.RSS":
		h.RSS = 0
	case "DumpConfig.HighWater.Cgroup":
		h.Cgroup = 0
	case "DumpConfig.HighWater.RateWindow":
		h.RateWindow = 0
	default:
		return false
	}
	return true
}
