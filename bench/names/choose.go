package main

import (
	"bufio"
	"debug/elf"
	"fmt"
	"io"
)

// choose writes addresses in the bodies of a file's functions, as far apart as the count allows. They are not in order, as
// in a profile.
func choose(file string, count int, out io.Writer) error {
	opened, err := elf.Open(file)
	if err != nil {
		return err
	}
	defer opened.Close()
	symbols, err := opened.Symbols()
	if err != nil {
		return err
	}
	functions := symbols[:0]
	var total uint64
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Section != elf.SHN_UNDEF && s.Size > 0 {
			functions = append(functions, s)
			total += s.Size
		}
	}
	chosen := spread(functions, total, uint64(count))
	buffered := bufio.NewWriter(out)
	for i := range chosen {
		fmt.Fprintf(buffered, "%#x\n", chosen[i*stride%len(chosen)])
	}
	return buffered.Flush()
}

// stride is a prime, so that every address has its turn in another order.
const stride = 7919

func spread(functions []elf.Symbol, total, count uint64) []uint64 {
	var chosen []uint64
	var before uint64 // bytes in the functions before
	for _, f := range functions {
		for next := uint64(len(chosen)) * total / count; next < before+f.Size; next = uint64(len(chosen)) * total / count {
			chosen = append(chosen, f.Value+next-before)
			if uint64(len(chosen)) == count {
				return chosen
			}
		}
		before += f.Size
	}
	return chosen
}
