package main

import "fmt"

// largeParts describe what load prints for large blocks, in its order.
var largeParts = []string{
	"a vector grows by realloc from 1 MiB to 1 GiB, untouched",
	"a vector grows by realloc from 16 bytes to 64 KiB",
	"calloc of 64 MiB and free, a page of it written",
	"aligned_alloc at 64, to 512 bytes, and free",
	"posix_memalign of 1 MiB at a page, and free",
}

// large compares blocks that are mostly sampled: a growth in place must not become a copy, and calloc's pages must not be
// written.
func large(s setup) error {
	with, err := loadGo()
	if err != nil {
		return err
	}
	without, err := loadGo("without")
	if err != nil {
		return err
	}
	plain := &contender{name: "without", command: []string{without, "-large"}}
	for _, i := range intervals {
		recorded := &contender{name: i.about, command: []string{with, "-large", fmt.Sprint("-sample=", i.bytes)}}
		figures, err := s.parts(len(largeParts), recorded, plain)
		if err != nil {
			return err
		}
		s.table.head("Large and aligned blocks, "+i.about, "microseconds", "with", "without")
		for part, about := range largeParts {
			s.table.print(line{about, summary(figures[0][part]), summary(figures[1][part]), target{}})
		}
	}
	return nil
}
