// Command pyroscope is a service that sends profiles of its native memory to Pyroscope. See README.md.
package main
