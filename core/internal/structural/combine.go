package structural

import "fmt"

// combinations checks a value against allOf, anyOf, oneOf and not, whatever the old value was.
func (p valueContext) combinations(r *result, v any, s *Schema, path string) {
	if len(s.AnyOf) > 0 {
		var best *result
		for _, one := range s.AnyOf {
			got := p.unknown().schema(v, one, path)
			if len(got.violations) == 0 {
				best = &got
				break
			}
			if best == nil || got.right > best.right {
				best = &got
			}
		}
		if len(best.violations) > 0 {
			r.add(invalid("", "", fmt.Sprintf("%q must validate at least one schema (anyOf)", path)))
		}
		r.merge(*best)
	}
	if len(s.OneOf) > 0 {
		p.oneOf(r, v, s, path)
	}
	if len(s.AllOf) > 0 {
		valid := 0
		for _, one := range s.AllOf {
			got := p.unknown().schema(v, one, path)
			if len(got.violations) == 0 {
				valid++
			}
			r.merge(got)
		}
		if valid != len(s.AllOf) {
			more := ""
			if valid == 0 {
				more = ". None validated"
			}
			r.add(invalid("", "", fmt.Sprintf("%q must validate all the schemas (allOf)%s", path, more)))
		}
	}
	if s.Not != nil && len(p.unknown().schema(v, s.Not, path).violations) == 0 {
		r.add(invalid("", "", fmt.Sprintf("%q must not validate the schema (not)", path)))
	}
	r.right++
}

func (p valueContext) oneOf(r *result, v any, s *Schema, path string) {
	var best, fits *result
	valid := 0
	for _, one := range s.OneOf {
		got := p.unknown().schema(v, one, path)
		switch {
		case len(got.violations) == 0:
			valid++
			best = nil
			if fits == nil {
				fits = &got
			}
		case valid == 0 && (best == nil || got.right > best.right):
			best = &got
		}
	}
	if valid == 1 {
		r.merge(*fits)
		return
	}
	found := "Found none valid"
	if valid > 0 {
		found = fmt.Sprintf("Found %d valid alternatives", valid)
	}
	r.add(invalid("", "", fmt.Sprintf("%q must validate one and only one schema (oneOf). %s", path, found)))
	if best != nil {
		r.merge(*best)
	}
}
