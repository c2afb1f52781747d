package cgoheap_test

import (
	"expvar"
	"log"
	"log/slog"

	"github.com/cgoheap/cgoheap"
)

// A service logs each suspect and counts them by class, so that an alert can be made of the count.
func ExampleConfig_onSuspect() {
	counts := expvar.NewMap("native_memory_suspects")
	p, err := cgoheap.Start(cgoheap.Config{OnSuspect: func(s cgoheap.Suspect) {
		counts.Add(s.Class, 1)
		slog.Warn("native memory: "+s.Sentence, slog.String("class", s.Class), slog.Float64("bytes_per_minute", s.Growth))
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer p.Stop()
}
