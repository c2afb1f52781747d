// Package pyroscope sends profiles to Grafana Pyroscope: one of your own, or Grafana Cloud Profiles.
//
//	pyroscope.New(pyroscope.Config{
//		Address:     "http://pyroscope:4040",
//		ServiceName: "shop",
//		Labels:      map[string]string{"region": "eu"},
//	})
//
// The call is Push of push.v1.PusherService, by the Connect protocol: a POST of one profile with the labels of its series.
// The types are the same as in Go's own memory profile, under the name "memory" unless the Config sets another:
//
//	memory:inuse_space:bytes:space:bytes        memory:inuse_objects:count:space:bytes
//	memory:alloc_space:bytes:space:bytes        memory:alloc_objects:count:space:bytes
//
// A service that sends Go's own profile too, with another agent, should name this one "cgo_memory", or Pyroscope adds the
// two up.
//
// Two features answer to Pyroscope's behaviour. Some versions read the allocations of a profile named "memory" as totals
// since the start and subtract the previous ones; the label __delta__=false prevents that. And Pyroscope makes a separate
// series of each string label of a sample, so thread names alone would make as many series as there are threads; samples
// therefore keep only the labels that SampleLabels names.
package pyroscope
