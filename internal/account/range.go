package account

import "os"

// wholePages returns the ranges with the pages that they only begin or end in.
func wholePages(ranges []Range) []Range {
	whole := make([]Range, len(ranges))
	for i, r := range ranges {
		whole[i] = r.wholePages()
	}
	return whole
}

func (r Range) wholePages() Range {
	page := uint64(os.Getpagesize())
	return Range{r.Start &^ (page - 1), (r.Limit + page - 1) &^ (page - 1)}
}
