package main

import "strings"

const (
	libraries = "/usr/lib/x86_64-linux-gnu/"
	loader    = "/lib64/ld-linux-x86-64.so.2"
)

// The builds.
var (
	plain     = build{name: "plain", libc: "glibc", mode: "dynamic", tags: "cxx"}
	pie       = build{name: "pie", libc: "glibc", mode: "PIE", tags: "cxx", flags: []string{"-buildmode=pie"}}
	stripped  = build{name: "stripped", libc: "glibc", mode: "stripped", tags: "cxx", flags: []string{"-ldflags=-s -w"}, arguments: "unnamed"}
	race      = build{name: "race", libc: "glibc", mode: "-race", tags: "cxx", flags: []string{"-race"}}
	static    = build{name: "static", libc: "glibc", mode: "static, --wrap", tags: wrapTags + ",cxx", flags: []string{staticFlags}}
	staticPIE = build{
		name: "static-pie", libc: "glibc", mode: "static PIE, --wrap", tags: wrapTags + ",cxx",
		flags: []string{"-buildmode=pie", "-ldflags=-linkmode=external -extldflags=-static-pie"},
	}
	musl = build{name: "musl", libc: "musl", mode: "dynamic", env: muslEnv, flags: []string{"-ldflags=-linkmode=external"}, arguments: blind, needs: muslNeeds}

	muslStatic = build{
		name: "musl-static", libc: "musl", mode: "static, --wrap", tags: wrapTags, env: muslEnv, flags: []string{staticFlags},
		arguments: blind, needs: muslNeeds,
	}
	bare    = untagged(static)
	barePIE = untagged(staticPIE)

	bareMusl = untagged(muslStatic)

	operators  = build{name: "operators", libc: "glibc", mode: "dynamic, cgoheap_operators", tags: "cxx,cgoheap_operators"}
	ownLibrary = build{
		name: "libstdc++", libc: "glibc", mode: "-static-libstdc++, cgoheap_operators", tags: "cxx,cgoheap_operators",
		flags: []string{"-ldflags=-linkmode=external -extldflags=-static-libstdc++"},
	}
	staticOperators = build{
		name: "static-operators", libc: "glibc", mode: "static, --wrap, cgoheap_operators", tags: wrapTags + ",cxx,cgoheap_operators",
		flags: []string{staticFlags},
	}
	archive = build{
		name: "archive", libc: "glibc", mode: "c-archive", flags: []string{"-buildmode=c-archive"},
		main: "linked.c", mainFlags: []string{"LIBRARY"},
	}
	shared = build{
		name: "shared", libc: "glibc", mode: "c-shared, linked", flags: []string{"-buildmode=c-shared"},
		main: "linked.c", mainFlags: []string{"LIBRARY"},
	}
	opened = build{
		name: "opened", libc: "glibc", mode: "c-shared, dlopened", flags: []string{"-buildmode=c-shared"},
		main: "opened.c", mainFlags: []string{"-ldl"},
	}
	sharedBefore = build{
		name: "shared-before", libc: "glibc", mode: "c-shared, cgoheap_operators, before jemalloc", tags: "cxx,cgoheap_operators",
		flags: []string{"-buildmode=c-shared"},
		main:  "linked.c", mainFlags: []string{"LIBRARY", "-Wl,--no-as-needed", "-ljemalloc"},
		needs: []need{library(libraries+"libjemalloc.so", "libjemalloc-dev")},
	}
	sharedBehind = build{
		name: "shared-behind", libc: "glibc", mode: "c-shared, after tcmalloc", flags: []string{"-buildmode=c-shared"},
		main: "linked.c", mainFlags: []string{"-Wl,--no-as-needed", "-ltcmalloc", "LIBRARY"},
		needs: []need{library(libraries+"libtcmalloc.so", "libgoogle-perftools-dev")},
	}
	pluginPIE = build{name: "plugin-pie", libc: "glibc", mode: "plugin, PIE", tags: "cxx", plugin: true, opener: []string{"-buildmode=pie"}, arguments: pluginArguments}
	byClang   = build{name: "by-clang", libc: "glibc", mode: "dynamic, clang", tags: "cxx", env: clangEnv, needs: clangNeeds}
	hardened  = build{
		name: "hardened", libc: "glibc", mode: "PIE, hardened", tags: "cxx", flags: []string{"-buildmode=pie"},
		env: []string{"CGO_CFLAGS=" + hardening, "CGO_CXXFLAGS=" + hardening, "CGO_LDFLAGS=-Wl,-z,relro,-z,now"},
	}
	asan        = build{name: "asan", libc: "glibc", mode: "-asan", flags: []string{"-asan"}}
	cAddress    = build{name: "c-asan", libc: "glibc", mode: "-fsanitize=address", env: sanitize("address")}
	cThread     = build{name: "c-tsan", libc: "glibc", mode: "-fsanitize=thread", env: sanitize("thread")}
	msan        = build{name: "msan", libc: "glibc", mode: "-msan", flags: []string{"-msan"}, env: clangEnv, needs: msanNeeds}
	wrapDynamic = build{name: "wrap-dynamic", libc: "glibc", mode: "dynamic, --wrap", tags: "cgoheap_wrap"}
)

const (
	wrapTags        = "cgoheap_wrap,netgo,osusergo"
	staticFlags     = "-ldflags=-linkmode=external -extldflags=-static"
	blind           = "blindlibc core_sbrk" // musl's sbrk never moves the end
	pluginArguments = "PLUGIN plugin"
	blindNew        = "blindnew"
)

// hardening are the flags that distributions compile with.
const hardening = "-O2 -g -D_FORTIFY_SOURCE=2 -fstack-protector-all -fstack-clash-protection -fcf-protection=full -fomit-frame-pointer"

var (
	clangEnv   = []string{"CC=clang", "CXX=clang++"}
	clangNeeds = []need{tool("clang", "clang")}
	msanNeeds  = append(clangNeeds, compiles("clang", "-fsanitize=memory", "sanitizer/msan_interface.h", "libclang-rt-dev"))
	muslEnv    = []string{"CC=musl-gcc"}
	muslNeeds  = []need{tool("musl-gcc", "musl-tools")}
)

func sanitize(what string) []string {
	return []string{"CGO_CFLAGS=-O1 -g -fsanitize=" + what, "CGO_LDFLAGS=-fsanitize=" + what}
}

// of returns a build by another version of Go.
func of(toolchain string) build {
	b := plain
	b.name, b.toolchain, b.needs = toolchain, toolchain, []need{installed(toolchain)}
	return b
}

// plugged returns a build of core as a plugin, and of the program that opens it.
func plugged(b build) build {
	b.plugin = true
	b.name, b.mode, b.arguments = "plugin-"+b.name, "plugin, "+b.mode, pluginArguments+" "+b.arguments
	return b
}

// with returns a build whose executable is linked with an allocator's library, by a linker that leaves out what has no use: so
// do the compilers of some distributions.
func with(name, debian string) build {
	return build{
		name: name, libc: "glibc", mode: "dynamic, -l" + name, env: []string{"CGO_LDFLAGS=-Wl,--as-needed -l" + name},
		needs: []need{library(libraries+"lib"+name+".so", debian)},
	}
}

// by returns the build by another linker.
func by(linker, debian string, b build) build {
	b.name, b.mode = b.name+"-"+linker, b.mode+", "+linker
	b.flags = []string{"-ldflags=-linkmode=external -extldflags=-fuse-ld=" + linker}
	b.needs = append(b.needs[:len(b.needs):len(b.needs)], tool("ld."+linker, debian))
	return b
}

// containing returns a build whose dynamic executable contains an allocator.
func containing(name, archive, debian string) build {
	return build{
		name: name + "-contained", libc: "glibc", mode: "dynamic, " + archive, arguments: "works",
		env: []string{"CGO_LDFLAGS=" + libraries + archive + " -lstdc++ -lm"}, needs: []need{library(libraries+archive, debian)},
	}
}

// ownMalloc is why nothing is recorded in these two.
const ownMalloc = "contains its own"

// defining returns a build with one function of the program's own, in an object file.
func defining(function string) build {
	return build{name: function + "-contained", libc: "glibc", mode: "dynamic, own " + function, tags: "own" + function, arguments: "works"}
}

// staticWith returns a build of a static executable that contains an allocator.
func staticWith(name, debian string) build {
	return build{
		name: "static-" + name, libc: "glibc", mode: "static, --wrap, -l" + name, tags: wrapTags, flags: []string{staticFlags},
		env: []string{"CGO_LDFLAGS=-l" + name + " -lstdc++ -lm"}, needs: []need{library(libraries+"lib"+name+".a", debian)},
	}
}

// untagged returns a build of a static executable without the tag that wraps malloc, which must work, and cannot record.
func untagged(b build) build {
	b.name, b.mode = b.name+"-untagged", strings.TrimSuffix(b.mode, ", --wrap")
	b.tags, b.arguments = strings.Replace(b.tags, "cgoheap_wrap,", "", 1), "works"
	return b
}

// linkedBy returns a build by another linker.
func linkedBy(name, debian string) build {
	return build{
		name: name, libc: "glibc", mode: "dynamic, " + name, tags: "cxx", needs: []need{tool("ld."+name, debian)},
		flags: []string{"-ldflags=-linkmode=external -extldflags=-fuse-ld=" + name},
	}
}

func rows() []row { return append(nativeRows(), emulatedRows()...) }

func nativeRows() []row {
	plainC := build{name: "plain-c", libc: "glibc", mode: "dynamic"}
	return []row{
		{name: "glibc", build: plain},
		{name: "PIE", build: pie},
		{name: "stripped", build: stripped},
		{name: "race", build: race},
		{name: "Go 1.25", build: of("go1.25.4")},
		{name: "Go 1.26", build: of("go1.26.8")},
		{name: "Go 1.27", build: of("go1.27.0")},
		{name: "gold", build: linkedBy("gold", "binutils")},
		{name: "lld", build: linkedBy("lld", "lld")},
		{name: "mold", build: linkedBy("mold", "mold")},
		{name: "clang", build: byClang},
		{name: "hardened", build: hardened},
		{name: "static glibc", build: static},
		{name: "static glibc, PIE", build: staticPIE},
		{name: "musl", build: musl},
		{name: "static musl", build: muslStatic},
		{name: "glibc without the tag", build: bare, refuses: "cgoheap_wrap"},
		{name: "PIE without the tag", build: barePIE, refuses: "cgoheap_wrap"},
		{name: "musl without the tag", build: bareMusl, refuses: "cgoheap_wrap"},
		{name: "run by the loader", build: plain, host: host{command: before(loader), needs: []need{library(loader, "libc6")}}},

		{name: "jemalloc preloaded", build: plainC, host: preloaded(libraries+"libjemalloc.so.2", "libjemalloc2"), arguments: blindNew},
		{name: "tcmalloc preloaded", build: plainC, host: preloaded(libraries+"libtcmalloc.so.4", "libgoogle-perftools4"), arguments: blindNew},
		{name: "mimalloc preloaded", build: plainC, host: preloaded(libraries+"libmimalloc.so.2", "libmimalloc2.0"), arguments: blindNew},
		{name: "asan preloaded", build: plainC, host: preloaded(libraries+"libasan.so.8", "libasan8"), arguments: "blindnew blindstrdup"},
		{name: "tsan preloaded", build: plainC, host: preloaded(libraries+"libtsan.so.2", "libtsan2"), arguments: blindNew},
		{name: "lsan preloaded", build: plainC, host: preloaded(libraries+"liblsan.so.0", "liblsan0"), arguments: blindNew},
		{name: "jemalloc linked", build: with("jemalloc", "libjemalloc-dev"), arguments: blindNew},
		{name: "tcmalloc linked", build: with("tcmalloc", "libgoogle-perftools-dev"), arguments: blindNew},
		{name: "mimalloc linked", build: with("mimalloc", "libmimalloc-dev"), arguments: blindNew},
		{name: "jemalloc linked by gold", build: by("gold", "binutils", with("jemalloc", "libjemalloc-dev")), arguments: blindNew},
		{name: "jemalloc linked by lld", build: by("lld", "lld", with("jemalloc", "libjemalloc-dev")), arguments: blindNew},
		{name: "jemalloc linked by mold", build: by("mold", "mold", with("jemalloc", "libjemalloc-dev")), arguments: blindNew},
		{name: "jemalloc contained", build: containing("jemalloc", "libjemalloc_pic.a", "libjemalloc-dev"), refuses: ownMalloc},
		{name: "tcmalloc contained", build: containing("tcmalloc", "libtcmalloc_minimal.a", "libgoogle-perftools-dev"), refuses: ownMalloc},
		{name: "free contained", build: defining("free"), refuses: ownMalloc},
		{name: "munmap contained", build: defining("munmap"), refuses: ownMalloc},
		{name: "static glibc, jemalloc", build: staticWith("jemalloc", "libjemalloc-dev")},
		{name: "jemalloc without the tag", build: untagged(staticWith("jemalloc", "libjemalloc-dev")), refuses: "cgoheap_wrap"},
		{name: "brought along, jemalloc", build: brings("jemalloc", "libjemalloc-dev", ownJemalloc)},
		{name: "brought along, tcmalloc", build: brings("tcmalloc", "libgoogle-perftools-dev", ownTcmalloc)},
		{name: "brought along, mimalloc", build: ownMimalloc},
		{name: "brought along, mimalloc in several object files", build: severalMimalloc},
		{name: "allocations before relocation", build: plain, host: early()},
		{name: "allocations before relocation, PIE", build: pie, host: early()},
		{name: "allocations before relocation, jemalloc", build: plainC, host: early(libraries + "libjemalloc.so.2"), arguments: blindNew},

		{name: "C++, jemalloc", build: operators, host: preloaded(libraries+"libjemalloc.so.2", "libjemalloc2")},
		{name: "C++, tcmalloc", build: operators, host: preloaded(libraries+"libtcmalloc.so.4", "libgoogle-perftools4")},
		{name: "C++, mimalloc", build: operators, host: preloaded(libraries+"libmimalloc.so.2", "libmimalloc2.0")},
		{name: "C++, no other allocator", build: operators},
		{name: "C++, before relocation, jemalloc", build: operators, host: earlyWith([]string{"-DOPERATORS"}, libraries+"libjemalloc.so.2")},
		{name: "C++, unseen", build: plain, host: preloaded(libraries+"libjemalloc.so.2", "libjemalloc2"), arguments: blindNew},
		{name: "C++, contained", build: ownLibrary},
		{name: "C++, contained, jemalloc", build: ownLibrary, host: preloaded(libraries+"libjemalloc.so.2", "libjemalloc2"), arguments: "othernew"},
		{name: "C++, static glibc", build: staticOperators},

		{name: "plugin", build: plugged(plain)},
		{name: "plugin, PIE", build: pluginPIE},
		{name: "plugin, PIE, run by the loader", build: pluginPIE, host: host{command: before(loader), needs: []need{library(loader, "libc6")}}},
		{name: "plugin, stripped", build: plugged(stripped)},
		{name: "plugin, race", build: plugged(race)},
		{name: "plugin, Go 1.25", build: plugged(of("go1.25.4"))},
		{name: "plugin, Go 1.27", build: plugged(of("go1.27.0"))},
		{name: "c-archive", build: archive},
		{name: "c-shared", build: shared},
		{name: "c-shared, C++, before jemalloc", build: sharedBefore},
		{name: "c-shared, opened", build: opened, refuses: "first in line for malloc.*libc"},
		{name: "c-shared, behind tcmalloc", build: sharedBehind, refuses: "first in line for malloc.*libtcmalloc"},
		{name: "c-shared, preload", build: shared, host: preloaded(libraries+"libjemalloc.so.2", "libjemalloc2"), refuses: "first in line for malloc.*libjemalloc"},

		{name: "asan", build: asan, refuses: "-asan"},
		{name: "msan", build: msan, refuses: "-msan"},
		{name: "C under ASan", build: cAddress, refuses: "-fsanitize"},
		{name: "C under TSan", build: cThread, refuses: "-fsanitize"},
		{name: "wrap, dynamic", build: wrapDynamic, refuses: "cgoheap_wrap"},

		{name: "no /proc", build: plain, host: mounted("mount -t tmpfs none /proc")},
		{name: "nothing but the program", build: static, host: alone},
		{name: "nothing but the program, musl", build: muslStatic, host: alone},
		{name: "read-only files", build: plain, host: mounted("mount --bind / /; mount -o remount,bind,ro /; cd /")},
		{name: "seccomp", build: plain, host: sandboxed("EPERM")},
		{name: "an old kernel's errors", build: plain, host: sandboxed("ENOSYS")},
		{name: "little address space", build: plain, host: frugal(limited("--as=2147483648"))},
		{name: "too little of it", build: plain, host: limited("--as=2147483648"), arguments: "greedy", refuses: "RLIMIT_AS is 2147483648"},
		{name: "no locked memory", build: plain, host: limited("--memlock=0")},
		{name: "few files", build: plain, host: limited("--nofile=16")},
		{name: "stacks without a limit", build: plain, host: limited("--stack=unlimited")},
		{name: "addresses not random", build: pie, host: host{needs: []need{tool("setarch", "util-linux")}, command: before("setarch", "-R")}},
		{name: "not dumpable", build: plain, host: nobody, arguments: "undumpable"},
	}
}
