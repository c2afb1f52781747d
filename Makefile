# The tree has several Go modules: the core at the root, and nested ones, which need more than its users should download.

GO       ?= go
FUZZTIME ?= 20s
TIME     ?= 30s
nested   := $(patsubst ./%/go.mod,%,$(shell find . -name go.mod -not -path './go.mod' -not -path '*/testdata/*' -not -path './tools/*' | sort)) tools/tests
modules  := . $(nested)
tested   := $(foreach m,$(modules),$(if $(shell find $(m) -name '*_test.go' -print -quit),$(m)))
lint     := $(GO) tool -modfile=$(CURDIR)/tools/lint/go.mod golangci-lint

# Go compiles a package's C anew for each folder, set of flags, tag and toolchain. It is mostly the same C: ccache, where it is
# installed, compares what the compiler reads. The options that it leaves out name temporary folders; -I, too, where Go adds the
# folder of the build. What is included from it, or from elsewhere, is compared, as the folder that the compiler runs in is.
ifneq ($(wildcard /usr/lib/ccache/gcc),)
export PATH := /usr/lib/ccache:$(PATH)
export CCACHE_SLOPPINESS := random_seed
export CCACHE_IGNOREOPTIONS := -I -frandom-seed=* -fdebug-prefix-map=* -ffile-prefix-map=*
endif

# each runs a command in the folder of every module and fails, at the end, if it failed in any.
each = status=0; for m in $(modules); do echo "== $$m: $(1)"; (cd $$m && $(1)) || status=1; done; exit $$status

# Runs go test, counts what was skipped, by reason, and fails if a reason is not allowed. RECORD=FILE adds the counts to a
# file. COMPLETE=1 says that everything is installed: then nothing may be skipped for want of a tool. SLOWEST=n lists the n
# slowest tests. AGAIN=n runs a test that failed n times more: if it passes each time, it is listed as flaky.
counted  := $(CURDIR)/out/tests
again    := $(if $(AGAIN),-again $(AGAIN)) $(if $(RECORD),-record $(RECORD))
tests    := $(counted) -go $(GO) $(again) $(if $(COMPLETE),-complete) $(if $(SLOWEST),-slowest $(SLOWEST))

again_in_C := $(if $(AGAIN),AGAIN='$(counted) $(again)')
with_C := cgo internal/twin

.PHONY: help demo all flaky mutants test test-all test-busy names simulated tools kinds skips e2e page pictures check race ctest agree arm64 matrix foreign leaktest leaks rss stress suspects kill oom fuzz bench lint fmt generated examples deps gofmt portable

help: ## Lists the targets.
	@awk -F ': .*## ' '/^[a-z0-9-]+:.* ## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: deps ## Builds a service that leaks, drives it for a few seconds and shows who holds its native memory.
	@$(MAKE) --no-print-directory -C examples/leaky demo

# Compressing a test binary's debug data takes as long as linking it. With -trimpath, Go's cache does not tell two clones in
# different folders apart: what one has built, another need not. Tests build their programs so, too. What reads sources by
# the paths in debug data is tested by names and by test-all.
quick  := -ldflags=-compressdwarf=false
shared := GOFLAGS="$$GOFLAGS -trimpath"

# -count=1: tests that build programs of their own do not notice in the cache that those changed. -timeout: a busy machine
# takes longer for the matrix than the ten minutes that go test allows. -vet=off: make check runs vet's analyzers.
test: deps $(counted) ## Runs the Go tests of all modules, without the long ones: at most 3 minutes on two processors. BUT="names simulated" leaves out what these test.
	@$(shared) $(tests) -at-once 2 $(if $(BUT),-but '$(foreach b,$(BUT),$(packages_$b))') $(tested) -- -short $(quick) -vet=off -count=1 -timeout 60m ./...

test-all: deps $(counted) ## Runs all Go tests of all modules, with some rows of the matrix.
	@$(tests) -at-once 2 $(tested) -- $(quick) -vet=off -count=1 -timeout 60m ./...

packages_names     := ./symbolize ./internal/debugfile ./internal/dwarf ./internal/elffile ./internal/pclntab ./internal/xz
packages_simulated := ./internal/suspects
names: deps $(counted) ## Runs all tests of how addresses get their names, the long ones too.
	@$(tests) . -- -vet=off -count=1 -timeout 60m $(packages_names)
	@$(tests) . -- -vet=off -count=1 -run TestSourceOfAFunction .

simulated: deps $(counted) ## Runs all tests of who is suspected in simulated programs, the long ones too.
	@$(tests) . -- -vet=off -count=1 -timeout 60m $(packages_simulated)

tools: deps $(counted) ## Runs all tests of the tools that run tests, the long ones too.
	@$(tests) tools/tests -- -vet=off -count=1 -timeout 60m ./...

kinds: deps $(counted) ## Runs the rows of the matrix for a few builds, each on every kind of host; make matrix has all builds.
	@$(tests) e2e -- -vet=off -count=1 -timeout 60m ./matrix

test-busy: deps $(counted) ## Runs what test runs, while every processor is kept busy.
	@$(shared) $(tests) -busy $(tested) -- -short $(quick) -vet=off -count=1 -timeout 60m ./...

# Hours; .ci/run without ALL takes a part of it. Its first lines say what stays out.
all: ## Runs .ci/run with what it leaves out: long tests, every row of the matrix, all kills and suites, the race detector.
	@ALL=1 .ci/run

# Half of the runs are on a busy machine. FOLDER is the module of other packages than the core's.
flaky: deps $(counted) ## Runs all tests of PACKAGES 50 times, and prints how often each failed; FOLDER=e2e, RUNS=n, SHORT=1.
	@$(tests) -repeat $(or $(RUNS),50) $(or $(FOLDER),.) -- $(if $(SHORT),-short) $(quick) -vet=off -count=1 -timeout 60m $(or $(PACKAGES),./...)

# Each is a patch, with the test that must fail. A minute or two for each.
mutants: deps ## Makes small mistakes, one at a time in a copy of what is committed, and names those that no test notices; ONLY="names".
	@cd tools/tests && $(GO) run ./mutants $(ONLY)

# To be run after others, with the same RECORD=FILE.
skips: $(counted) ## Counts what tests were skipped in all runs that RECORD knows, and fails if a reason is not allowed.
	@$(counted) $(if $(COMPLETE),-complete) -sum $(RECORD)

$(counted): $(wildcard tools/tests/*.go) tools/tests/reasons.txt
	@cd tools/tests && $(GO) build -o $@ .

# The real servers are built from modules of their own, tools/parca, tools/pyroscope and tools/otelcol, which pin their versions.
version    = $(shell sed -n 's|.*/$(1) \(v[^ ]*\).*|\1|p' tools/$(1)/go.mod)
parca     := out/servers/parca-$(call version,parca)
pyroscope := out/servers/pyroscope-$(call version,pyroscope)
otelcol   := out/servers/otelcol-$(call version,otelcol)

$(parca): tools/parca/go.mod tools/parca/go.sum
	@echo "building $@: the first time it takes some minutes, and 3 GB for downloads and Go's build cache"
	@rm -f out/servers/parca-*
	@cd tools/parca && $(GO) build -o $(CURDIR)/$@ tool

$(pyroscope): tools/pyroscope/go.mod tools/pyroscope/go.sum
	@echo "building $@: the first time it takes some minutes, and 3 GB for downloads and Go's build cache"
	@rm -f out/servers/pyroscope-*
	@cd tools/pyroscope && CGO_ENABLED=0 $(GO) build -o $(CURDIR)/$@ tool

$(otelcol): tools/otelcol/go.mod tools/otelcol/go.sum tools/otelcol/main.go
	@echo "building $@: the first time it takes about a minute"
	@rm -f out/servers/otelcol-*
	@cd tools/otelcol && CGO_ENABLED=0 $(GO) build -o $(CURDIR)/$@ .

e2e: deps $(counted) $(parca) $(pyroscope) $(otelcol) ## Tests delivery to the real Parca, Pyroscope and Collector, which it builds and starts, and a scrape by the real Prometheus.
	@CGOHEAP_SERVERS=$(CURDIR)/out/servers $(tests) e2e/servers -- -count=1 -timeout 20m ./...

page: deps $(counted) ## Tests the page at /debug/cgoheap/ in a real browser; needs Chromium.
	@$(tests) e2e/page -- -count=1 -timeout 20m ./...

# The same servers with their web pages, which npm builds.
pages := $(patsubst out/servers/%,out/pages/%,$(parca) $(pyroscope))

define page
out/pages/$(1)-%: tools/$(1)/page.sh tools/$(1)/go.mod $$(wildcard tools/$(1)/page/*)
	@rm -f out/pages/$(1)-*
	@tools/$(1)/page.sh $$@
endef
$(foreach server,parca pyroscope,$(eval $(call page,$(server))))

pictures: deps $(pages) ## Takes pictures of the page and of the web pages of Parca and Pyroscope for docs; needs npm and Chromium.
	@cd e2e/page && $(shared) CGOHEAP_PICTURES=$(CURDIR)/docs $(GO) test -count=1 -v -run 'Picture|MemoryOfADevice' .
	@cd e2e/servers && CGOHEAP_SERVERS=$(CURDIR)/out/pages CGOHEAP_PICTURES=$(CURDIR)/docs $(GO) test -count=1 -v -run Picture .

check: gofmt lint generated portable ## Runs all that reads the code without running it: gofmt, the linters, with go vet among them.

# Long tests of these have one goroutine each.
alone := $(packages_names) $(packages_simulated) ./internal/check ./pprof

# Not those that compare an account with another or with the kernel's sums: the race detector's own memory comes and goes meanwhile.
# Not those of Go's smallest objects, either: with the race detector Go puts no two of them into the same 16 bytes.
detectors := AddsUpToRSS|ASurveyOfAProgram|HasAProfileOfRSS|ThatAreNotRecordedAreMallocs|SmallestObjectsComeLast|AForgottenSmallObject
race: deps $(counted) ## Runs the Go tests of all modules under the race detector, without the long ones of readers and simulations.
	@status=0; \
	$(tests) -but '$(alone)' $(tested) -- -race -count=1 -timeout 60m -skip '$(detectors)' ./... || status=1; \
	$(tests) . -- -race -short -count=1 -timeout 60m $(alone) || status=1; \
	exit $$status

ctest: deps $(counted) ## Runs the tests of the C code without Go, under sanitizers, and under valgrind where it is installed.
	@for p in $(with_C); do $(MAKE) --no-print-directory -C $$p/testdata/ctest $(again_in_C) || exit 1; done

# 60,000 addresses of each, spread over all code. addr2line takes most of the time. bench/names builds the programs.
agree: deps ## Compares the names of 100,000 addresses with addr2line's, in a C++ program and a Go service that it builds.
	@cd bench && $(GO) run ./names -task build
	$(GO) test -count=1 -timeout 60m -v -run AsAddr2lineReadsIt ./symbolize \
		-agree.addresses 60000 -agree.files $(CURDIR)/bench/names/build/cxx,$(CURDIR)/bench/names/build/service

# Programs for arm64 are cross-compiled, and an emulator runs them. Tests that examine programs from outside run on this
# machine. Left out are tests of files whose paths differ under the emulator, of a program that runs itself, of SIGBUS, which
# the emulator causes and passes on itself, of kinds of children that the emulator creates in another way or not at all, such as
# copies of the process, and of memory that the emulator maps in its own way.
cross    := GOARCH=arm64 CGO_ENABLED=1 CC=aarch64-linux-gnu-gcc CXX=aarch64-linux-gnu-g++
emulator := qemu-aarch64 -L /usr/aarch64-linux-gnu
hosts    := TestRecordingsInLockedMemory|TestLowLimitOfLockedMemory|TestMemoryThatVanishes|TestLabelsThatVanish|TestTwoObjects|TestFullDisk|TestTheLoaderKnows|TestAFileThatHasOnly|TestFork/clone|TestFork/vfork|TestPrograms/afresh|TestHandlersThatInterrupt|TestTrim|TestMappingsWhileThreadsMap|TestGosHeapOfBefore|TestLibrariesThatMap|TestCodeThatGDBIsToldOf|TestLoadersListWith|TheAccount|OfRSS|TablesOfGosRuntime|FreedMemoryThatMalloc|FreeMemoryIsEstimated|TakesBySbrk|LargeBlocksCount|SampledLargeBlocks|ReportedBlocksCount|BlocksOfBeforeStart|ProfilersTablesAre|VariablesThatBegin|StacksOfThreads|ListsOfThreads|StacksWithoutLibcs|AttachedSegments|MeetsNone|SystemCallsOfRecording|FromOutside|AnAccountThatCannotBeRead|BlocksOfEachKindAreHeld|WhatBlocksPin|SuspectsSayWhatIsLost|TestOnSuspect|TestMetrics$$|TestStacksOfEachView|ALeakIsProven|ProfilesHaveTheTypes|StackAboveACallback|ProfilersOwnObjects|ProfilersGarbage|TestALibraryThatReplaces|TestAPanicOnFault
signed   := CGO_CFLAGS='-O2 -g -mbranch-protection=standard'
emulated := env -u GOARCH -u CGO_ENABLED -u CC -u CXX $(emulator)

# Code for arm64 alone is in cgo and internal/unwind: alloc, victim and the C tests run it. What ALL=1 adds is Go code of all
# machines, long tests, and the C tests under a sanitizer, which takes most of the time under an emulator.
arm64: deps $(counted) ## Runs the tests of recording on arm64, emulated: unwinding, joining, counts, the C tests; ALL=1, more.
	@missing=; for tool in aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ qemu-aarch64; do \
		command -v $$tool >/dev/null 2>&1 || missing="$$missing $$tool"; \
	done; \
	test -z "$$missing" || { echo "not found:$$missing (Debian: apt-get install gcc-aarch64-linux-gnu g++-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user)" >&2; exit 1; }
	@$(tests) . -- -count=1 ./internal/unwind
	@$(cross) $(tests) . -- $(if $(ALL),,-short) -count=1 -timeout 30m -exec '$(emulated)' -skip '$(hosts)' $(if $(ALL),. ./internal/dump ./internal/systemtest) ./alloc ./internal/victim
	@$(signed) $(cross) $(tests) . -- -count=1 -exec '$(emulated)' -run TestJoin ./alloc
	@$(cross) $(tests) e2e -- -count=1 -exec '$(emulated)' -run TheWalk .
	@$(tests) e2e -- $(if $(ALL),,-short) -count=1 -timeout 30m -exec 'env $(cross)' -skip 'TheWalk|Addr2line|LineTables|Pprof' .
	@for p in $(with_C); do $(MAKE) --no-print-directory -C $$p/testdata/ctest BUILDS='plain $(if $(ALL),asan)' WITHOUT='bus_test hooks_mapped_test chunks_test pinned_test' ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=0 $(again_in_C) TOOLS=aarch64-linux-gnu- RUN='$(emulator)' OUT=$(CURDIR)/out/ctest-arm64/$$p || exit 1; done

matrix: deps ## Records on every platform, way to build and kind of host that this machine can be, and prints the table.
	@cd e2e && $(GO) run ./matrix $(ROWS)

foreign: deps ## Compares the outcomes of Go's own cgo tests and of seven cgo packages' tests without and with auto; SUITES="zstd", RACE=1.
	@cd e2e && $(GO) build -o ../out/foreign ./foreign && ../out/foreign $(if $(RACE),-race) $(SUITES)

leaktest: deps ## Has all tests of seven cgo packages check themselves for leaks, as they are and with one planted; SUITES="zstd".
	@cd e2e && $(GO) build -o ../out/foreign ./foreign && ../out/foreign -leaktest $(SUITES)

# PROGRAMS="duckdb sqlite" chooses among them. e2e/rss/doc.go says what must hold.
rss: deps ## Shows that the account adds up to RSS in nine programs with DuckDB, RocksDB, CPython and others, which it builds; a table.
	@cd e2e/rss && $(GO) run . $(PROGRAMS)

# CASES="corpus/singly sqlite" chooses among them. e2e/leaks/doc.go says what must hold.
leaks: deps ## Shows how well leaks are told from what looks like one, in programs with known leaks and nine libraries; a table, with LeakSanitizer.
	@cd e2e/leaks && $(GO) run . $(if $(FIRST),-first) $(CASES)

# DIR is in memory, /dev/shm if not given.
kill: deps ## Kills a service N times (1000) at random instants of each kind, and compares its box with the truth; AT=start, DIR.
	@cd e2e && $(GO) build -o ../out/kill ./kill && ../out/kill -n $(or $(N),1000) $(if $(AT),-at '$(AT)') -dir '$(or $(DIR),/dev/shm)'

oom: deps ## Has the kernel kill a service that leaks, in a memory control group, and recovers who leaked from its black box; needs root.
	@cd e2e && CGOHEAP_OOM=1 $(GO) test -count=1 -v -timeout 10m -run ThatTheKernelKills .

suspects: deps ## Runs a service that leaks for MINUTES (12) and prints who is suspected each minute; LEAK=0: nobody may be.
	@cd e2e && $(GO) run ./suspects -minutes $(or $(MINUTES),12) -leak $(or $(LEAK),1)

stress: deps ## Storms for TIME, 30s if not given, against a truth kept per call site; or FULL=1, PAGES=1, MAPS=1, PAIRS=n, RECORDINGS=n, TWINS=n.
	@cd e2e && $(GO) build -o ../out/stress ./stress
	@out/stress -time $(TIME) $(if $(FULL),-full) $(if $(PAGES),-pages) $(if $(MAPS),-maps) $(if $(PAIRS),-pairs $(PAIRS)) $(if $(RECORDINGS),-recordings $(RECORDINGS)) $(if $(TWINS),-twins $(TWINS))

fuzz: deps ## Runs each fuzz target of the core for FUZZTIME, 20s if not given.
	@found=$$($(GO) test -list '^Fuzz' ./...) || { echo "$$found"; exit 1; }; \
	echo "$$found" | awk '/^Fuzz/ { name[n++] = $$1 } /^ok/ { for (i = 0; i < n; i++) print $$2, name[i]; n = 0 }' | \
	while read -r package target; do \
		echo "== $$package: $$target"; \
		$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x "$$package" || exit 1; \
	done

bench: deps ## Runs the benchmarks of all modules, and measures recording beside its peers, each against a baseline in the same run.
	@$(call each,$(GO) test -run '^$$' -bench . -benchmem ./...)
	@cd bench && $(GO) run ./capture && $(GO) run ./mappings

lint: deps ## Runs golangci-lint on all modules; the first time, it is built, which takes two minutes. The example of a workflow, too, is read.
	@$(GO) tool -modfile=$(CURDIR)/tools/actionlint/go.mod actionlint docs/ci/github.yml
	@$(call each,$(lint) run --allow-parallel-runners ./...)

fmt: ## Formats the Go code.
	@gofmt -l -w .

generated: ## Generates the protobuf messages anew, and fails if that changes them.
	@cd export && $(GO) generate ./... && git diff --exit-code -- '*.pb.go'

examples: deps ## Builds and tests every example.
	@status=0; for m in $(filter examples/%,$(nested)); do \
		echo "== $$m"; (cd $$m && $(GO) build -o /dev/null ./... && $(GO) test ./...) || status=1; \
	done; exit $$status

gofmt:
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "not formatted (make fmt does it):" $$unformatted; exit 1; }

# The core builds everywhere; where it cannot record, Start says so.
portable: ## Builds the core for platforms where it cannot record.
	CGO_ENABLED=0 $(GO) build ./...
	GOARCH=arm64 CGO_ENABLED=0 $(GO) vet ./...
	GOOS=darwin CGO_ENABLED=0 $(GO) vet ./...
	GOOS=windows CGO_ENABLED=0 $(GO) build ./...

deps:
	@missing=; for tool in $(firstword $(GO)) gcc g++ make readelf addr2line; do \
		command -v $$tool >/dev/null 2>&1 || missing="$$missing $$tool"; \
	done; \
	test -z "$$missing" || { echo "not found:$$missing (Debian: apt-get install gcc g++ make binutils; Go: https://go.dev/dl)" >&2; exit 1; }
