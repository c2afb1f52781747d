package main

import "fmt"

// holding are blocks that stay.
type holding struct{ blocks, stacks, depth int }

// memory measures our tables, as the kernel counts memory: of two programs that differ in one number, how much more the
// larger grows when it records every allocation. Blocks of one stack have one size.
func memory(s setup) error {
	few := holding{100_000, 1, 9}
	many, stacks, deeper := few, few, few
	many.blocks = 200_000
	stacks.stacks = 20_000
	deeper.stacks, deeper.depth = 20_000, 59
	var sample, frame, stack []float64
	for range s.rounds {
		var bytes [4]float64
		for i, h := range []holding{few, many, stacks, deeper} {
			var err error
			if bytes[i], err = h.overhead(); err != nil {
				return err
			}
		}
		sample = append(sample, (bytes[1]-bytes[0])/float64(many.blocks-few.blocks))
		stack = append(stack, (bytes[2]-bytes[0])/float64(stacks.stacks-1))
		frame = append(frame, (bytes[3]-bytes[2])/float64(stacks.stacks*(deeper.depth-few.depth)))
	}
	s.table.headAlone("Memory of the tables", "bytes")
	s.table.printAlone("per live sample", summary(sample), 64)
	s.table.printAlone("per frame of a stack that is stored", summary(frame), 16)
	s.table.printAlone("per stack of 40 frames with one block size, all of it", summary(stack), 0)
	return nil
}

func (h holding) overhead() (bytes float64, err error) {
	with, err := loadGo()
	if err != nil {
		return 0, err
	}
	var grown [2]float64
	for sample := range grown {
		c := contender{name: "hold", command: []string{with, fmt.Sprint("-sample=", sample),
			fmt.Sprint("-hold=", h.blocks), fmt.Sprint("-stacks=", h.stacks), fmt.Sprint("-depth=", h.depth)}}
		lines, err := c.run()
		if err != nil {
			return 0, err
		}
		grown[sample] = lines[0].wall // the first number
	}
	return grown[1] - grown[0], nil
}
