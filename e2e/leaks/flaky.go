package main

import (
	"encoding/json"
	"errors"
	"os"
)

// A flaky case failed in some tries, and in the last it did not. tools/tests has the same type, prints these at the end of all
// tests, and does not record such a run as passed.
type flaky struct {
	Name         string
	Failed, Runs int
	Output       string
}

// recordFlaky adds a line to the file in which tools/tests records; "" is none.
func recordFlaky(path string, f flaky) error {
	if path == "" {
		return nil
	}
	line, err := json.Marshal(struct{ Flaky []flaky }{[]flaky{f}})
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(append(line, '\n')) // at once: other cases write too
	return errors.Join(err, file.Close())
}
