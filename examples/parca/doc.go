// Command parca is a service that sends profiles of its native memory to Parca. See README.md.
package main
