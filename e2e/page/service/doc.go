// Command service is a program whose C++ has names that a careless page would take for HTML. It records every allocation.
package main
