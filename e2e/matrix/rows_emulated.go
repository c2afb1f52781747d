package main

import "slices"

// The rows of arm64: built here with a cross-compiler, and run by an emulator of the processor.

const armSystem = "/usr/aarch64-linux-gnu"

var (
	armEnv   = []string{"GOARCH=arm64", "CGO_ENABLED=1", "CC=aarch64-linux-gnu-gcc", "CXX=aarch64-linux-gnu-g++"}
	armNeeds = []need{
		tool("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu"), tool("aarch64-linux-gnu-g++", "g++-aarch64-linux-gnu"),
		library(armSystem+"/lib/libc.a", "libc6-dev-arm64-cross"),
	}
	emulated = host{needs: []need{tool("qemu-aarch64", "qemu-user")}, command: before("qemu-aarch64", "-L", armSystem)}
	// On a processor without pointer authentication, return addresses are never signed.
	authenticated = host{needs: emulated.needs, command: before("qemu-aarch64", "-cpu", "max", "-L", armSystem)}
)

// arm returns the build for arm64, with the other things that it needs.
func arm(b build, env ...string) build {
	b.name = "arm64-" + b.name
	b.env = slices.Concat(b.env, armEnv, env)
	b.needs = slices.Concat(b.needs, armNeeds)
	return b
}

func emulatedRows() []row {
	clang := arm(build{name: "clang", libc: "glibc", mode: "dynamic, clang", tags: "cxx"},
		"CC=clang --target=aarch64-linux-gnu", "CXX=clang++ --target=aarch64-linux-gnu")
	clang.needs = append(clang.needs, tool("clang", "clang"))
	signed := arm(build{name: "signed", libc: "glibc", mode: "dynamic, return addresses signed", tags: "cxx"},
		"CGO_CFLAGS=-O2 -g -mbranch-protection=standard", "CGO_CXXFLAGS=-O2 -g -mbranch-protection=standard")
	return []row{
		{name: "arm64, glibc", build: arm(plain), host: emulated},
		{name: "arm64, PIE", build: arm(pie), host: emulated},
		{name: "arm64, stripped", build: arm(stripped), host: emulated},
		{name: "arm64, static glibc", build: arm(static), host: emulated},
		{name: "arm64, glibc without the tag", build: arm(bare), host: emulated, refuses: "cgoheap_wrap"},
		{name: "arm64, plugin", build: arm(plugged(plain)), host: emulated},
		{name: "arm64, signed", build: signed, host: authenticated},
		{name: "arm64, clang", build: clang, host: emulated},
		{name: "arm64, Go 1.25", build: arm(of("go1.25.4")), host: emulated},
		{name: "arm64, Go 1.27", build: arm(of("go1.27.0")), host: emulated},
	}
}
