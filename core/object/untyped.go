package object

import (
	"math"
	"strconv"
)

// untyped reads any value as an untyped tree.
func (d *decoder) untyped() (any, outcome) {
	switch c := d.peek(); c {
	case '{':
		return d.untypedObject()
	case '[':
		return d.untypedArray()
	case '"':
		s, ok := d.str()
		if !ok {
			return nil, failed
		}
		return s, stored
	case 't', 'f':
		if !d.literal(boolText(c)) {
			return nil, failed
		}
		return c == 't', stored
	case 'n':
		if !d.literal("null") {
			return nil, failed
		}
		return nil, stored
	}
	item, ok := d.numberText()
	if !ok {
		return nil, failed
	}
	if n, fits := parseInt(item); fits {
		return n, stored
	}
	f, err := strconv.ParseFloat(string(item), 64)
	if err != nil || math.IsInf(f, 0) {
		d.mismatch("number "+string(item), "float64")
		return nil, stored
	}
	return f, stored
}

func (d *decoder) untypedObject() (any, outcome) {
	if !d.enter() {
		return nil, failed
	}
	m := map[string]any{}
	for first := true; ; first = false {
		name, more, ok := d.key(first)
		if !ok {
			return nil, failed
		}
		if !more {
			break
		}
		key := string(name)
		if !d.quiet {
			if _, duplicate := m[key]; duplicate {
				d.problem("duplicate field ", key)
			}
		}
		d.stack = append(d.stack, frame{key: key, index: -1})
		v, got := d.untyped()
		d.stack = d.stack[:len(d.stack)-1]
		if got == failed {
			return nil, failed
		}
		m[key] = v
	}
	d.leave()
	return m, stored
}

func (d *decoder) untypedArray() (any, outcome) {
	if !d.enter() {
		return nil, failed
	}
	l := []any{}
	for {
		more, ok := d.item(len(l))
		if !ok {
			return nil, failed
		}
		if !more {
			break
		}
		d.stack = append(d.stack, frame{index: len(l)})
		v, got := d.untyped()
		d.stack = d.stack[:len(d.stack)-1]
		if got == failed {
			return nil, failed
		}
		l = append(l, v)
	}
	d.leave()
	return l, stored
}

// skip skips any value, checking only that it is JSON.
func (d *decoder) skip() bool {
	switch c := d.peek(); c {
	case '{':
		if !d.enter() {
			return false
		}
		for first := true; ; first = false {
			_, more, ok := d.key(first)
			if !ok {
				return false
			}
			if !more {
				d.leave()
				return true
			}
			if !d.skip() {
				return false
			}
		}
	case '[':
		if !d.enter() {
			return false
		}
		if d.peek() == ']' {
			d.leave()
			return true
		}
		for d.skip() {
			switch d.peek() {
			case ',':
				d.pos++
			case ']':
				d.leave()
				return true
			default:
				return false
			}
		}
		return false
	case '"':
		return d.skipText()
	case 't', 'f':
		return d.literal(boolText(c))
	case 'n':
		return d.literal("null")
	}
	_, ok := d.numberText()
	return ok
}
