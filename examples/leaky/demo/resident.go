package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/examples/leaky/flame"
)

// resident is what the service says of its RSS: the account in lines, and a profile with stacks.
type resident struct {
	account string
	profile []byte
}

// askResident asks for both. Each is of its own moment; the service rests meanwhile.
func (s *server) askResident(ctx context.Context) (r resident, err error) {
	account, err := s.get(ctx, "/debug/cgoheap/account")
	if err != nil {
		return r, fmt.Errorf("asking for the account: %w", err)
	}
	r.account = string(account)
	if r.profile, err = s.get(ctx, "/debug/pprof/cgoheap?view=rss"); err != nil {
		return r, fmt.Errorf("asking for the profile of RSS: %w", err)
	}
	return r, nil
}

func (s *server) get(ctx context.Context, path string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: got %s: %.200s", path, answer.Status, body)
	}
	return body, err
}

// keep writes the profile into the directory out, and returns its path.
func (r resident) keep(out string) (string, *profile.Profile, error) {
	path := filepath.Join(out, "leaky.rss.pb.gz")
	if err := os.WriteFile(path, r.profile, 0o644); err != nil {
		return "", nil, err
	}
	p, err := profile.ParseData(r.profile)
	if err != nil {
		return "", nil, fmt.Errorf("reading the profile of RSS: %w", err)
	}
	return path, p, p.CheckValid()
}

// holders returns how much of RSS each handler holds. Memory without one is by its line of the account.
func holders(p *profile.Profile) (map[string]int64, error) {
	inuseSpace, err := valueOf(p, "inuse_space")
	if err != nil {
		return nil, err
	}
	held := map[string]int64{}
	for _, sample := range p.Sample {
		held[holderOf(sample)] += sample.Value[inuseSpace]
	}
	return held, nil
}

func holderOf(sample *profile.Sample) string {
	if leaf := leafOf(sample); strings.HasPrefix(leaf, "[") {
		return leaf
	}
	if slices.Contains(sample.Label["heap"], "go") {
		return "(Go's heap, with stacks)"
	}
	return ownerOf(sample)
}

func leafOf(sample *profile.Sample) string {
	if len(sample.Location) == 0 || len(sample.Location[0].Line) == 0 {
		return ""
	}
	return sample.Location[0].Line[0].Function.Name
}

func printHolders(w io.Writer, p *profile.Profile) error {
	held, err := holders(p)
	if err != nil {
		return err
	}
	var sum int64
	for _, bytes := range held {
		sum += bytes
	}
	fmt.Fprint(w, "\nRSS by handler, and by line where there is no stack\n\n")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	names := slices.SortedFunc(maps.Keys(held), func(x, y string) int {
		return cmp.Or(cmp.Compare(held[y], held[x]), cmp.Compare(x, y))
	})
	for _, name := range names[:min(topRows, len(names))] {
		fmt.Fprintf(table, "%s\t%s\t  %s\n", flame.FormatBytes(held[name]), flame.FormatShare(held[name], sum), name)
	}
	return table.Flush()
}

// mapping is the handler that leaks memory which a library maps, and mapper the library's function that maps it.
const mapping, mapper = "handleExport", "unixRemapfile"

// printMapped prints the largest stack of memory that was mapped.
func printMapped(w io.Writer, rss *profile.Profile) error {
	stacks, err := callStacks(rss)
	if err == nil {
		sum := total(stacks)
		printLargest(w, slices.DeleteFunc(stacks, func(s *callStack) bool { return !s.calls(mapper) }), mapping, sum)
	}
	return err
}

// judgeMapped fails unless the profile of RSS shows who had the library map memory.
func judgeMapped(rss *profile.Profile) error {
	stacks, err := callStacks(rss)
	if err != nil {
		return err
	}
	var held int64
	for _, s := range stacks {
		if s.owner == mapping && s.calls(mapper) {
			held += s.inUse
		}
	}
	if share := float64(held) / float64(max(total(stacks), 1)); share < guiltyShare {
		return fmt.Errorf("%s leaks memory that %s maps, but holds only %.1f %% of RSS", mapping, mapper, 100*share)
	}
	return nil
}
