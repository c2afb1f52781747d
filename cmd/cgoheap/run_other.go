//go:build !linux

package main

import "errors"

func (r *running) run(*streams, []string) (int, error) {
	return exitUnreadable, errors.New("programs can be recorded on Linux only")
}
