package cgoheap

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/cgoheap/cgoheap/internal/dump"
	"github.com/cgoheap/cgoheap/internal/page"
)

// startedDumps are those that have not been stopped.
type startedDumps struct {
	mu   sync.Mutex
	list []*dump.Dumps
}

func (s *startedDumps) add(d *dump.Dumps) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, d)
}

func (s *startedDumps) remove(d *dump.Dumps) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = slices.DeleteFunc(s.list, func(other *dump.Dumps) bool { return other == d })
}

func (s *startedDumps) all() []*dump.Dumps {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list)
}

// serveDump makes a dump as a signal does, in each directory that dumps are made in, and answers with the paths.
func (p *Profiler) serveDump(w http.ResponseWriter, _ *http.Request) {
	all := p.dumps.all()
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
