//go:build !linux

package scratch

import "errors"

var errNone = errors.New("scratch memory is mapped on Linux only")

func mapPages(int) ([]byte, error) { return nil, errNone }

func remap([]byte, int) ([]byte, error) { return nil, errNone }

func unmap([]byte) {}

func drop([]byte) {}
