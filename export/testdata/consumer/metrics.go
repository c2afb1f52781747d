// A program that prints the metrics of its registry.
package main

import (
	"fmt"
	"log"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/metrics"
)

func main() {
	profiler, err := cgoheap.Start(cgoheap.Config{SampleBytes: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer profiler.Stop()
	registry := prometheus.NewRegistry()
	registry.MustRegister(metrics.NewCollector(profiler))
	families, err := registry.Gather()
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			fmt.Println(f.GetName(), m.GetGauge().GetValue()+m.GetCounter().GetValue())
		}
	}
}
