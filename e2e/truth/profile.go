package truth

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/check"
)

// Take writes a profile and reads it back. A fault that package check finds in it is an error.
func Take(p *cgoheap.Profiler) (*profile.Profile, error) { return TakeView(p, cgoheap.ViewInUse()) }

// TakeView writes a profile of a view and reads it back. A fault that package check finds in it is an error.
func TakeView(p *cgoheap.Profiler, v cgoheap.View) (*profile.Profile, error) {
	var written bytes.Buffer
	if err := p.Write(&written, cgoheap.Selection{View: v}); err != nil {
		return nil, err
	}
	return Parse(written.Bytes())
}

// Parse reads a profile. A fault that package check finds in it is an error.
func Parse(written []byte) (*profile.Profile, error) {
	faults, err := check.Profile(bytes.NewReader(written))
	for _, f := range faults {
		if f.Severity == check.Error {
			err = errors.Join(err, errors.New(f.String()))
		}
	}
	read, parsing := profile.ParseData(written)
	return read, errors.Join(err, parsing)
}

// Names returns the functions of a sample, leaf first. A location without a name has its address.
func Names(sample *profile.Sample) []string {
	var names []string
	for _, location := range sample.Location {
		for _, line := range location.Line {
			names = append(names, line.Function.Name)
		}
		if len(location.Line) == 0 {
			names = append(names, fmt.Sprintf("%#x", location.Address))
		}
	}
	return names
}

// BlockSize returns the size of a sample's blocks; 0 if it has several sizes.
func BlockSize(sample *profile.Sample) int64 {
	if sizes := sample.NumLabel["bytes"]; len(sizes) == 1 {
		return sizes[0]
	}
	return 0
}

// Sums adds up the samples of a profile by their keys. Samples for which key returns false are left out.
func Sums[K comparable](p *profile.Profile, key func(*profile.Sample) (k K, ok bool)) map[K]Values {
	sums := make(map[K]Values)
	for _, sample := range p.Sample {
		if k, ok := key(sample); ok {
			sum := sums[k]
			sum.Add(Values(sample.Value))
			sums[k] = sum
		}
	}
	return sums
}
