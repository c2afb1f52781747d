// Package guilty decides which functions of a stack are named as those that allocated: in suspects, in the log, in what is said of a
// dead process, in the terminal and in what holds blocks.
//
//	malloc ◄─ av_malloc ◄─ pool_grow ◄─ open_input ◄─ C.open_input ◄─ codec.Open ◄─ main.handle ◄─ http.(*conn).serve
//	          a wrapper    Inner        Entry                                       Caller
package guilty
