package cgoheap

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/cgoheap/cgoheap/internal/dump"
	"github.com/cgoheap/cgoheap/internal/flight"
	"github.com/cgoheap/cgoheap/internal/page"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/self"
	"github.com/cgoheap/cgoheap/internal/serve"
	"github.com/cgoheap/cgoheap/pprof"
	"github.com/cgoheap/cgoheap/stack"
)

// Handler serves a profile for each GET, as net/http/pprof serves Go's. Register it as "GET /debug/pprof/cgoheap": without
// the method, the pattern conflicts with net/http/pprof's own. Parameters select what the profile shows, like the fields of
// Selection and the arguments of its View:
//
//	view=inuse|allocated|peak|age|shortlived|growth|rss|unreachable|heldby|pinned|device
//	older=10m     view=age and unreachable: only blocks of at least this age; unreachable leaves out those below 1s without it
//	within=1s     view=shortlived: how soon they were freed: 100ms, 1s, 10s, 1m, 10m or 1h
//	seconds=30    the answer comes after 30 s and is a delta, which may begin up to a second earlier; growth needs it
//	heap=all      Go's own heap too; gc=1 collects its garbage first, for the views unreachable and heldby, too
//	samples=16000 and bytes=4000000 are bounds on the profile
//	reset=1       view=peak: forget the peak once the profile is written
//	bare=1        functions without a name are not named after their file: see Selection.BareAddresses
//	debug=1       text for a person: totals, the largest stacks, each with the error of sampling; suspects, if they are kept; what was lost
//
// A browser may reset the peak only with the header X-Cgoheap: 1, as PagesHandler wants it, so that no page of another host makes it;
// go tool pprof and curl need none. The request must name the host as PagesHandler wants it, too.
// Invalid parameters are answered with 400 and a sentence. Requests with seconds that arrive within a second of each other
// share one Baseline. The Baselines of all waiting requests together may hold 64 MiB; a request beyond that is answered with
// 429, Retry-After and a sentence.
func (p *Profiler) Handler() http.Handler { return p.serving().Profiles() }

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
func (p *Profiler) PagesHandler() http.Handler { return p.serving().Pages() }

// SymbolHandler answers the request that go tool pprof makes after it fetched a profile with an unnamed address: it posts
// the addresses to the path symbol beside the profile's, and fails if nothing answers. The answer has no names, because the
// profile already has all that are known. Register it as "POST /debug/pprof/symbol"; net/http/pprof's own handler there
// takes only GET.
func SymbolHandler() http.Handler { return serve.Symbol() }

// serving returns what answers. A Profiler that was not started, perhaps a nil one, can be registered too: it answers with 500.
func (p *Profiler) serving() *serve.Server {
	if p == nil || p.server == nil {
		return serve.New(served{p}, nil, slog.New(slog.DiscardHandler), p.failed)
	}
	return p.server
}

// served is what package serve sees of a profiler.
type served struct{ *Profiler }

func (s served) Parse(parameters string) (*serve.Query, error) {
	q, err := parseQuery(parameters)
	if err != nil {
		return nil, err
	}
	return &serve.Query{View: q.View.String(), Wait: q.wait, GoHeap: q.GoHeap, Text: q.text, Collect: q.gc && !q.View.collect, Reset: q.reset,
		Searches: q.View.searches(), Write: s.writer(&q)}, nil
}

func (s served) About() page.About {
	a := page.About{Name: self.Name, PID: os.Getpid(), SampleBytes: s.recording.SampleBytes(), Timeline: s.timeline() != nil,
		Dumps: len(s.Dumps()) > 0, Since: s.began.UnixMilli()}
	if kept, since := s.suspects.Moments(); kept > 0 {
		a.Moments, a.Looked = kept, since.UnixMilli()
	}
	return a
}

func (s served) Timeline() *flight.Timeline { return s.timeline() }

func (s served) Account() (fmt.Stringer, error) { return s.Profiler.Account() }

func (s served) Metrics() []byte { return metricsText(s.Profiler.Metrics()) }

func (s served) Dumps() []*dump.Dumps { return s.dumps.all() }

// Between writes a profile of how the stacks that are kept for suspects have changed from one moment to another.
func (s served) Between(from, to time.Time, packed pprof.Compression, file *bytes.Buffer) error {
	defer s.recording.Reading()()
	change, err := s.suspects.Between(from, to)
	if err != nil {
		return fmt.Errorf("%w: %w", serve.ErrNoMoments, err)
	}
	snapshot, err := s.recording.Snapshot()
	if err != nil {
		return fmt.Errorf("cgoheap: %w", err)
	}
	h := newHeaps(snapshot, false)
	h.native.Start, h.native.Time, h.native.Samples = change.From, change.To, nil
	for _, one := range snapshot.Samples {
		if grown, changed := change.Bytes[one.ID]; changed {
			one.Values = stack.Values{InuseBytes: int64(grown)}
			h.native.Samples = append(h.native.Samples, one)
		}
	}
	asked := &request{Selection: Selection{View: View{kind: viewGrowth}, Compression: int(packed)}}
	return s.compose(asked, snapshot, h, func(r *report.Report) error {
		r.Header.Duration = change.To.Sub(change.From)
		r.Header.Comments = append(r.Header.Comments, "cgoheap: of the stacks that are watched for suspects; blocks are not counted")
		if change.Cut {
			r.Header.Comments = append(r.Header.Comments, "cgoheap: only the 256 stacks that matter most are watched, and there are more")
		}
		return r.Write(file)
	})
}
