//go:build !linux

package preload

func setsUser(string) error { return nil }
