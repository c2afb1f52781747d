// Command speed measures how soon the page is there, and what a service feels of it: `go run ./speed` in the folder e2e/page.
//
// The service has 20,000 native stacks and more than 100 MB of debug data. It is started anew for each first visit, whose times
// count from the navigation until the account, the flame graph and the suspects are drawn. Then the button Refresh is pressed three
// times, and the view is changed to RSS and back.
//
// For the service's latency two of these services run: the page of one of them is refreshed over and over, and both get requests in
// turns, which allocate 50 KB in 50 blocks. What the browser takes from the machine, it takes from both.
package main
