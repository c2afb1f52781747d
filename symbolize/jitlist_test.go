package symbolize

import (
	"debug/elf"
	"encoding/binary"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestNamesOfAListForGDB(t *testing.T) {
	f := function{"f", 0x10, 0x20, 1}
	absolute := function{"f", 0x10010, 0x20, 1}
	for about, c := range map[string]struct {
		symfiles [][]byte
		want     string // the names of 0x1000f, 0x10010, 0x1002f, 0x10030
	}{
		"an object file":                         {[][]byte{symfileOf(elf.ET_REL, 0x10000, 0, f)}, ",f,f,"},
		"a large one":                            {[][]byte{symfileOf(elf.ET_REL, 0x10000, 1<<16, f)}, ",f,f,"},
		"a program":                              {[][]byte{symfileOf(elf.ET_EXEC, 0x10000, 0, absolute)}, ",f,f,"},
		"a library":                              {[][]byte{symfileOf(elf.ET_DYN, 0x10000, 0, absolute)}, ",f,f,"},
		"a symbol of no section":                 {[][]byte{symfileOf(elf.ET_REL, 0x50000, 0, function{"f", 0x10010, 0x20, uint16(elf.SHN_ABS)})}, ",f,f,"},
		"an address and a section's address":     {[][]byte{symfileOf(elf.ET_REL, 0x10000, 0, absolute)}, ",,,"},
		"a function beyond its section":          {[][]byte{symfileOf(elf.ET_REL, 0x10000, 0, function{"f", 0x10, 0x1000, 1})}, ",,,"},
		"a function of no bytes":                 {[][]byte{symfileOf(elf.ET_REL, 0x10000, 0, function{"f", 0x10, 0, 1})}, ",,,"},
		"a function of a section that is none":   {[][]byte{symfileOf(elf.ET_REL, 0x10000, 0, function{"f", 0x10, 0x20, 77})}, ",,,"},
		"a function that is defined elsewhere":   {[][]byte{symfileOf(elf.ET_REL, 0x10000, 0, function{"f", 0x10, 0x20, 0})}, ",,,"},
		"a function without a name":              {[][]byte{symfileOf(elf.ET_REL, 0x10000, 0, function{"", 0x10, 0x20, 1})}, ",,,"},
		"the newest, which is first":             {[][]byte{symfileOf(elf.ET_REL, 0x10010, 0, function{"g", 0, 1, 1}), symfileOf(elf.ET_REL, 0x10000, 0, f)}, ",g,f,"},
		"the inner of two":                       {[][]byte{symfileOf(elf.ET_REL, 0x10000, 0, f, function{"g", 0x2f, 1, 1}, function{"h", 0, 0xff, 1})}, "h,f,g,h"},
		"one behind some that are no images":     {[][]byte{[]byte("none"), {}, symfileOf(elf.ET_REL, 0x10000, 0, f)}, ",f,f,"},
		"one behind another that is cut":         {[][]byte{symfileOf(elf.ET_REL, 0x10000, 0, f)[:300], symfileOf(elf.ET_REL, 0x10000, 0, f)}, ",f,f,"},
		"control characters, which are replaced": {[][]byte{symfileOf(elf.ET_REL, 0x10000, 0, function{"a\x1bb", 0x10, 0x20, 1})}, ",a?b,a?b,"},
		"an empty list":                          {nil, ",,,"},
	} {
		t.Run(about, func(t *testing.T) {
			got, whole := newListForGDB(c.symfiles...).names(0x1000f, 0x10010, 0x1002f, 0x10030)
			if strings.Join(got, ",") != c.want || !whole {
				t.Errorf("%q, want %q, whole: %v", got, c.want, whole)
			}
		})
	}
}

func TestAListForGDBThatIsNone(t *testing.T) {
	symfile := symfileOf(elf.ET_REL, 0x10000, 0, function{"f", 0x10, 0x20, 1})
	for about, c := range map[string]struct {
		spoil func(l *listForGDB)
		want  string
		whole bool
	}{
		"another version":                    {func(l *listForGDB) { l.set(l.descriptor, jitVersion+1) }, "", true},
		"a descriptor that is not there":     {func(l *listForGDB) { l.descriptor = 0x1000 }, "", true},
		"a descriptor behind all addresses":  {func(l *listForGDB) { l.descriptor = 1<<64 - 1 }, "", true},
		"a first entry that is not there":    {func(l *listForGDB) { l.set(l.descriptor+jitFirst, 0x1000) }, "", false},
		"a first entry behind all addresses": {func(l *listForGDB) { l.set(l.descriptor+jitFirst, 1<<64-1) }, "", false},
		"a next entry that is not there":     {func(l *listForGDB) { l.set(l.entries[0], 1<<62) }, "", false},
		"a symfile that is not there":        {func(l *listForGDB) { l.set(l.entries[1]+16, 1<<62) }, "", true},
		"a symfile behind all addresses":     {func(l *listForGDB) { l.set(l.entries[1]+16, 1<<64-1) }, "", true},
		"a symfile larger than all memory":   {func(l *listForGDB) { l.set(l.entries[1]+24, 1<<64-1) }, "f", true},
		"a symfile smaller than a header":    {func(l *listForGDB) { l.set(l.entries[1]+24, 63) }, "", true},
		"an entry that the one before does not point to": {func(l *listForGDB) {
			l.set(l.entries[1]+8, l.descriptor)
		}, "", false},
		"a list that ends in itself": {func(l *listForGDB) { l.set(l.entries[1], l.entries[0]) }, "f", false},
	} {
		t.Run(about, func(t *testing.T) {
			l := newListForGDB(nil, symfile)
			c.spoil(l)
			if got, whole := l.names(0x10010); got[0] != c.want || whole != c.whole {
				t.Errorf("%q, want %q, whole: %v", got, c.want, whole)
			}
		})
	}
}

func TestAListForGDBThatChangesWhileItIsRead(t *testing.T) {
	const text = 0x10000
	f := function{"f", 0x10, 0x20, 1}
	far, wanted := symfileOf(elf.ET_REL, 0x40000, 0, f), symfileOf(elf.ET_REL, text, 1<<14, f)
	names := int64(len(wanted) - len("f\x00"))
	for about, c := range map[string]struct {
		at     int64 // the change comes before the read of this byte of the second of three symfiles
		time   int   // for the so many-th time
		change func(l *listForGDB, symfile []byte)
		want   string
	}{
		"not at all": {0, 1, func(*listForGDB, []byte) {}, "f"},
		"new code is added": {0, 1, func(l *listForGDB, _ []byte) {
			l.add(l.word(l.entries[0]+16), l.word(l.entries[0]+24))
		}, "f"},
		"what is behind goes":        {0, 1, func(l *listForGDB, _ []byte) { l.remove(l.entries[2]) }, "f"},
		"what is before goes":        {0, 1, func(l *listForGDB, _ []byte) { l.remove(l.entries[0]) }, "f"},
		"its code goes":              {0, 1, func(l *listForGDB, _ []byte) { l.remove(l.entries[1]) }, ""},
		"its code goes, read once":   {0, 2, func(l *listForGDB, _ []byte) { l.remove(l.entries[1]) }, ""},
		"all goes, and stays behind": {0, 1, func(l *listForGDB, _ []byte) { l.remove(l.entries[0]); l.remove(l.entries[1]) }, ""},
		"it goes, and its memory is used again": {0, 1, func(l *listForGDB, symfile []byte) {
			l.remove(l.entries[1])
			for i := range uint64(4) {
				l.set(l.entries[1]+8*i, 0xababababababab)
			}
			clear(symfile)
		}, ""},
		"it becomes other code": {0, 2, func(_ *listForGDB, symfile []byte) { symfile[names] = 'g' }, "g"},
		"it becomes other code elsewhere, where half of it was read": {names, 1, func(_ *listForGDB, symfile []byte) {
			symfile[names] = 'g'
			binary.LittleEndian.PutUint64(symfile[64+64+16:], 0x50000)
		}, ""},
	} {
		t.Run(about, func(t *testing.T) {
			l := newListForGDB(far, wanted, far)
			address, times := int64(l.word(l.entries[1]+16)), 0
			l.beforeRead = func(read int64) {
				if read == address+c.at {
					if times++; times == c.time {
						c.change(l, l.bytes[address-l.start:][:len(wanted)])
					}
				}
			}
			if got, whole := l.names(text + 0x10); got[0] != c.want || !whole || times < c.time {
				t.Errorf("%q, want %q, whole: %v, read %d times", got, c.want, whole, times)
			}
		})
	}

}

func TestAListForGDBThatGoesWhileItIsFollowed(t *testing.T) {
	const text = 0x10000
	f := function{"f", 0x10, 0x20, 1}
	far, wanted := symfileOf(elf.ET_REL, 0x40000, 0, f), symfileOf(elf.ET_REL, text, 0, f)

	t.Run("what is behind an entry that was removed is not in the list", func(t *testing.T) {
		l := newListForGDB(far, far, wanted)
		address := int64(l.word(l.entries[1] + 16))
		l.beforeRead = func(read int64) {
			if read == address { // the second, and then the third: the second still leads to it
				l.beforeRead = nil
				l.remove(l.entries[1])
				l.remove(l.entries[2])
			}
		}
		if got, whole := l.names(text + 0x10); got[0] != "" || !whole {
			t.Errorf("%q, whole: %v", got, whole)
		}
	})

	t.Run("all the time, of which nothing follows", func(t *testing.T) {
		l := newListForGDB(far, wanted)
		address, size := l.word(l.entries[1]+16), uint64(len(wanted))
		now := l.entries[1]
		l.beforeRead = func(read int64) {
			if read == int64(address) {
				l.remove(now)
				now = l.add(address, size)
			}
		}
		if got, whole := l.names(text + 0x10); got[0] != "" || whole {
			t.Errorf("%q, whole: %v", got, whole)
		}
	})
}

// hostile symfiles claim as much as they can.
func hostileSymfiles() map[string][]byte {
	f := function{"f", 0, 0x100, 1}
	change := func(at int, value uint64, bytes int) []byte {
		s := symfileOf(elf.ET_REL, 0x10000, 1<<13, f, f, f)
		for i := range bytes {
			s[at+i] = byte(value >> (8 * i))
		}
		return s
	}
	const symbols, strings = 64 + 2*64, 64 + 3*64
	return map[string][]byte{
		"nothing":                       {},
		"sections without end":          change(60, 0xffff, 2),
		"sections that are not there":   change(40, 1<<64-64, 8),
		"symbols without end":           change(symbols+32, 1<<64-1, 8),
		"symbols that are not there":    change(symbols+24, 1<<64-24, 8),
		"strings without end":           change(strings+32, 1<<64-1, 8),
		"strings that are not there":    change(strings+24, 1<<64-1, 8),
		"strings in another section":    change(symbols+40, 1<<32-1, 4),
		"text that covers all there is": change(64+64+32, 1<<64-1, 8),
	}
}

func TestAHostileListForGDBTakesBoundedTimeAndMemory(t *testing.T) {
	for about, symfile := range hostileSymfiles() {
		t.Run(about, func(t *testing.T) {
			l := newListForGDB(symfile)
			l.set(l.entries[0], l.entries[0]) // it is in the list without end
			var addresses []uint64
			for i := range uint64(256) {
				addresses = append(addresses, 0x10000+i)
			}
			wants, r := wantsOf(addresses...), newJITReader(l)
			r.left = 1 << 20
			reads, bytes := 0, 0
			l.beforeRead = func(int64) { reads++ }
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r.name(l.descriptor, wants)
			runtime.ReadMemStats(&after)
			if bytes = int(after.TotalAlloc - before.TotalAlloc); bytes > 256<<10 || reads > 1<<20/jitRead {
				t.Errorf("%d bytes, %d reads", bytes, reads)
			}
		})
	}

	t.Run("many functions over many addresses", func(t *testing.T) {
		l := newListForGDB(symfileOf(elf.ET_REL, 0x10000, 0, slices.Repeat([]function{{"", 0, 0x100, 1}}, 1<<15)...))
		l.set(l.entries[0], l.entries[0])
		var addresses []uint64
		for i := range uint64(1 << 14) {
			addresses = append(addresses, 0x10000+i%256)
		}
		slices.Sort(addresses)
		r := newJITReader(l)
		r.left = 1 << 22
		if r.name(l.descriptor, wantsOf(addresses...)) || r.left > 0 {
			t.Errorf("%d left", r.left)
		}
	})
}

func FuzzListForGDB(f *testing.F) {
	first := newListForGDB(
		symfileOf(elf.ET_REL, 0x10000, 0, function{"f", 0x10, 0x20, 1}),
		symfileOf(elf.ET_DYN, 0x20000, 0, function{"g", 0x20000, 9, 1}),
	)
	f.Add(first.bytes, uint64(0x10010))
	f.Add(first.bytes, uint64(0x20000))
	for _, symfile := range hostileSymfiles() {
		f.Add(newListForGDB(symfile, symfile).bytes, uint64(0x10010))
	}
	f.Fuzz(func(t *testing.T, memory []byte, address uint64) {
		l := &listForGDB{memoryAt: &memoryAt{start: first.start, bytes: memory}, descriptor: first.descriptor}
		wants := wantsOf(address, address|0xff)
		r, reads := newJITReader(l), 0
		r.left = 1 << 18
		l.beforeRead = func(int64) { reads++ }
		r.name(l.descriptor, wants)
		if reads > 1<<18/jitRead {
			t.Fatalf("%d reads", reads)
		}
		for _, name := range namesOf(wants) {
			if len(name) > 3*perfName || strings.ContainsAny(name, "\n\x1b\x00") {
				t.Fatalf("%q", name)
			}
		}
	})
}
