//go:build !js

package practice

import "github.com/tabernetes/tabernetes/web/course"

// Different returns how many different situations the template makes: seeds may draw the same.
func (t Template) Different() (int, error) {
	seen := map[string]bool{}
	for seed := 1; seed <= Seeds; seed++ {
		v, err := t.Values(seed)
		if err != nil {
			return 0, err
		}
		text, err := course.Fill(t.Source, v)
		if err != nil {
			return 0, err
		}
		seen[text] = true
	}
	return len(seen), nil
}

// Count returns the number of templates, and of the different situations they make.
func Count() (templates, situations int, err error) {
	all, err := All()
	if err != nil {
		return 0, 0, err
	}
	for _, t := range all {
		n, err := t.Different()
		if err != nil {
			return 0, 0, err
		}
		situations += n
	}
	return len(all), situations, nil
}
