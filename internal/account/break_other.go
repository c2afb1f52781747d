//go:build !linux

package account

func endOfBreak() uint64 { return 0 }
