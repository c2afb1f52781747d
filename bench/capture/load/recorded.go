//go:build !without

package main

import (
	"fmt"
	"os"

	"github.com/cgoheap/cgoheap"
)

func record(sample int64) (stop func(), err error) {
	if sample == 0 {
		return func() {}, nil
	}
	p, err := cgoheap.Start(cgoheap.Config{SampleBytes: sample})
	if err != nil {
		return nil, err
	}
	return func() {
		if err := p.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "load:", err)
		}
	}, nil
}
