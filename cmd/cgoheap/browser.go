package main

import (
	"os"
	"os/exec"
	"runtime"

	"github.com/cgoheap/cgoheap/internal/background"
)

// browse opens an address in a browser if there is a display. That there is no browser is no error: the address is printed.
func browse(address string) {
	for _, command := range browsers() {
		if started := exec.Command(command[0], append(command[1:], address)...); started.Start() == nil { //nolint:gosec // the user's own browser
			go background.Run("waiting for the browser", func() { _ = started.Wait() }, nil)
			return
		}
	}
}

// browsers returns the commands to try.
func browsers() (list [][]string) {
	switch {
	case runtime.GOOS == "darwin":
		return [][]string{{"open"}}
	case runtime.GOOS == "windows":
		return [][]string{{"rundll32", "url.dll,FileProtocolHandler"}}
	case os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "":
		return nil
	}
	if own := os.Getenv("BROWSER"); own != "" {
		list = append(list, []string{own})
	}
	return append(list, []string{"xdg-open"}, []string{"sensible-browser"}, []string{"chromium"}, []string{"firefox"})
}
