package cgoheap

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/cgoheap/cgoheap/internal/page"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/self"
)

// PagesHandler serves the pages below /debug/cgoheap/, which are for people. Register it for that folder twice, as
// "GET /debug/cgoheap/" and, for what changes something, as "POST /debug/cgoheap/": without the method, the pattern conflicts with
// a pattern such as "GET /". It may lie below a prefix, such as /internal/debug/cgoheap/. A browser that opens the folder gets a page
// with all of it: what RSS consists of, what grows, and flame graphs. Other clients get a list of what there is:
//
//	about      what is being recorded, as JSON
//	account    what the process's RSS consists of: see Account. format=json, or an Accept header that asks for
//	           application/json, makes it JSON
//	suspects   what grows, how fast, and what that means: see Suspects; text or JSON, as account. search=1 looks for
//	           what points to their blocks before it answers: see SearchSuspects
//	timeline   what memory the process took in the last hour and days, as JSON, with Config.Timeline or BlackBox
//	metrics    the same in numbers, and more, for Prometheus: see Metrics
//	profile    a profile, with the parameters of Handler. Beside them, view=growth takes from and to, in milliseconds since
//	           1970: then it compares the moments nearest to them that are kept for suspects, of the stacks that are kept
//	stacks     the same as JSON for the page: a tree of at most some 500,000 nodes. by=KEY divides it by the values of a label
//	source     the lines of source around those with the numbers near, of file, as JSON: only of a file that a function of the profile
//	           is from, by its debug data, and if it is on the machine. The other parameters choose the profile
//	trim       a POST makes malloc return free memory to the kernel: see Trim. The answer reports how much
//	sampling   a POST with bytes=N changes how often there is a sample: see SetSampleBytes
//	dump       a POST makes a dump where StartDumps makes them, and answers with its path
//
// What changes something needs the header X-Cgoheap: 1, which no page of another host can send: curl -X POST -H 'X-Cgoheap: 1'. The
// request must name the service by an address, as localhost, or by a name in Config.Hosts, because any name can be made to lead to it.
// Unknown parameters are answered with 400 and a sentence.
func (p *Profiler) PagesHandler() http.Handler {
	return p.guarded(&page.Handler{Hosts: p.hosts(), Pages: map[string]http.HandlerFunc{
		"": servePage, "about": p.serveAbout, "account": p.serveAccount, "suspects": p.serveSuspects, "timeline": p.serveTimeline,
		"metrics": p.serveMetrics, "profile": p.serveProfile, "stacks": p.serveStacks, "source": p.serveSource,
		page.PartTrim: p.serveTrim, page.PartSampling: p.serveSampling, page.PartDump: p.serveDump,
	}})
}

// hosts are the names that the program allows. A nil Profiler has none.
func (p *Profiler) hosts() page.Hosts {
	if p == nil {
		return nil
	}
	return p.config.Hosts
}

// servePage serves the folder itself.
func servePage(w http.ResponseWriter, r *http.Request) {
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

func (p *Profiler) serveAbout(w http.ResponseWriter, r *http.Request) {
	a := page.About{Name: self.Name, PID: os.Getpid(), SampleBytes: p.recording.SampleBytes(), Timeline: p.timeline() != nil,
		Dumps: len(p.dumps.all()) > 0, Since: p.began.UnixMilli()}
	if kept, since := p.suspects.Moments(); kept > 0 {
		a.Moments, a.Looked = kept, since.UnixMilli()
	}
	p.serveJSON(w, r, a)
}

func (p *Profiler) serveTrim(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprintf(page.Text(w), "returned %s to the kernel\n", report.Bytes(p.Trim()))
}

func (p *Profiler) serveSampling(w http.ResponseWriter, r *http.Request) {
	q, err := parsePage(r, samplingParameters)
	if err == nil && q.bytes == 0 {
		err = errors.New("cgoheap: the parameter bytes is missing")
	}
	if err == nil {
		err = p.SetSampleBytes(q.bytes)
	}
	if err != nil {
		page.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	fmt.Fprintf(page.Text(w), "from now on %s\n", report.Sampling(q.bytes))
}

func (p *Profiler) serveAccount(w http.ResponseWriter, r *http.Request) {
	q, err := parsePage(r, accountParameters)
	if err != nil {
		page.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var a *Account
	err = p.inTurn(r, func() (err error) {
		a, err = p.Account()
		return err
	})
	if err != nil {
		page.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	if !q.asJSON {
		_, _ = io.WriteString(page.Text(w), a.String())
		return
	}
	p.serveJSON(w, r, a)
}

func (p *Profiler) serveJSON(w http.ResponseWriter, r *http.Request, value any) {
	p.sent(page.WriteJSON(w, r, value))
}

// sent logs why an answer was not sent, if it was not.
func (p *Profiler) sent(err error) {
	if err != nil {
		p.config.Logger.Debug("cgoheap: serving a page", slog.Any("error", err))
	}
}

// serveTimeline takes no parameters.
func (p *Profiler) serveTimeline(w http.ResponseWriter, r *http.Request) {
	if r.URL.RawQuery != "" {
		page.Error(w, fmt.Sprintf("cgoheap: the timeline has no parameters, and there are %q", r.URL.RawQuery), http.StatusBadRequest)
		return
	}
	t := p.timeline()
	if t == nil {
		page.Error(w, "cgoheap: no timeline is kept: set Config.Timeline (CGOHEAP_TIMELINE=true), or there was no room for it in Config.TableBytes",
			http.StatusNotFound)
		return
	}
	p.serveJSON(w, r, t)
}

// pageQuery holds the parsed parameters of a page.
type pageQuery struct {
	asJSON bool
	search bool // look for pointers first
	bytes  int64
}

// pageParameters maps the name of each parameter of a page to the function that parses its value.
type pageParameters map[string]func(q *pageQuery, value string) error

var (
	accountParameters  = pageParameters{"format": (*pageQuery).setFormat}
	suspectsParameters = pageParameters{
		"format": (*pageQuery).setFormat,
		"search": func(q *pageQuery, value string) error { return setFlag(&q.search, value) },
	}
	samplingParameters = pageParameters{
		"bytes": func(q *pageQuery, value string) error { return setNumber(&q.bytes, value) },
	}
)

// parsePage parses the parameters of a request. The one for JSON is stronger than the header.
func parsePage(r *http.Request, parameters pageParameters) (q pageQuery, err error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return q, fmt.Errorf("cgoheap: the parameters %q: %w", r.URL.RawQuery, err)
	}
	q.asJSON = strings.Contains(r.Header.Get("Accept"), "application/json")
	for name, list := range values {
		set, known := parameters[name]
		if !known {
			return q, fmt.Errorf("cgoheap: there is no parameter %q", name)
		}
		for _, value := range list {
			if err := set(&q, value); err != nil {
				return q, fmt.Errorf("cgoheap: the parameter %s is %q; %w", name, value, err)
			}
		}
	}
	return q, nil
}

func (q *pageQuery) setFormat(value string) error {
	if q.asJSON = value == "json"; !q.asJSON && value != "text" {
		return errors.New("it must be json or text")
	}
	return nil
}

// inTurn makes an answer when no other one is being made. A page asks for several at once, and the program must not wait for all of
// its processors meanwhile. If whoever asked has gone by then, nothing is made.
func (p *Profiler) inTurn(r *http.Request, answer func() error) error {
	p.answering.Lock()
	defer p.answering.Unlock()
	if err := r.Context().Err(); err != nil {
		return err
	}
	return answer()
}
