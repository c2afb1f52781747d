//go:build linux && cgo

// Command plugged opens plugins.
//
//	plugged core PLUGIN ARGUMENT...
//		The plugin is the program core, which records and judges itself: all that it allocates comes from C that the
//		plugin's Go code calls. Both contain the profiler; the hooks and the tables are the program's.
//	plugged guest PLUGIN
//		The plugin is package guest. It is opened while the program records, and many goroutines call it at once.
package main
