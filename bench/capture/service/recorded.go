//go:build service && !without

package main

import "github.com/cgoheap/cgoheap"

func record(sample int64) (stop func() error, err error) {
	if sample == 0 {
		return func() error { return nil }, nil
	}
	p, err := cgoheap.Start(cgoheap.Config{SampleBytes: sample})
	if err != nil {
		return nil, err
	}
	return p.Stop, nil
}
