//go:build linux && cgo

package servers

import (
	"errors"
	"fmt"
)

// reader is either server, asked what a service allocated.
type reader interface {
	// allocated is what all profiles together say of allocated bytes.
	allocated(service string) (stacks, error)
}

func (p *parcaServer) allocated(service string) (stacks, error) {
	return p.sum(fmt.Sprintf("memory:alloc_space:bytes:space:bytes:delta{job=%q}", service), "alloc_space:bytes")
}

func (p *pyroscopeServer) allocated(service string) (stacks, error) {
	from, to := lately()
	return p.sum("memory:alloc_space:bytes:space:bytes", fmt.Sprintf("{service_name=%q}", service), from, to)
}

// allocationsDiffer says which paths of a service do not have these amounts.
func allocationsDiffer(r reader, service string, want stacks) error {
	got, err := r.allocated(service)
	return errors.Join(err, amountsDiffer(got, want))
}
