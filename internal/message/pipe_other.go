//go:build !linux

package message

import "os"

func write(file *os.File, text []byte) error {
	_, err := file.Write(text)
	return err
}

func waitForBrokenPipes() (stop func()) { return func() {} }
