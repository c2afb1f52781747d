//go:build !linux

package account

import "errors"

func openPages(string) (pages, error) { return noPages{}, errNoPages }

var errNoPages = errors.New("pages are looked up on Linux only")

func newResidence() pages { return noPages{} }

type noPages struct{}

func (noPages) runs([]area, func(*area, run)) error { return errNoPages }
func (noPages) close()                              {}
