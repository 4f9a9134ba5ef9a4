package histories

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A spec is what is known of a key by several runs.
type spec struct {
	// least and most are how many instances there were.
	least, most int
	// always are the lines that all instances had in all runs; sometimes are the others. Only timing makes them differ.
	always, sometimes map[string]bool
}

// specs are those of the steps of a history.
type specs []map[string]spec

// learn returns what is known by several records of a history.
func learn(runs []record) specs {
	all := make(specs, len(runs[0]))
	for step := range all {
		all[step] = map[string]spec{}
		for _, run := range runs {
			for key := range run[step] {
				all[step][key] = learnKey(runs, step, key)
			}
		}
	}
	return all
}

func learnKey(runs []record, step int, key string) spec {
	s := spec{least: len(runs[0][step][key]), always: map[string]bool{}, sometimes: map[string]bool{}}
	count, instances := map[string]int{}, 0
	for _, run := range runs {
		n := len(run[step][key])
		s.least, s.most = min(s.least, n), max(s.most, n)
		for _, one := range run[step][key] {
			instances++
			for line := range one {
				count[line]++
			}
		}
	}
	for line, n := range count {
		if n == instances {
			s.always[line] = true
		} else {
			s.sometimes[line] = true
		}
	}
	return s
}

// merge returns what is known by two recordings of a history.
func merge(a, b specs) specs {
	all := make(specs, len(b))
	for step := range all {
		all[step] = map[string]spec{}
		for _, one := range []specs{a, b} {
			for key := range one[step] {
				all[step][key] = mergeKey(a[step][key], b[step][key])
			}
		}
	}
	return all
}

// mergeKey merges what is known of a key; one that a recording does not have had no instances there.
func mergeKey(a, b spec) spec {
	s := spec{
		least: min(a.least, b.least), most: max(a.most, b.most), always: map[string]bool{}, sometimes: map[string]bool{},
	}
	for _, one := range []spec{a, b} {
		for line := range one.sometimes {
			s.sometimes[line] = true
		}
		for line := range one.always {
			if (a.most == 0 || a.always[line]) && (b.most == 0 || b.always[line]) {
				s.always[line] = true
			} else {
				s.sometimes[line] = true
			}
		}
	}
	return s
}

// compare returns how a record differs from what is known, a line for each difference.
func compare(known specs, got record) []string {
	var differ []string
	for step, keys := range known {
		at := fmt.Sprintf("step %d: ", step+1)
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			s := keys[key]
			if n := len(got[step][key]); n < s.least || n > s.most {
				differ = append(differ, fmt.Sprintf("%s%s: %d, want %s", at, key, n, s.count()))
			}
			seen := map[string]bool{}
			for _, one := range got[step][key] {
				for line := range s.always {
					if !one[line] {
						seen["- "+line] = true
					}
				}
				for line := range one {
					if !s.always[line] && !s.sometimes[line] {
						seen["+ "+line] = true
					}
				}
			}
			for _, line := range slices.Sorted(maps.Keys(seen)) {
				differ = append(differ, at+key+": "+line)
			}
		}
		for _, key := range slices.Sorted(maps.Keys(got[step])) {
			if _, ok := keys[key]; !ok {
				differ = append(differ, fmt.Sprintf("%s%s: %d, want none:", at, key, len(got[step][key])))
				for _, line := range slices.Sorted(maps.Keys(got[step][key][0])) {
					differ = append(differ, "    "+line)
				}
			}
		}
	}
	return differ
}

func (s spec) count() string {
	if s.least == s.most {
		return fmt.Sprint(s.least)
	}
	return fmt.Sprintf("%d to %d", s.least, s.most)
}

// String returns the specs as a file has them.
func (all specs) String() string {
	var b strings.Builder
	for step, keys := range all {
		fmt.Fprintf(&b, "# step %d\n", step+1)
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			s := keys[key]
			fmt.Fprintf(&b, "%s: %s\n", key, s.count())
			for _, line := range slices.Sorted(maps.Keys(s.always)) {
				fmt.Fprintf(&b, "  %s\n", line)
			}
			for _, line := range slices.Sorted(maps.Keys(s.sometimes)) {
				fmt.Fprintf(&b, "? %s\n", line)
			}
		}
	}
	return b.String()
}

// parseSpecs reads what String has written.
func parseSpecs(text string) (all specs, err error) {
	var key string
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "# "):
			all = append(all, map[string]spec{})
		case strings.HasPrefix(line, "  "):
			all[len(all)-1][key].always[line[2:]] = true
		case strings.HasPrefix(line, "? "):
			all[len(all)-1][key].sometimes[line[2:]] = true
		default:
			i := strings.LastIndex(line, ": ")
			if i < 0 || len(all) == 0 {
				return nil, fmt.Errorf("not a line of a record: %q", line)
			}
			key = line[:i]
			s := spec{always: map[string]bool{}, sometimes: map[string]bool{}}
			if n, _ := fmt.Sscanf(line[i+2:], "%d to %d", &s.least, &s.most); n == 1 {
				s.most = s.least
			}
			all[len(all)-1][key] = s
		}
	}
	return all, nil
}
