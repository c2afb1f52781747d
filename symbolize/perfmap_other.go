//go:build !linux

package symbolize

func ownPerfMap([]madeWant) {}
