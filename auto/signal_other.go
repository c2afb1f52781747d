//go:build !unix

package auto

import (
	"errors"
	"os"
)

func defaultSignals() []os.Signal { return nil }

func parseSignal(string) (os.Signal, error) {
	return nil, errors.New("there are no signals on this platform")
}
