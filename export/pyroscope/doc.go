// Package pyroscope sends profiles to Grafana Pyroscope: one of your own, or Grafana Cloud Profiles.
//
//	pyroscope.New(pyroscope.Config{
//		Address:     "http://pyroscope:4040",
//		ServiceName: "shop",
//		Labels:      map[string]string{"region": "eu"},
//	})
//
// The call is Push of push.v1.PusherService, by the Connect protocol: a POST of one profile with the labels of its series.
// The types are those of Go's own memory profile, under the name "memory" unless it is given another:
//
//	memory:inuse_space:bytes:space:bytes        memory:inuse_objects:count:space:bytes
//	memory:alloc_space:bytes:space:bytes        memory:alloc_objects:count:space:bytes
//
// A service that sends Go's own profile too, with another agent, should name this one "cgo_memory", or Pyroscope adds the
// two up.
//
// Two things here are there because of what Pyroscope does. Of a profile "memory", some versions take allocations for
// totals since the start, and subtract the ones before; a label __delta__ tells them that they are not. And each string
// label of a sample becomes a series of its own, so that a thread's name in each sample makes as many series as there are
// threads; so samples have no labels but those that SampleLabels names.
package pyroscope
