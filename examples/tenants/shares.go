package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// inUse returns the native memory in use of each tenant, in bytes; "" is memory without a tenant.
func inUse(p *profile.Profile) map[string]int64 {
	bytes := make(map[string]int64)
	for _, s := range p.Sample {
		bytes[strings.Join(s.Label["tenant"], "")] += s.Value[len(s.Value)-1] // inuse_space is the last
	}
	return bytes
}

// printShares prints who holds how much, the largest first.
func printShares(out io.Writer, p *profile.Profile) {
	bytes := inUse(p)
	var total int64
	for _, n := range bytes {
		total += n
	}
	tenants := slices.SortedFunc(maps.Keys(bytes), func(a, b string) int { return int(bytes[b] - bytes[a]) })
	for _, tenant := range tenants {
		name := tenant
		if name == "" {
			name = "(none)"
		}
		fmt.Fprintf(out, "%-10s %6.1f MiB %5.1f %%\n", name, float64(bytes[tenant])/(1<<20), 100*float64(bytes[tenant])/float64(total))
	}
}
