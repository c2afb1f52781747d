// Package label checks and orders the labels of a series. Pyroscope and Parca both take names like Prometheus's, and a name
// that they do not like only shows when a profile is refused: better when the program starts.
package label
