//go:build !unix

package auto

import (
	"errors"
	"os"
)

func defaultSignals() []os.Signal { return nil }

func signalName(s os.Signal) string { return s.String() }

func parseSignal(string) (os.Signal, error) {
	return nil, errors.New("there are no signals on this platform")
}
