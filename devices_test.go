//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"bytes"
	"context"
	"errors"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/internal/flight"
	"github.com/cgoheap/cgoheap/internal/nvml"
	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

// onDevice is an address where no process has memory of its own.
const onDevice = uintptr(1) << 46

var labelled = Config{SampleBytes: 1, TableBytes: 64 << 20, GoroutineLabels: true}

// onGPU records a block of a card's memory, as hooks of the driver do.
func onGPU(t *testing.T, number string, p, size uintptr, kind string) {
	t.Helper()
	pprof.Do(context.Background(), pprof.Labels("device", "GPU "+number), func(context.Context) { Allocated(p, size, kind) })
	t.Cleanup(func() { Freed(p) })
}

func selectedBy(t *testing.T, p *Profiler, s Selection) *profile.Profile {
	t.Helper()
	var written bytes.Buffer
	if err := p.Write(&written, s); err != nil {
		t.Fatal(err)
	}
	return profiletest.Parse(t, &written)
}

// inUseOf returns the bytes in use by kind and device; of blocks that are neither, those through allocate.
func inUseOf(p *profile.Profile) map[string]int64 {
	sums := make(map[string]int64)
	for _, s := range p.Sample {
		name := strings.Join(append(s.Label["kind"], s.Label["device"]...), ", ")
		if name != "" || len(profiletest.Through(&profile.Profile{Sample: []*profile.Sample{s}}, "allocate")) > 0 {
			sums[name] += s.Value[len(s.Value)-1]
		}
	}
	return sums
}

// What a driver's hooks record is exact, and what a program reports is sampled as malloc's blocks are.
func TestAProfileOfDevicesSaysWhetherItIsAnEstimate(t *testing.T) {
	p := start(t, Config{SampleBytes: 4096, TableBytes: 64 << 20})
	for range 2 {
		profile := selectedBy(t, p, Selection{View: ViewDevice()})
		if sampled := len(profile.Sample) > 0; sampled != (profile.Period == 4096) || sampled != profiletest.HasComment(profile, "one sample per 4096 bytes") {
			t.Errorf("%d samples, each %d bytes: %q", len(profile.Sample), profile.Period, profile.Comments)
		}
		onGPU(t, "0", onDevice, 1<<30, "cuda") // large enough to be a sample
	}
}

func TestMemoryOfDevicesHasItsOwnView(t *testing.T) {
	p := start(t, labelled)
	before := p.recording.InUse()
	host := allocate(1000)
	defer victim.Free(host)
	onGPU(t, "0", onDevice, 8<<30, "cuda")
	onGPU(t, "1", onDevice+16<<30, 1<<20, "cuda managed")
	Allocated(onDevice+32<<30, 5000, "cuda pinned")
	defer Freed(onDevice + 32<<30)

	Allocated(onDevice|1<<62, 3000, "cuda pinned") // what was registered with the driver is a block of malloc's, too
	defer Freed(onDevice | 1<<62)

	got := selectedBy(t, p, Selection{View: ViewDevice()})
	if sums := inUseOf(got); len(sums) != 2 || sums["cuda, GPU 0"] != 8<<30 || sums["cuda managed, GPU 1"] != 1<<20 {
		t.Errorf("the view has %v", sums)
	}
	if text := strings.Join(got.Comments, "\n"); !strings.Contains(text, "native memory of devices, in use") || !strings.Contains(text, "not in RSS") || strings.Contains(text, "beside it") {
		t.Error(text)
	}
	for _, view := range []View{ViewInUse(), ViewAllocated(), ViewPeak(), ViewAge(0), ViewRSS(), ViewHeldBy(false)} {
		t.Run(view.String(), func(t *testing.T) {
			got := selectedBy(t, p, Selection{View: view})
			for name, bytes := range inUseOf(got) {
				if strings.Contains(name, "GPU") {
					t.Errorf("%d bytes of %s are in the host's memory", bytes, name)
				}
			}
			if text := strings.Join(got.Comments, "\n"); !strings.Contains(text, "beside it, 8590983168 bytes of devices' memory are in use: view=device") {
				t.Error(text)
			}
		})
	}
	if sums := inUseOf(selectedBy(t, p, Selection{})); sums["cuda pinned"] != 5000 || sums[""] != 1000 {
		t.Errorf("the host's memory has %v", sums)
	}
	if n := p.recording.InUse() - before; n < 1000 || n > 1<<20 {
		t.Errorf("%d more bytes are in use", n)
	}
	text := profiletest.Ask(p.Handler(), "view=device&debug=1").Body.String()
	if !strings.Contains(text, "\ntotal: in use on devices 8 GiB in 2 blocks, allocated 8 GiB in 2 blocks\n") || !strings.Contains(text, ", device=GPU 0, kind=cuda\n") {
		t.Error(text)
	}
}

// The moment of the peak is that of the host's memory.
func TestMemoryOfADeviceMakesNoPeak(t *testing.T) {
	p := start(t, everything)
	if err := p.ResetPeak(); err != nil {
		t.Fatal(err)
	}
	large := allocate(64 << 20)
	victim.Free(large)
	Allocated(onDevice, 8<<30, "cuda")
	Freed(onDevice)
	if got := profiletest.Sum(profiletest.Through(selectedBy(t, p, Selection{View: ViewPeak()}), "allocate")); got[1] != 64<<20 {
		t.Errorf("at the peak %v bytes are in use", got)
	}
}

// linesIn returns the bytes of the lines, by name.
func linesIn(lines []AccountLine) map[string]int64 {
	sums := make(map[string]int64)
	for _, l := range lines {
		if l.ReadError == "" {
			sums[l.Name] += l.Resident
		}
	}
	return sums
}

func TestTheAccountHasMemoryOfDevicesBesideRSS(t *testing.T) {
	p := start(t, labelled)
	if a, err := p.Account(); err != nil || len(a.Devices) != 0 {
		t.Fatalf("without devices: %+v, %v", a, err)
	}
	onGPU(t, "0", onDevice, 8<<30, "cuda")
	onGPU(t, "1", onDevice+16<<30, 1<<20, "cuda managed")
	Allocated(onDevice+48<<30, 7000, "hip")
	defer Freed(onDevice + 48<<30)
	a, err := p.Account()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{
		"device memory, GPU 0: in use by this process": 8 << 30, "device memory, GPU 1: in use by this process": 1 << 20,
		"device memory, a device: in use by this process": 7000,
	}
	if diff := cmp.Diff(want, linesIn(a.Devices)); diff != "" {
		t.Error(diff)
	}
	var sum int64
	for _, l := range a.Lines {
		sum += l.Resident
	}
	if sum != a.RSS || a.RSS > 4<<30 {
		t.Errorf("the lines add up to %d, and RSS is %d", sum, a.RSS)
	}
	if text := a.String(); !strings.Contains(text, "\non devices, and not in RSS\n       8 GiB          device memory, GPU 0: in use by this process\n") ||
		!strings.Contains(text, "device memory, GPU 0: in use by all processes, not readable: GPU 0: the program has not loaded libcuda.so.1") {
		t.Error(text)
	}
}

func TestSegmentsOfPoolsAreKnownByTheirFunctions(t *testing.T) {
	cards := make(onCards)
	for _, c := range []struct {
		function string
		bytes    int64
	}{{"c10::cuda::CUDACachingAllocator::Native::DeviceCachingAllocator::alloc_block", 20 << 20}, {"upload", 1 << 20}, {"c10::cuda::CUDACachingAllocator::empty", 0}} {
		cards.add([]symbolize.Line{{Function: "libcudart.so.12+0x19a40"}, {Function: "cudaMalloc"}, {Function: c.function}},
			&stack.Sample{Values: stack.Values{InuseBytes: c.bytes}, Labels: []stack.Label{{Key: "device", Text: "GPU 1"}, {Key: "kind", Text: "cuda"}}})
	}
	want := map[string]int64{"on GPU 1: in use by this process": 21 << 20, "on GPU 1: of that, segments of pools": 20 << 20}
	if diff := cmp.Diff(want, linesIn(cards["GPU 1"].lines("on GPU 1: "))); diff != "" || len(cards) != 1 {
		t.Error(diff)
	}
}

func TestWhichCardsTheDriverIsAskedFor(t *testing.T) {
	for about, c := range map[string]struct {
		devices []string
		mapped  bool
		want    []int
	}{
		"nothing is recorded":                {nil, true, []int{0}},
		"the driver has mapped nothing":      {nil, false, nil},
		"the program uses another card":      {[]string{"GPU 1"}, true, []int{1}},
		"it uses two":                        {[]string{"GPU 1", "GPU 3"}, false, []int{1, 3}},
		"no labels say which card":           {[]string{unnamedDevice}, true, []int{0}},
		"labels that are none of CUDA's":     {[]string{"7", "GPU", "GPU -1", "HIP 2", "GPU 4294967296"}, false, nil},
		"such labels, and the driver mapped": {[]string{"7"}, true, []int{0}},
	} {
		t.Run(about, func(t *testing.T) {
			cards := make(onCards)
			for _, name := range c.devices {
				cards[name] = &onCard{recorded: 1}
			}
			var asked []int
			cards.account(c.mapped, func(number int) (nvml.Card, error) {
				asked = append(asked, number)
				return nvml.Card{}, nil
			})
			if diff := cmp.Diff(c.want, asked); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A program may map the driver's memory and not compute.
func TestTheDriversFailureIsToldWhereBlocksAreRecorded(t *testing.T) {
	fail := func(int) (nvml.Card, error) { return nvml.Card{}, errors.New("no answer") }
	if lines := make(onCards).account(true, fail); len(lines) != 0 {
		t.Errorf("without blocks: %+v", lines)
	}
	if lines := (onCards{"GPU 1": {recorded: 1}}).account(true, fail); len(lines) != 2 || lines[1].ReadError != "no answer" {
		t.Errorf("with a block: %+v", lines)
	}
}

// heldOnDevice is the address of memory of a device, as host code keeps it.
var heldOnDevice uintptr

//go:noinline
func keepOnDevice(number string, size uintptr) {
	heldOnDevice = onDevice + uintptr(time.Now().UnixNano()&0xffff)<<21
	pprof.Do(context.Background(), pprof.Labels("device", "GPU "+number), func(context.Context) { Allocated(heldOnDevice, size, "cuda") })
}

//go:noinline
func loseOnDevice(t *testing.T, number string, size uintptr) {
	address := onDevice + 1<<44 + uintptr(time.Now().UnixNano()&0xffff)<<21
	pprof.Do(context.Background(), pprof.Labels("device", "GPU "+number), func(context.Context) { Allocated(address, size, "cuda") })
	complement := ^address
	t.Cleanup(func() { Freed(^complement) })
}

// Pointers to memory of a device are values in the host's memory, which are looked for like any other; that memory is not looked into.
func TestSuspectsAreMemoryOfDevicesToo(t *testing.T) {
	p := start(t, labelled)
	background.Apart("allocating on a device", func() {
		loseOnDevice(t, "0", 8<<30)
		loseOnDevice(t, "1", 1<<30)
		keepOnDevice("1", 20<<20)
	})
	defer func() { Freed(heldOnDevice) }()
	settled()
	suspect(t, p, "loseOnDevice")
	if err := p.SearchSuspects(); err != nil {
		t.Fatal(err)
	}
	list, err := p.Suspects()
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]float64)
	for _, s := range list {
		function := "loseOnDevice"
		if indexOf([]Suspect{s}, "keepOnDevice") == 0 {
			function = "keepOnDevice"
		}
		if device, rest, ok := strings.Cut(s.Sentence, ") of "); s.Kind == "device" && ok && rest != "" {
			found[device+") of "+function] = s.Unreachable
			if strings.Contains(s.Holder, "data at") != (function == "keepOnDevice") { // the test has no names of variables
				t.Errorf("%s is held by %q", function, s.Holder)
			}
		}
	}
	want := map[string]float64{"device memory (GPU 0) of loseOnDevice": 1, "device memory (GPU 1) of loseOnDevice": 1, "device memory (GPU 1) of keepOnDevice": 0}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Error(diff)
	}
}

func TestTheTimelineHasMemoryOfDevicesOnceThereIsSome(t *testing.T) {
	p := start(t, everything)
	note := p.deviceNotes()
	noted := func() int64 {
		v := [flight.Fields]int64{flight.Devices: flight.Unknown}
		note(&v)
		return v[flight.Devices]
	}
	if n := noted(); n != flight.Unknown {
		t.Errorf("without any, %d bytes", n)
	}
	Allocated(onDevice, 8<<30, "cuda")
	if n := noted(); n != 8<<30 {
		t.Errorf("%d bytes", n)
	}
	Freed(onDevice)
	if n := noted(); n != 0 {
		t.Errorf("afterwards, %d bytes", n)
	}
}

// Memory that is pinned for devices is the host's, and not malloc's.
func TestWhatIsPinnedIsNotCalledMallocs(t *testing.T) {
	p := start(t, labelled)
	figures := func() [3]int64 {
		var v [flight.Fields]int64
		for _, note := range p.flightSources().Quick {
			note(&v)
		}
		return [3]int64{p.recording.InUse(), v[flight.Native], int64(metric(p.Metrics(), "cgoheap_native_in_use_bytes")[""])}
	}
	before := figures()
	Allocated(onDevice, 8<<30, "cuda pinned")
	pinned := figures()
	Freed(onDevice)
	after := figures()
	for i, want := range []int64{8 << 30, 0, 0} {
		if grown := pinned[i] - before[i]; grown < want-1<<20 || grown > want+1<<20 {
			t.Errorf("figure %d: %d bytes more with the block, want %d", i, grown, want)
		}
		if grown := after[i] - before[i]; grown < -1<<20 || grown > 1<<20 {
			t.Errorf("figure %d: %d bytes more after it", i, grown)
		}
	}
}

func TestMetricsHaveMemoryOfDevices(t *testing.T) {
	p := start(t, labelled)
	onGPU(t, "0", onDevice, 8<<30, "cuda")
	if got := metric(p.Metrics(), "cgoheap_device_bytes")["device memory, GPU 0: in use by this process"]; got != 8<<30 {
		t.Errorf("%v bytes", got)
	}
}
