package kept

import (
	"errors"
	"runtime"
	"runtime/metrics"
	"strings"
	"time"
)

// keepers are functions of libc that allocate what libc itself keeps: for the process, or for a thread whose stack it keeps.
// None of them returns a block that its caller could free, so a block below one of them is no leak of the test that called it
// first. Functions that do return blocks, such as strdup and fopen, are not here; but for getaddrinfo, whose result cannot be
// told from the rest where libc's own functions have no names.
var keepers = reasonsOf(map[string]string{
	"threads: glibc keeps the stacks of ended threads, with their thread-local storage, and Go's runtime keeps its threads": `
		pthread_create pthread_create_2_1 pthread_create_2_0 runtime.newm1 tls_get_addr tls_get_addr_slow pthread_setspecific`,

	"the environment, which os.Setenv sets in C, too, and whose old values stay, because somebody may hold what getenv returned": `
		setenv putenv unsetenv clearenv add_to_environ runtime.setenv_c runtime.unsetenv_c`,

	"the loader's lists, and what constructors of a library allocate: it is there once, however often the library is opened": `
		dlopen dlmopen dlsym dlvsym dlerror dlclose _dl_open libc_dlopen_mode libc_dlsym libc_dlclose`,

	"users, groups and hosts: the list of sources, their libraries and their configuration": `
		getpwnam getpwuid getpwnam_r getpwuid_r getpwent getpwent_r nss_passwd_lookup2
		getgrnam getgrgid getgrnam_r getgrgid_r getgrent getgrent_r nss_group_lookup2 getgrouplist initgroups
		nss_database_get nss_database_check_reload_and_get nss_lookup nss_next2 nss_lookup_function nss_module_load
		nss_module_get_function
		getaddrinfo getnameinfo gaiconf_init nss_hosts_lookup2 nss_services_lookup2
		gethostbyname gethostbyaddr getservbyname getservbyport getprotobyname getprotobynumber
		res_init res_ninit res_maybe_init res_context_send res_context_query resolv_context_get resolv_context_get_preinit`,

	"buffers of files: a FILE that nobody closes is a block of its own": `
		_IO_file_doallocate _IO_wfile_doallocate`,

	"time zones": `
		tzset localtime localtime_r mktime timelocal strftime strftime_l wcsftime wcsftime_l tz_convert`,

	"locales, messages, and conversions between character sets": `
		setlocale nl_find_locale wcsmbs_load_conv
		gconv_open gconv_load_conf gconv_find_transform gconv_get_path gconv_load_cache
		bindtextdomain textdomain dcgettext dcigettext`,

	"functions to call at exit and in children": `
		atexit cxa_atexit on_exit at_quick_exit cxa_at_quick_exit new_exitfn register_atfork pthread_atfork`,

	"unwind data, sorted for the first exception": `
		_Unwind_Find_FDE register_frame register_frame_info register_frame_info_bases`,
})

// reasonsOf returns the reasons by the names of functions.
func reasonsOf(lists map[string]string) map[string]string {
	reasons := make(map[string]string)
	for reason, list := range lists {
		for name := range strings.FieldsSeq(list) {
			reasons[name] = reason
		}
	}
	return reasons
}

// Is reports whether libc or Go's runtime keeps what the function allocates, by the linker's name.
func Is(function string) bool { return keepers[plain(function)] != "" }

// plain returns a function's name without what libc puts before its own: __GI___nss_database_get and nss_database_get are one.
func plain(name string) string {
	name = strings.TrimPrefix(name, "__GI_")
	if strings.HasPrefix(name, "__") {
		name = strings.TrimLeft(name, "_")
	}
	return name
}

// ErrNotDone says that Collect gave up.
var ErrNotDone = errors.New("finalizers and cleanups are not done: none of them ended and nothing was freed for a second, or they took more than a minute; what they would free is in use")

// Collect runs the garbage collector twice, each time until a finalizer and a cleanup of its own have run, and the queues of both are
// empty. One goroutine runs all finalizers in turn, so when the second of Collect's has run, all that the first collection has found
// have. Cleanups run in several goroutines and in no order, and only Go 1.26 and later say how many are left: with Go 1.25, slow
// ones may free later.
//
// freed returns how many blocks the program has freed so far. While that changes from second to second, or how many finalizers and
// cleanups have ended, Collect waits, but for a minute at most. It returns ErrNotDone if a second passes without a change, because a
// finalizer of the program may block for ever, and after the minute, because other threads may free meanwhile.
func Collect(freed func() uint64) error {
	return patience{still: time.Second, all: time.Minute}.collect(freed)
}

// patience is how long to wait: while nothing moves, and in all.
type patience struct{ still, all time.Duration }

func (p patience) collect(freed func() uint64) error {
	end := time.Now().Add(p.all)
	for range 2 {
		done := make(chan bool, 2)
		watch(done)
		runtime.GC()
		if err := p.wait(func() bool { return len(done) == cap(done) && allEnded() }, freed, end); err != nil {
			return err
		}
	}
	return nil
}

func (p patience) wait(done func() bool, freed func() uint64, end time.Time) error {
	look, still := time.NewTicker(lookEvery), time.NewTicker(p.still)
	defer look.Stop()
	defer still.Stop()
	moved := func() uint64 {
		ended, _ := ended()
		return freed() + ended
	}
	for before := moved(); !done(); {
		select {
		case <-look.C:
			continue
		case <-still.C:
		}
		now := moved()
		if now == before || time.Now().After(end) {
			return ErrNotDone
		}
		before = now
	}
	return nil
}

const lookEvery = 100 * time.Microsecond

// ended returns how many finalizers and cleanups have ended, and how many have been queued; 0 where Go's runtime does not say.
func ended() (ended, queued uint64) {
	for _, of := range []string{"finalizers", "cleanups"} {
		s := []metrics.Sample{{Name: "/gc/" + of + "/executed:" + of}, {Name: "/gc/" + of + "/queued:" + of}}
		metrics.Read(s)
		if s[0].Value.Kind() == metrics.KindUint64 && s[1].Value.Kind() == metrics.KindUint64 {
			ended += s[0].Value.Uint64()
			queued += max(s[0].Value.Uint64(), s[1].Value.Uint64())
		}
	}
	return ended, queued
}

func allEnded() bool {
	ended, queued := ended()
	return ended == queued
}

// sentinel has a pointer, because the collector keeps small objects without one together, and finalizers of such may never run.
type sentinel struct{ _ *sentinel }

// watch makes two objects that are garbage at once.
//
//go:noinline
func watch(done chan<- bool) {
	runtime.SetFinalizer(&sentinel{}, func(*sentinel) { done <- true })
	runtime.AddCleanup(&sentinel{}, func(done chan<- bool) { done <- true }, done)
}
