package symbolize

import "testing"

func TestCompressedDebugDataThatTakesTooMuchMemoryIsTheReason(t *testing.T) {
	program := compile(t, "gcc", "calls.c", "-g", "-O2", "-gz=zlib")
	addresses := every(7, everyByte(t, program))
	count := func(o Options) (lines, packed int) {
		for _, result := range New(o).Resolve(module(program), addresses) {
			if len(result.Lines) > 0 && result.Lines[0].Line > 0 {
				lines++
			}
			if result.Lack == debugPacked || result.Reason == debugPacked {
				packed++
			}
		}
		return lines, packed
	}
	if lines, packed := count(Options{}); lines == 0 || packed != 0 {
		t.Errorf("%d addresses have lines, %d have none as the debug data is packed", lines, packed)
	}
	if lines, packed := count(Options{UnpackBytes: 64}); lines != 0 || packed == 0 {
		t.Errorf("with little memory %d addresses have lines, %d have none as the debug data is packed", lines, packed)
	}
}

// The memory of one module's sections is free again for the next.
func TestTheMemoryForCompressedSectionsIsForEachModule(t *testing.T) {
	program := compile(t, "gcc", "calls.c", "-g", "-O2", "-gz=zlib")
	s := New(Options{})
	addresses := every(7, everyByte(t, program))
	for i := range 200 {
		for _, result := range s.Resolve(module(program), addresses[i%len(addresses):][:1]) {
			if result.Lack == debugPacked {
				t.Fatal(i, result)
			}
		}
	}
}
