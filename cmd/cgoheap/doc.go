// Command cgoheap shows what a process's memory consists of, writes its profile without its help, also after the process was
// killed, and checks profiles.
//
//	go run github.com/cgoheap/cgoheap/cmd/cgoheap top URL|PID|FILE|BOX
//
// shows what memory consists of, what grew since it began, and the suspects with their sentences. URL is a service's address
// (also HOST:PORT), or any of its cgoheap addresses, and needs Profiler.PagesHandler there. A process is read from outside as by dump -view
// rss, which stops its threads at each look. FILE is a profile, gzipped or not; BOX is a black box (cgoheap.*.box) whose process
// is gone, which stays as it is. Lines of the last three are the innermost function and the innermost Go function that called it.
//
// On a terminal, it looks again every three seconds (-every) until q or Ctrl-C; colours are off if NO_COLOR is set. Through a pipe, or
// with -n COUNT, it prints one look, or so many, as text of 80 columns. -json prints a JSON object for each look instead. A service that
// does not answer within 30 s (-timeout) is an error at the first look; later, the error is shown and the last look stays. Answers of more than
// 16 MiB and profiles of more than 256 MiB are refused. Control characters in names are escaped, as \u001b.
//
//	go run github.com/cgoheap/cgoheap/cmd/cgoheap dump PID
//
// writes cgoheap.PID.pb.gz: the profile of a process that records, in use or another view, from outside; the process may hang,
// be stopped, or serve no profile. Its threads stand still while its tables are copied, some tens of milliseconds. Names come
// from its files, which are found in its own file system, and from debug files by build ID. As a debugger, it needs the same
// user or CAP_SYS_PTRACE. With the path of a core file in place of PID, it reads that. What the profile says in its comments is
// missing: Go's own heap, unless a flight recorder has noted it, and memory that was mapped directly.
//
//	cgoheap dump -view rss PID
//
// writes all resident memory of a living process: blocks of malloc and memory that was mapped directly, with stacks, and the rest by lines
// as in docs/account.md. The total is RSS. The threads stand still for about 5 ms more for each GiB. Neither a core file nor a black box
// says which pages were resident, so this view is refused for them.
//
//	go run github.com/cgoheap/cgoheap/cmd/cgoheap recover FILE|DIR...
//
// writes the profile of the last moment of a process that had a black box (Config.BlackBox, CGOHEAP_BLACKBOX) and is gone, for example
// because the kernel killed it when memory ran out. Each cgoheap.PROGRAM.HOST.PID.TIME.box becomes a cgoheap.PROGRAM.HOST.PID.TIME.pb.gz beside it, or in the
// directory that -o names, and a .json file with the account and the timeline of its last hours. A file that is there already is not
// overwritten. The boxes stay, unless -rm is given:
//
//	$ cgoheap recover -rm -o /dumps /boxes
//	/dumps/cgoheap.shop.shop-7d4f.1.k3v9x2m1p0a.pb.gz: /shop, process 1 on shop-7d4f, ended at about 2026-11-20T10:15:00Z, 2h15m0s after its recording
//	  began: the kernel killed it because its control group was out of memory (1 kill in the group since its last second)
//	  its resident memory was ...
//	  most was held by ...
//	/boxes/cgoheap.shop.shop-9c1e.1.k3v9y7q2b4c.box: its process still runs, or somebody recovers it now
//
// A process that still runs is an error only if its box is named itself, and not the directory. A user recovers what is his own, and root
// what is anyone's. The flags for views and names are those of dump. A box that was made and never written, because the process ended before it
// began to record, is reported as that; so is one that is damaged, cut short or of another version. They stay where they are, and hinder no other.
//
//	go run github.com/cgoheap/cgoheap/cmd/cgoheap check FILE...
//
// lists what readers of pprof profiles will refuse, misread or accept with a warning. It prints a line for each rule that a file
// breaks, with the first part of the profile that breaks it. "-" is standard input:
//
//	$ curl -s http://HOST/debug/pprof/heap | cgoheap check -
//	-: warning label-name: sample[3].label[0] "job-name": the key is not letters, digits, '_' and '.': ...
//
// The exit code is 0 if there are no errors (warnings do not count), 1 if a profile has an error, and 2 if something could not be
// read or written, or is not what it should be. The rules are in package internal/check.
package main
