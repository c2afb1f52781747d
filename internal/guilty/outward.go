package guilty

// Outward returns the numbers of the Go functions that called the stack's Caller, the nearest first: of the program's own, or of whatever
// kind Caller is. They tell stacks apart of which one function calls all, as where an interpreter is called.
func Outward[L any](stack []L, who Who, known func(*L) Line) (numbers []int) {
	if who.Caller < 0 {
		return nil
	}
	is := isGo
	first := known(&stack[who.Caller])
	for _, own := range []func(Line) bool{isMain, isOwn} {
		if own(first) {
			is = own
			break
		}
	}
	for i := who.Caller + 1; i < len(stack); i++ {
		if l := known(&stack[i]); isGo(l) && is(l) {
			numbers = append(numbers, i)
		}
	}
	return numbers
}
