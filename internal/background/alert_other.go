//go:build !linux

package background

import "time"

// alert is raised once.
type alert chan struct{}

func newAlert() alert { return make(alert) }

func (a alert) raise() { close(a) }

// wait reports whether it was raised within a time.
func (a alert) wait(limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-a:
		return true
	case <-timer.C:
		return false
	}
}
