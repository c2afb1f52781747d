package victim

// #include "victim.h"
// #include "walk.h"
import "C"

// Walks is one stack as two walkers saw it: addresses of call sites in C, leaf first, above the function that called both.
type Walks struct {
	Calls        int // how many stacks were walked
	Ours, Theirs []uintptr
}

// Callers are the functions of libc and libstdc++ that call back into code which walks the stack, and the signals that
// lead to it, by name.
var Callers = map[string]func(){
	"qsort":                     func() { C.victim_walk_from_qsort() },
	"qsort_r":                   func() { C.victim_walk_from_qsort_r() },
	"bsearch":                   func() { C.victim_walk_from_bsearch() },
	"tsearch":                   func() { C.victim_walk_from_tsearch() },
	"twalk":                     func() { C.victim_walk_from_twalk() },
	"once":                      func() { C.victim_walk_from_once() },
	"nftw":                      func() { C.victim_walk_from_nftw() },
	"fprintf":                   func() { C.victim_walk_from_printf() },
	"thread":                    func() { C.victim_walk_from_thread() },
	"sort":                      func() { C.victim_walk_from_sort() },
	"for_each":                  func() { C.victim_walk_from_for_each() },
	"function":                  func() { C.victim_walk_from_function() },
	"ostream":                   func() { C.victim_walk_from_ostream() },
	"regex":                     func() { C.victim_walk_from_regex() },
	"time_put":                  func() { C.victim_walk_from_locale() },
	"std::thread body":          func() { C.victim_walk_from_cxx_thread() },
	"call_once":                 func() { C.victim_walk_from_call_once() },
	"destructor during a throw": func() { C.victim_walk_from_destructor_in_flight() },
	"signal in raise":           func() { C.victim_walk_from_raise() },
	"signal at a leaf":          func() { C.victim_walk_from_trap() },
	"every instruction":         func() { C.victim_walk_from_steps() },
}

// WalkBoth runs a function that walks the stack somewhere below, and returns the first stack on which cgoheap_walk and
// _Unwind_Backtrace disagree in a frame that both have, or else the last stack. Ours is empty in a program without package
// cgo. One call at a time.
func WalkBoth(below func()) Walks {
	C.victim_walks_forget()
	below()
	kept := C.victim_walks_kept()
	walks := Walks{Calls: int(kept.calls)}
	for _, pc := range kept.ours[:kept.ours_depth] {
		walks.Ours = append(walks.Ours, uintptr(pc))
	}
	for _, pc := range kept.theirs[:kept.theirs_depth] {
		walks.Theirs = append(walks.Theirs, uintptr(pc))
	}
	return walks
}
