package terminal

import (
	"fmt"
	"io"
	"time"

	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/internal/plain"
)

// patience is how long something may take without a word.
const patience = time.Second

// Progress runs do. If that takes more than a second, it says what is being done, and for how long, in a line that is gone
// afterwards; on a terminal only.
func Progress(to io.Writer, what string, do func() error) error {
	if !Is(to) {
		return do()
	}
	return progress(to, what, patience, do)
}

func progress(to io.Writer, what string, every time.Duration, do func() error) error {
	begin, ended, told := time.Now(), make(chan struct{}), make(chan struct{})
	go background.Run("telling of progress", func() {
		defer close(told)
		ticks := time.NewTicker(every)
		defer ticks.Stop()
		said := false
		for {
			select {
			case <-ticks.C:
				said = true
				fmt.Fprintf(to, "\r%s: %.0f s\x1b[K", Cut(plain.Text(what), 60), time.Since(begin).Seconds())
			case <-ended:
				if said {
					fmt.Fprint(to, "\r\x1b[K")
				}
				return
			}
		}
	}, nil)
	defer func() { close(ended); <-told }()
	return do()
}
