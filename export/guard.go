package export

import (
	"fmt"

	"github.com/cgoheap/cgoheap/export/internal/delivery"
)

// guarded runs code outside this package and turns a panic into an error: a profile must not end the host.
func guarded(name string, run func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &delivery.Failure{Err: fmt.Errorf("%s panicked: %v", name, cause), Verdict: delivery.Refused}
		}
	}()
	return run()
}
