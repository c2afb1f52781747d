//go:build without

package main

import "errors"

var errWithout = errors.New("this program was built without cgoheap")

type recording struct{}

func record(sample int64, _ string) (recording, error) {
	if sample != 0 {
		return recording{}, errWithout
	}
	return recording{}, nil
}

func (recording) Stop() error { return nil }

func (recording) dump() error { return errWithout }

func (recording) tableBytes() uint64 { return 0 }

func (recording) sampled(int, float64) error { return nil }
