package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// A host is where a program runs: its command line and environment, or the limits that the kernel sets.
type host struct {
	env     []string
	needs   []need
	command func(shop *toolchain.Workshop, program string, args []string) (*exec.Cmd, error)
}

func (h host) start(shop *toolchain.Workshop, program string, args []string) (*exec.Cmd, error) {
	if h.command == nil {
		h.command = before()
	}
	command, err := h.command(shop, program, args)
	if err != nil {
		return nil, err
	}
	command.Env = append(append(os.Environ(), h.env...), command.Env...)
	return command, nil
}

type starter = func(*toolchain.Workshop, string, []string) (*exec.Cmd, error)

// before is a host that another program sets up, which then runs ours.
func before(words ...string) starter {
	return func(_ *toolchain.Workshop, program string, args []string) (*exec.Cmd, error) {
		line := append(append(words[:len(words):len(words)], program), args...)
		return exec.Command(line[0], line[1:]...), nil
	}
}

// mounted is a mount namespace for the program alone, changed by a line of shell.
func mounted(script string) host {
	return host{
		needs:   []need{namespaces},
		command: before("unshare", "-m", "--propagation", "private", "sh", "-ec", script+`; exec "$@"`, "sh"),
	}
}

// limited has a resource limit, as prlimit(1) takes it.
func limited(limit string) host {
	return host{needs: []need{tool("prlimit", "util-linux")}, command: before("prlimit", limit)}
}

// frugal is the host without an arena for each thread: glibc reserves 64 MiB of addresses for one, or twice that.
func frugal(h host) host {
	h.env = append(h.env, "MALLOC_ARENA_MAX=1")
	return h
}

// preloaded preloads a library before all others.
func preloaded(path, debian string) host {
	return host{env: []string{"LD_PRELOAD=" + path}, needs: []need{library(path, debian)}}
}

// alone is a root directory that holds the program and nothing else.
var alone = host{needs: []need{root}, command: func(shop *toolchain.Workshop, program string, args []string) (*exec.Cmd, error) {
	dir := shop.Path("root")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	inside := filepath.Join(dir, filepath.Base(program))
	if err := os.Link(program, inside); err != nil && !os.IsExist(err) {
		return nil, err
	}
	command := exec.Command("/"+filepath.Base(program), args...)
	command.SysProcAttr = &syscall.SysProcAttr{Chroot: dir}
	command.Dir = "/"
	return command, nil
}}

// nobody is a user without any rights.
var nobody = host{needs: []need{root}, command: func(_ *toolchain.Workshop, program string, args []string) (*exec.Cmd, error) {
	command := exec.Command(program, args...)
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	command.Dir = "/"
	return command, nil
}}

// sandboxed is a process to which the kernel refuses system calls that neither the program nor the profiler needs, with the
// error of that name.
func sandboxed(refusal string) host {
	return host{command: func(shop *toolchain.Workshop, program string, args []string) (*exec.Cmd, error) {
		sandbox := shop.Path("sandbox-" + refusal)
		if err := command(nil, "gcc", "-O2", "-DREFUSAL="+refusal, "-o", sandbox, "testdata/sandbox.c"); err != nil {
			return nil, err
		}
		return exec.Command(sandbox, append([]string{program}, args...)...), nil
	}}
}

// early preloads a library that allocates before the program is relocated, and frees later; allocators are preloaded after it.
func early(others ...string) host { return earlyWith(nil, others...) }

func earlyWith(defines []string, others ...string) host {
	if len(others) > 0 {
		defines = append(defines[:len(defines):len(defines)], "-DANOTHER")
	}
	return host{command: func(shop *toolchain.Workshop, program string, args []string) (*exec.Cmd, error) {
		library, user := shop.Path("libearly.so"), shop.Path("libearlyuser.so")
		shared := []string{"gcc", "-O2", "-g", "-fno-builtin", "-fPIC", "-shared", "-o"}
		if err := command(nil, slices.Concat(shared, []string{library, "testdata/early.c"}, defines)...); err != nil {
			return nil, err
		}
		if err := command(nil, append(shared, user, "testdata/early_user.c", library)...); err != nil {
			return nil, err
		}
		started := exec.Command(program, args...)
		started.Env = []string{"LD_PRELOAD=" + strings.Join(append([]string{user}, others...), ":")}
		return started, nil
	}}
}
