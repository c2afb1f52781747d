package serve

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"

	"github.com/cgoheap/cgoheap/internal/page"
	"github.com/cgoheap/cgoheap/internal/report"
)

// Pages serves the pages below page.Folder.
func (s *Server) Pages() http.Handler {
	return guarded(&page.Handler{Hosts: s.hosts, Pages: map[string]http.HandlerFunc{
		"": serveFolder, "about": s.about, "account": s.account, "suspects": s.suspects, "timeline": s.timeline,
		"metrics": s.metrics, "profile": s.profileFile, "stacks": s.stacks, "source": s.lines,
		page.PartTrim: s.trim, page.PartSampling: s.sampling, page.PartDump: s.dump,
	}}, s.failed)
}

// serveFolder serves the folder itself.
func serveFolder(w http.ResponseWriter, r *http.Request) {
	if page.WantsPage(r) {
		page.ServeIndex(w, r)
		return
	}
	w.Header().Add("Vary", "Accept")
	_, _ = io.WriteString(page.Text(w), "about    what is being recorded, as JSON\n"+
		"account  what each resident byte of the process is; account?format=json\n"+
		"suspects what grows, and what that means; suspects?format=json\n"+
		"timeline what memory the process took in the last hour and days, as JSON\n"+
		"metrics  all of it in numbers, for Prometheus\n"+
		"profile  a profile for go tool pprof; profile?view=rss, and so on\n"+
		"stacks   the same as a tree, as JSON\n"+
		"source   lines of a file that a function is from, as JSON\n"+
		"trim     POST with the header X-Cgoheap: 1: malloc returns to the kernel what the program has freed\n"+
		"sampling POST with that header: sampling?bytes=N changes how often there is a sample\n"+
		"dump     POST with that header: makes a dump, where the program makes them\n"+
		"\na browser shows all of it as a page\n")
}

func (s *Server) about(w http.ResponseWriter, r *http.Request) { s.json(w, r, s.source.About()) }

func (s *Server) trim(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprintf(page.Text(w), "returned %s to the kernel\n", report.Bytes(s.source.Trim()))
}

func (s *Server) sampling(w http.ResponseWriter, r *http.Request) {
	var bytes int64
	_, err := samplingParameters.Parse(&bytes, r.URL.RawQuery)
	if err == nil && bytes == 0 {
		err = errors.New("cgoheap: the parameter bytes is missing")
	}
	if err == nil {
		err = s.source.SetSampleBytes(bytes)
	}
	if err != nil {
		page.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	fmt.Fprintf(page.Text(w), "from now on %s\n", report.Sampling(bytes))
}

// dump makes a dump as a signal does, in each directory that dumps are made in, and answers with the paths.
func (s *Server) dump(w http.ResponseWriter, _ *http.Request) {
	all := s.source.Dumps()
	if len(all) == 0 {
		page.Error(w, "cgoheap: the program makes no dumps: it has not called StartDumps or DumpOnSignal", http.StatusNotFound)
		return
	}
	var paths string
	var failed error
	for _, d := range all {
		path, err := d.Now()
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		paths += fmt.Sprintf("wrote %s\n", path)
	}
	if failed != nil {
		page.Error(w, paths+"cgoheap: "+failed.Error(), http.StatusInternalServerError)
		return
	}
	fmt.Fprint(page.Text(w), paths)
}

func (s *Server) account(w http.ResponseWriter, r *http.Request) {
	q, err := parsePage(r, accountParameters)
	if err != nil {
		page.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var a fmt.Stringer
	err = s.inTurn(r, func() (err error) {
		a, err = s.source.Account()
		return err
	})
	switch {
	case err != nil:
		page.Error(w, err.Error(), http.StatusServiceUnavailable)
	case q.asJSON:
		s.json(w, r, a)
	default:
		_, _ = io.WriteString(page.Text(w), a.String())
	}
}

func (s *Server) suspects(w http.ResponseWriter, r *http.Request) {
	q, err := parsePage(r, suspectsParameters)
	if err != nil {
		page.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if q.search {
		_ = s.source.SearchSuspects() // the text says why not, and each Suspect
	}
	var list any
	var text string
	err = s.inTurn(r, func() (err error) {
		list, text, err = s.source.Suspects(q.search)
		return err
	})
	switch {
	case err != nil:
		page.Error(w, err.Error(), http.StatusServiceUnavailable)
	case q.asJSON:
		s.json(w, r, list)
	default:
		_, _ = io.WriteString(page.Text(w), text)
	}
}

func (s *Server) json(w http.ResponseWriter, r *http.Request, value any) {
	s.sent(page.WriteJSON(w, r, value))
}

// sent logs why an answer was not sent, if it was not.
func (s *Server) sent(err error) {
	if err != nil {
		s.logger.Debug("cgoheap: serving a page", slog.Any("error", err))
	}
}

func (s *Server) timeline(w http.ResponseWriter, r *http.Request) {
	if hasParameters(w, r, "timeline has") {
		return
	}
	t := s.source.Timeline()
	if t == nil {
		page.Error(w, "cgoheap: no timeline is kept: set Config.Timeline (CGOHEAP_TIMELINE=true), or there was no room for it in Config.TableBytes",
			http.StatusNotFound)
		return
	}
	s.json(w, r, t)
}

func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	if hasParameters(w, r, "metrics have") {
		return
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(s.source.Metrics())
}

// hasParameters refuses a request of a page that takes none.
func hasParameters(w http.ResponseWriter, r *http.Request, what string) bool {
	if r.URL.RawQuery != "" {
		page.Error(w, fmt.Sprintf("cgoheap: the %s no parameters, and there are %q", what, r.URL.RawQuery), http.StatusBadRequest)
	}
	return r.URL.RawQuery != ""
}

// pageQuery holds the parsed parameters of a page.
type pageQuery struct {
	asJSON bool
	search bool // look for pointers first
}

var (
	accountParameters  = Parameters[pageQuery]{"format": (*pageQuery).setFormat}
	samplingParameters = Parameters[int64]{"bytes": SetNumber[int64]}
	suspectsParameters = Parameters[pageQuery]{
		"format": (*pageQuery).setFormat,
		"search": func(q *pageQuery, value string) error { return SetFlag(&q.search, value) },
	}
)

// parsePage parses the parameters of a request. The one for JSON is stronger than the header.
func parsePage(r *http.Request, parameters Parameters[pageQuery]) (q pageQuery, err error) {
	q.asJSON = strings.Contains(r.Header.Get("Accept"), "application/json")
	_, err = parameters.Parse(&q, r.URL.RawQuery)
	return q, err
}

func (q *pageQuery) setFormat(value string) error {
	if q.asJSON = value == "json"; !q.asJSON && value != "text" {
		return errors.New("it must be json or text")
	}
	return nil
}

// inTurn makes an answer when no other one is being made. A page asks for several at once, and the program must not wait for all of
// its processors meanwhile. If whoever asked has gone by then, nothing is made.
func (s *Server) inTurn(r *http.Request, answer func() error) error {
	s.answering.Lock()
	defer s.answering.Unlock()
	if err := r.Context().Err(); err != nil {
		return err
	}
	return answer()
}
