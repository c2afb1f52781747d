package main

import (
	"slices"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// prefixed is an allocator under names of its own only, as a library brings one along: made of an archive whose allocator also has
// malloc's names. The program then has libc's malloc, and this one beside it.
type prefixed struct {
	archive string
	prefix  string   // that functions get; "": they have one
	names   []string // the functions, as patterns if they have one
	flags   string   // of the linker
}

func (p *prefixed) needs(debian string) []need {
	return []need{library(p.archive, debian), tool("objcopy", "binutils")}
}

// make makes an archive in which nothing else can be linked with. Inside, the allocator's functions call each other directly.
func (p *prefixed) make(path string) error {
	object := path + ".o"
	if err := command(nil, "ld", "-r", "--whole-archive", p.archive, "-o", object); err != nil {
		return err
	}
	rename, keep := []string{"objcopy"}, []string{"objcopy", "--wildcard"}
	for _, name := range p.names {
		if p.prefix != "" {
			rename = append(rename, "--redefine-sym", name+"="+p.prefix+name)
		}
		keep = append(keep, "--keep-global-symbol", p.prefix+name)
	}
	for _, words := range [][]string{append(rename, object), append(keep, object), {"ar", "rcs", path, object}} {
		if err := (toolchain.Tool{Folder: here(), Words: words}).Run(); err != nil {
			return err
		}
	}
	return nil
}

// brings returns a build of core with the functions of an allocator that it brings along.
func brings(family, debian string, p *prefixed) build {
	return build{
		name: "brought-" + family, libc: "glibc", mode: "dynamic, " + family + " under other names", tags: family, brought: p,
		arguments: "brought", needs: p.needs(debian),
	}
}

var (
	ownJemalloc = &prefixed{
		archive: libraries + "libjemalloc_pic.a", prefix: "je_", flags: "-lstdc++ -lm -ldl",
		names: []string{"malloc", "calloc", "realloc", "free", "posix_memalign", "aligned_alloc", "memalign", "valloc", "mallocx", "rallocx",
			"xallocx", "sallocx", "dallocx", "sdallocx", "nallocx", "mallctl", "mallctlnametomib", "mallctlbymib", "malloc_usable_size"},
	}
	// An exception ends the process if DW.ref.*, a pointer to a function of libstdc++'s, is not the one that the linker keeps.
	ownTcmalloc = &prefixed{archive: libraries + "libtcmalloc_minimal.a", names: []string{"tc_*", "MallocExtension*", "DW.ref.*"}, flags: "-lstdc++ -lm"}

	// Debian has mimalloc as a library only, which stands in for malloc too.
	ownMimalloc = build{
		name: "brought-mimalloc", libc: "glibc", mode: "dynamic, -lmimalloc, under its own names", tags: "mimalloc", arguments: "brought blindnew",
		env: []string{"CGO_LDFLAGS=-lmimalloc"}, needs: []need{library(libraries+"libmimalloc.so", "libmimalloc-dev")},
	}
	severalMimalloc = inObjects(ownMimalloc)
)

// inObjects returns a build in which functions of the allocator call each other through the linker.
func inObjects(b build) build {
	b.name, b.mode, b.tags = b.name+"-several", b.mode+", in several object files", b.tags+",several"
	return b
}

// withLibrary returns the environment of a build whose program contains the allocator's archive.
func (p *prefixed) withLibrary(env []string, path string) []string {
	return append(slices.Clone(env), "CGO_LDFLAGS="+path+" "+p.flags)
}
