package cgoheap

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/nvml"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

// deviceLabel is the key of the label that says on which device a block is: "GPU 0", as CUDA counts in this process.
const deviceLabel = "device"

// unnamedDevice is where a block is that has no such label.
const unnamedDevice = "a device"

// deviceOf returns the device that a block of a device is on.
func deviceOf(labels []stack.Label) string {
	for _, l := range labels {
		if l.Key == deviceLabel {
			return l.Text
		}
	}
	return unnamedDevice
}

// devicesIn returns the devices of samples by their IDs.
func devicesIn(s *alloc.Snapshot) map[uint64]string {
	devices := make(map[uint64]string)
	for i := range s.Samples {
		devices[s.Samples[i].ID] = deviceOf(s.Samples[i].Labels)
	}
	return devices
}

// onCards are what is in use of devices' memory, by device.
type onCards map[string]*onCard

type onCard struct {
	recorded int64
	pools    int64 // what of it is segments of pools
}

// add adds a sample of a device's memory with its stack. By the stack's functions, it may be a pool's.
func (c onCards) add(lines []symbolize.Line, s *stack.Sample) {
	if s.InuseBytes == 0 {
		return
	}
	name := deviceOf(s.Labels)
	if c[name] == nil {
		c[name] = new(onCard)
	}
	c[name].recorded += s.InuseBytes
	if namesOf([][]symbolize.Line{lines})[0].Pool != "" {
		c[name].pools += s.InuseBytes
	}
}

// devices are what the process has in use on devices, and what their driver says.
func (p *Profiler) devices(mapped bool) (lines []AccountLine) {
	if p.recording.DeviceInUse() == 0 && !mapped { // the driver is not asked in a process that uses no device
		return nil
	}
	cards := make(onCards)
	if s, err := p.recording.DeviceIn(nil); err == nil {
		r := report.Report{Module: s.Module, Names: p.names, Samples: s.Samples, Seen: cards.add}
		r.See()
	}
	return cards.account(mapped, nvml.Ask)
}

// account returns the lines of all cards, and what the driver says when it is asked. If it has mapped memory, but no block that was
// recorded is on a card with a number, it is asked for the first.
func (c onCards) account(mapped bool, ask func(number int) (nvml.Card, error)) (lines []AccountLine) {
	names := slices.Sorted(maps.Keys(c))
	if mapped && !slices.ContainsFunc(names, func(name string) bool { return numberOf(name) >= 0 }) {
		names = append(names, "GPU 0")
	}
	for _, name := range names {
		card := c[name]
		if card == nil {
			card = new(onCard)
		}
		lines = append(lines, card.lines("device memory, "+name+": ")...)
		if number := numberOf(name); number >= 0 {
			found, err := ask(number)
			if err != nil && card.recorded == 0 { // the program may not compute on the card
				continue
			}
			lines = append(lines, driversLines("device memory, "+name+": ", found, err)...)
		}
	}
	return lines
}

// numberOf returns the number that CUDA has for a card, by the device's name; -1 if it is none of CUDA's.
func numberOf(name string) int {
	digits, ok := strings.CutPrefix(name, "GPU ")
	number, err := strconv.ParseUint(digits, 10, 31)
	if !ok || err != nil {
		return -1
	}
	return int(number)
}

func (c *onCard) lines(name string) (lines []AccountLine) {
	if c.recorded > 0 {
		lines = append(lines, AccountLine{Name: name + "in use by this process", Resident: c.recorded, Known: account.Counted.String(),
			Sentence: "recorded blocks that the program has from the driver: view=device shows who asked for them"})
	}
	if c.pools > 0 {
		lines = append(lines, AccountLine{Name: name + "of that, segments of pools", Resident: c.pools, Known: account.Counted.String(),
			Sentence: "blocks that a framework cuts into smaller ones, by the functions of their stacks: what of them is free, the framework knows"})
	}
	return lines
}

// driversLines are what the driver says.
func driversLines(name string, card nvml.Card, err error) []AccountLine {
	if err != nil {
		return []AccountLine{{Name: name + "in use by all processes", Known: account.Figures.String(), Sentence: byDriver, ReadError: err.Error()}}
	}
	mine := AccountLine{Name: name + "in use by this process, as the driver says", Resident: card.Process, Known: account.Figures.String(),
		Sentence: "also what the driver keeps for the process itself: contexts, code, buffers; by NVML"}
	if card.Process == nvml.Unknown {
		mine.Resident, mine.ReadError = 0, "the driver does not list the process, perhaps because, in a container, it has another number"
	}
	return []AccountLine{mine, {Name: name + "in use by all processes", Resident: card.Used, Known: account.Figures.String(),
		Sentence: byDriver, Detail: "of " + report.Bytes(card.Total)}}
}

const byDriver = "the card's memory that is not free, as the driver says, by NVML"

// usesCard reports whether a line of an account says that a driver of NVIDIA's has mapped memory.
func usesCard(a *account.Account) bool {
	return slices.ContainsFunc(a.Lines, func(l account.Line) bool {
		return l.Name == account.DeviceFiles && strings.Contains(l.Detail, "/dev/nvidia")
	})
}
