//go:build service && without

package main

import "errors"

func record(sample int64) (stop func() error, err error) {
	if sample != 0 {
		return nil, errors.New("this program was built without cgoheap")
	}
	return func() error { return nil }, nil
}
