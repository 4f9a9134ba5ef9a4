package workload

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
)

// indexRanges parses a text such as "1,3-5".
func indexRanges(text string, completions int64) (ranges [][2]int64, err error) {
	if text == "" {
		return nil, nil
	}
	last := int64(-1)
	for _, part := range strings.Split(text, ",") {
		limits := strings.Split(part, "-")
		if len(limits) > 2 {
			return nil, fmt.Errorf("the fragment %q violates the requirement that an index interval "+
				"can have at most two parts separated by '-'", part)
		}
		var r [2]int64
		for i, limit := range limits {
			n, err := strconv.Atoi(limit)
			if err != nil {
				return nil, fmt.Errorf("cannot convert string to integer for index: %q", limit)
			}
			if int64(n) >= completions {
				return nil, fmt.Errorf("too large index: %q", limit)
			}
			if r[i] = int64(n); i == 0 {
				r[1] = r[0]
			} else if r[0] >= r[1] {
				return nil, fmt.Errorf("non-increasing order, previous: %d, current: %d", r[0], r[1])
			}
		}
		if len(ranges) > 0 && last >= r[0] {
			return nil, fmt.Errorf("non-increasing order, previous: %d, current: %d", last, r[0])
		}
		last = r[1]
		ranges = append(ranges, r)
	}
	return ranges, nil
}

// countIndexes returns the number of indexes in a text.
func countIndexes(text string, completions int64) (total int64, err error) {
	ranges, err := indexRanges(text, completions)
	for _, r := range ranges {
		total += r[1] - r[0] + 1
	}
	return total, err
}

// validateOverlap returns the violation of an index that has both succeeded and failed.
func validateOverlap(succeeded, failed [][2]int64, text string, at field.Path) field.ErrorList {
	for _, a := range succeeded {
		for _, b := range failed {
			if a[0] <= b[1] && b[0] <= a[1] {
				return field.ErrorList{field.Invalid(at.Child("failedIndexes"), text,
					fmt.Sprintf("failedIndexes and completedIndexes overlap at index: %d", max(a[0], b[0])))}
			}
		}
	}
	return nil
}
