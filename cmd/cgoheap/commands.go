package main

import "flag"

// command is a row of the table from which the usage text, the help of each command, the completion for shells and docs/command.md
// are made.
type command struct {
	name      string
	arguments string // as in a line of usage
	summary   string // what it does, after the name
	about     []string
	examples  []example
	files     bool                // whether its arguments may be files
	program   bool                // whether its first argument is a program, and what follows is the program's
	values    map[string][]string // what the values of a flag may be, where they are few
	prepare   func(flags *flag.FlagSet) action
}

// action does what a command does with arguments that are no flags, and returns the exit code. An error is exitUnreadable.
type action func(s *streams, arguments []string) (code int, err error)

type example struct{ line, says string }

// sources says what a command can look at.
const sources = "URL is a service's address (also HOST:PORT), or any of its cgoheap addresses, and needs " +
	"Profiler.PagesHandler there. PID is a process, which is read from outside with the rights of a debugger; its threads " +
	"stand still for some tens of milliseconds. FILE is a profile, gzipped or not, and - is standard input. BOX is the " +
	"black box of a process (cgoheap.*.box, or any path to it): of one that is gone, as it was at its end, or of a living one, as of the last " +
	"time that it settled its tables. Nothing is asked of a living one: the permission to read the file is enough. It stays as it is."

const addressesOfProfiles = "An address below /debug/pprof/, or of /debug/cgoheap/profile, is that of one profile, with the " +
	"parameters in it."

const holders = "the function of a library that Go code called, and the innermost function of package main, or else of a module " +
	"that is no dependency, or else the Go function that called it"

// commands is the table. It is a function because some commands read it.
func commands() []command {
	return []command{runCommand(), topCommand(), viewCommand(), reportCommand(), diffCommand(), dumpCommand(), recoverCommand(), checkCommand(), completionCommand()}
}

func runCommand() command {
	return command{
		name: "run", arguments: "PROGRAM [ARG...]", files: true, program: true,
		values:  map[string][]string{"view": viewNames(), "children": {"none", "all"}},
		summary: "runs a program that nobody rebuilt, and records its native memory",
		about: []string{
			"It starts the program with the profiler before its malloc (LD_PRELOAD), and records from its first instruction: " +
				"malloc and its family, operator new, and mapped memory, with the stacks. The program's input, output, signals " +
				"and exit code are its own; if a signal ended it, the exit code is 128 and the signal's number. At the end, " +
				"however it ended, the profile is written, and a summary says what was in use at the peak and at the end, who held the " +
				"most of it, and how to see more. Unless -exact is given the peak is the highest of many estimates, above the true one. While it runs, -live shows on a terminal what cgoheap top shows, which is not for " +
				"programs that draw on the whole terminal, and with -settle others can " +
				"read its box in /dev/shm/cgoheap-run-*. Stacks of mapped memory are in cgoheap dump -view rss PID, while the program runs. Flags come before the program.",
			"The C compiler of this machine makes the library that records, once, in some seconds, into the user's cache. " +
				"Programs that are linked statically, set-user-ID ones and those for another machine are refused, with what " +
				"to do instead. One that has cgoheap linked in, or a malloc of its own, runs unrecorded, and a line says so.",
			"The tables lie in memory, below /dev/shm, and are removed at the end. With -exact, those of the program lie in shared " +
				"memory that this command holds, unless -tables or -settle is given, or -live on a terminal, or a seccomp filter is in force, as in most containers: " +
				"each allocation then costs a fourth, and they are gone if this command is killed, too. A process that is forked or executed by the " +
				"program is recorded if -children says so, with a profile of its own beside the program's. If this command " +
				"itself is killed, the program runs on. Of a program that executes one that is not recorded, the profile is from before; a " +
				"line says so if the other one ran for some seconds.",
			"The tables count against a limit of address space that the program sets itself (RLIMIT_AS): 256 MiB, with -exact 1 GiB. " +
				"Descriptors 0 to 2, if they were closed, are open in the program, to /dev/null. Under a seccomp filter that forbids " +
				"rt_sigprocmask, the program is killed.",
			"In a Go program (1.20 and later) stacks have C and Go, also in a stripped one. What needs Go inside is not there: Go's " +
				"own heap, labels of goroutines, suspects and what points to a block; cgoheap linked in has them. Where a library " +
				"was opened later, glibc before 2.35 and musl end the stack.",
		},
		examples: []example{
			{"cgoheap run ./server -port 8080", "who holds the memory of a program, with samples of 512 KiB"},
			{"cgoheap run -exact -o new.pb.gz ./test && cgoheap diff -fail 'allocated > 5%' old.pb.gz new.pb.gz", "every " +
				"allocation, for continuous integration"},
			{"cgoheap run -live ./server", "the same, at the bottom of the terminal, while it runs"},
			{"cgoheap run -report leak.html ./server", "and a page for a ticket"},
			{"cgoheap run -children cc1,cc1plus make -j8", "the compilers that make runs, each with a profile"},
		},
		prepare: prepareRun,
	}
}

func topCommand() command {
	return command{
		name: "top", arguments: "URL|PID|FILE|BOX", files: true,
		summary: "shows what memory consists of, and what grows, live in a terminal or as text",
		about: []string{
			"It shows what memory consists of, what grew since it began, and the suspects with their sentences. Lines of a " +
				"process, a profile and a box are " + holders + ".",
			sources,
			"On a terminal it looks again and again until q or Ctrl-C; colours are off if NO_COLOR is set. On 24 rows and " +
				"fewer, suspects that are steady are left out. Through a pipe, or with -n, it prints one look, or so many, " +
				"as text of 80 columns. With -json, the sum is rss and each line has resident where it is RSS, and bytes " +
				"where total says otherwise.",
			"A service that does not answer in time is an error at the first look; later, the error is shown and the last " +
				"look stays.",
		},
		examples: []example{
			{"cgoheap top http://localhost:8080", "what a service's memory consists of, until q"},
			{"cgoheap top -every 10s 4711", "a process, from outside"},
			{"cgoheap top /dev/shm/cgoheap-run-*/cgoheap.server.*.box", "a program that cgoheap run -settle has started"},
			{"cgoheap top -json -n 3 http://localhost:8080 | jq .rss", "three looks for a script"},
		},
		prepare: prepareTop,
	}
}

func viewCommand() command {
	return command{
		name: "view", arguments: "URL|PID|FILE|BOX", files: true, values: map[string][]string{"view": viewNames()},
		summary: "shows the page with flame graphs of a service, a process, a profile or a black box in a browser",
		about: []string{
			"It serves the page on this machine, prints its address, and opens it in a browser if there is a display. It " +
				"serves until Ctrl-C.",
			sources + " " + addressesOfProfiles,
			"Of a service, its own page is shown, also where no browser can go: through a tunnel, or with a header that it " +
				"asks for (-header). The page's files are those of this command, and only the service's data come from " +
				"there. What changes something is refused unless -changes is given.",
			"Of a file, there are flame graphs and tables of each sample type; the account, if it is a profile of RSS, as " +
				"that of a process is unless -view says otherwise. Of a box, there are the verdict, what memory consisted " +
				"of in the last moment, the timeline, and flame graphs of each view; of a living process, as it was when the box was opened, " +
				"and without a verdict.",
			"The address has a secret in it, because others on this machine can reach the port, too. Requests under a " +
				"foreign host name are refused.",
		},
		examples: []example{
			{"cgoheap view cgoheap.4711.pb.gz", "the flame graph of a profile"},
			{"cgoheap view /boxes/cgoheap.shop.shop-7d4f.1.k3v9x2m1p0a.box", "the last moment of a process that was killed"},
			{"cgoheap view -header 'Authorization: Bearer TOKEN' https://shop.example", "a service that wants a token"},
			{"cgoheap view -no-browser -http 127.0.0.1:7070 FILE", "on a server; ssh -L 7070:127.0.0.1:7070 brings it here"},
		},
		prepare: prepareView,
	}
}

func reportCommand() command {
	return command{
		name: "report", arguments: "URL|PID|FILE|BOX", files: true, values: map[string][]string{"view": viewNames()},
		summary: "writes the page of a service, a process, a profile or a black box as one HTML file",
		about: []string{
			"It is the page that cgoheap view shows, with its data in it, to be attached to a ticket: a browser shows it from a disk, and it " +
				"asks nobody for anything.",
			sources + " " + addressesOfProfiles,
			"Of a service it has the views inuse, rss, heldby, unreachable, peak, shortlived and device, as of now: a copy of the process looks for " +
				"what points to its blocks. It has the names of files and the bytes of their lines, and not their text.",
		},
		examples: []example{
			{"cgoheap report http://localhost:8080", "cgoheap.html, of a service"},
			{"cgoheap report -o leak.html cgoheap.4711.pb.gz", "of a profile"},
			{"cgoheap diff -o grown.pb.gz A B && cgoheap report grown.pb.gz", "what one profile has more than another"},
		},
		prepare: prepareReport,
	}
}

func diffCommand() command {
	return command{
		name: "diff", arguments: "A B", files: true, values: map[string][]string{"view": viewNames()},
		summary: "lists what grew and shrank between two profiles, services, processes or black boxes",
		about: []string{
			"It lists what B has more of than A, and less. The lines are " + holders + ", or, with -stacks, whole stacks; " +
				"they add up to the difference of the totals.",
			"A and B may each be any of URL, PID, FILE and BOX. " + sources + " " + addressesOfProfiles + " A file whose last line is the " +
				"summary of cgoheap run -json stands for the profile that it names, beside it or at that path.",
			"What cannot be compared is refused, with what differs: sample types, and views. Sampling intervals may differ: " +
				"values in profiles are estimates that are right on average whatever the interval is, so only their errors " +
				"differ: half of the 95 % interval of each change is beside it, but for Go's own heap. That is left out if only one of the two has it. What else they do not have in common is noted: " +
				"the program, the time that they cover, a bound that one of them was cut to.",
			"The view peak is not right on average: of sampled recordings it has the highest of all estimates, which is above the true " +
				"peak, the more so the coarser the interval and the longer the program runs.",
			"With -fail, the exit code is 1 if B has more than A by more than a limit: MEASURE > GROWTH, or MEASURE of FUNCTION " +
				"> GROWTH for what goes through one function, or is of one of the lines. MEASURE is in use, blocks in use, allocated or allocations, or " +
				"peak of two profiles of the view peak. GROWTH is in percent of A, as 5%, in bytes, as 64KiB, or in blocks. " +
				"Profiles of every allocation are compared exactly. Of sampled ones, a limit is exceeded only by more than " +
				"sampling can make of two runs that do the same, but for one command in 10,000, however many limits it has. Go's own heap does not count. A profile that is not complete, as its comments " +
				"say, is refused where that touches the limit; without -fail it is compared, with a note.",
		},
		examples: []example{
			{"cgoheap diff before.pb.gz after.pb.gz", "what grew"},
			{"cgoheap diff -fail 'in use > 5%' -fail 'allocations of main.load > 100' -markdown A B > comment.md", "in " +
				"continuous integration: see docs/ci.md"},
			{"cgoheap diff -o growth.pb.gz before.pb.gz http://localhost:8080", "as a profile, for cgoheap view or go tool " +
				"pprof"},
			{"cgoheap diff -json -sample alloc_space A B | jq '.rows[0]'", "what allocated most in between"},
		},
		prepare: prepareDiff,
	}
}

func dumpCommand() command {
	return command{
		name: "dump", arguments: "PID|CORE|BOX", files: true, values: map[string][]string{"view": viewNames()},
		summary: "writes the profile of a process without its help, also of one that hangs, or left a core file or a black box",
		about: []string{
			"It writes cgoheap.PID.pb.gz: the profile of a process that records, in use or another view, from outside; the " +
				"process may hang, be stopped, or serve no profile. Its threads stand still while its tables are copied, " +
				"some tens of milliseconds, but longer where no processor is free. Names come from its files, which are found in its own file system, and from " +
				"debug files by build ID. As a debugger, it needs the same user or CAP_SYS_PTRACE.",
			"What the profile says in its comments is missing: Go's own heap, unless a flight recorder has noted it, and " +
				"memory that was mapped directly.",
			"-view rss writes all resident memory of a living process: blocks of malloc and memory that was mapped " +
				"directly, with stacks, and the rest by lines as in docs/account.md. The total is RSS. The threads stand " +
				"still for about 5 ms more for each GiB. Neither a core file nor a black box says which pages were " +
				"resident, so this view is refused for them.",
			"BOX is the black box of a process, living or gone, and the permission to read that file is enough. A living one is copied " +
				"while it records, as of the last time that it has settled its tables: cgoheap run does that each second with -settle, a " +
				"service with Config.BlackBox each second to minute, as it costs. There are its views inuse, allocated, shortlived and device; " +
				"age, peak and rss are to be had by PID. A box has mode 0600, and those of cgoheap run lie in a directory of mode 0700: " +
				"chmod on both lets others read them.",
			"A process with a black box has its tables there, and a core file lacks them, unless bit 3 of coredump_filter was set " +
				"(core(5)). Then the box is read, where it was or beside the core file, and stays.",
		},
		examples: []example{
			{"cgoheap dump 4711", "writes cgoheap.4711.pb.gz"},
			{"cgoheap dump -view rss 4711", "writes cgoheap.4711.rss.pb.gz: all resident memory"},
			{"cgoheap dump -view rss -o - 4711 | cgoheap view -", "the same, in a browser"},
			{"cgoheap dump /cores/core.1", "a process that left a core file"},
			{"cgoheap dump /boxes/cgoheap.shop.shop-7d4f.1.k3v9x2m1p0a.box", "a service with a black box, while it runs"},
		},
		prepare: prepareDump,
	}
}

func recoverCommand() command {
	return command{
		name: "recover", arguments: "FILE|DIR...", files: true, values: map[string][]string{"view": viewNames()},
		summary: "writes the profile of the last moment of a process that was killed and had a black box",
		about: []string{
			"It writes the profile of the last moment of each process that had a black box (Config.BlackBox, " +
				"CGOHEAP_BLACKBOX) and is gone, for example because the kernel killed it when memory ran out, and prints " +
				"how it ended, what its memory was, and who held most of it. Each cgoheap.PROGRAM.HOST.PID.TIME.box becomes " +
				"a cgoheap.PROGRAM.HOST.PID.TIME.pb.gz beside it, or in the directory that -o names, and a .json file with " +
				"the account and the timeline of its last hours. A file that is there already is not overwritten. The boxes " +
				"stay, unless -rm is given.",
			"A process that still runs is an error only if its box is named itself, and not the directory. A user recovers " +
				"what is his own, and root what is anyone's. A box that was made and never written, because the process " +
				"ended before it began to record or after it had stopped, is reported as that; so is one that is damaged, cut short or of another " +
				"version. They stay where they are, and hinder no other.",
		},
		examples: []example{
			{"cgoheap recover /boxes", "all boxes of processes that are gone"},
			{"cgoheap recover -rm -o /dumps /boxes", "and remove each box whose profile was written"},
			{"cgoheap recover -json /boxes | jq -r .verdict[]", "the verdicts for a script"},
		},
		prepare: prepareRecover,
	}
}

func checkCommand() command {
	return command{
		name: "check", arguments: "FILE...", files: true,
		summary: "lists what readers of a profile will refuse or misread",
		about: []string{
			"It lists what readers of pprof profiles will refuse, misread or accept with a warning: a line for each rule " +
				"that a file breaks, with the first part of the profile that breaks it, and nothing for a good profile. - " +
				"is standard input. The rules are in package internal/check.",
			"The exit code is 1 if a profile has an error; warnings do not count.",
		},
		examples: []example{
			{"curl -s http://HOST/debug/pprof/heap | cgoheap check -", "any writer's profile"},
			{"cgoheap check -json *.pb.gz", "an object for each rule that is broken"},
		},
		prepare: prepareCheck,
	}
}

func completionCommand() command {
	return command{
		name: "completion", arguments: "bash|zsh|fish",
		summary: "prints what makes a shell complete commands, flags and files",
		about: []string{"It prints a script for the shell: commands, flags with what they mean, and the values of flags " +
			"that have few."},
		examples: []example{
			{"source <(cgoheap completion bash)", "for this shell; in ~/.bashrc for each"},
			{`cgoheap completion zsh > "${fpath[1]}/_cgoheap"`, "for zsh"},
			{"cgoheap completion fish > ~/.config/fish/completions/cgoheap.fish", "for fish"},
		},
		prepare: prepareCompletion,
	}
}
