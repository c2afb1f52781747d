package audit

import "time"

// Result is what an audited program prints.
type Result struct {
	Asked   int   // how many moments there should be at least
	Rest    bool  // no round was under way in any of them
	Rounds  int64 // that the load made meanwhile
	Moments []Moment
	Remark  string // of the load's Check
}

// Moment is an account, and what the kernel said of RSS meanwhile.
type Moment struct {
	Took        time.Duration
	Worked      time.Duration    // the processors' time meanwhile of all threads but those of the account and of the watch
	Rounds      int64            // that the load ended meanwhile
	Least, Most int64            // of the kernel's answers before the account, during it and after it
	First, Last int64            // of these answers
	Faulted     int64            // bytes that became resident meanwhile: a page for each fault that the kernel counted
	Lines       map[string]int64 // resident bytes
	Partial     string           // why the account is incomplete
}
