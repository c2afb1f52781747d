package servers

import (
	"errors"
	"fmt"
)

// reader is either server, which can report what a service allocated.
type reader interface {
	// allocated returns the allocated bytes in all profiles together.
	allocated(service string) (stacks, error)
}

func (p *parcaServer) allocated(service string) (stacks, error) {
	return p.sum(fmt.Sprintf("memory:alloc_space:bytes:space:bytes:delta{job=%q}", service), "alloc_space:bytes")
}

func (p *pyroscopeServer) allocated(service string) (stacks, error) {
	from, to := lately()
	return p.sum("memory:alloc_space:bytes:space:bytes", fmt.Sprintf("{service_name=%q}", service), from, to)
}

// allocationsDiffer returns an error that names the paths of a service that do not have these amounts.
func allocationsDiffer(r reader, service string, want stacks) error {
	got, err := r.allocated(service)
	return errors.Join(err, amountsDiffer(got, want))
}
