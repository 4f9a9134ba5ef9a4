package object

import "bytes"

// isPlainJSON reports whether a text is a JSON object that means the same as YAML and as JSON: what
// programs send as YAML mostly is, and JSON takes a tenth of the time to read. It returns false if
// the text has anything unusual that YAML might read differently: other escapes than the common
// ones, other numbers than short integers, long keys, duplicate keys, or characters that are not
// ASCII.
func isPlainJSON(data []byte) bool {
	data = bytes.TrimSuffix(data, []byte("\n"))
	if len(data) == 0 || data[0] != '{' {
		return false
	}
	p := plainJSON{data: data}
	return p.value(0) && p.at == len(data)
}

const (
	plainDepth  = 100  // the limits of YAML and JSON are far off
	plainDigits = 17   // such numbers are integers in both
	plainKey    = 1000 // YAML finds the colon of a key within 1024 characters
)

type plainJSON struct {
	data []byte
	at   int
}

// next returns the next byte; 0 at the end.
func (p *plainJSON) next() byte {
	if p.at == len(p.data) {
		return 0
	}
	return p.data[p.at]
}

func (p *plainJSON) take(b byte) bool {
	if p.next() != b {
		return false
	}
	p.at++
	return true
}

func (p *plainJSON) value(depth int) bool {
	switch b := p.next(); {
	case depth > plainDepth:
	case b == '{':
		return p.object(depth)
	case b == '[':
		return p.list(depth)
	case b == '"':
		_, ok := p.text()
		return ok
	case b == '-' || '0' <= b && b <= '9':
		return p.number()
	default:
		for _, word := range []string{"true", "false", "null"} {
			if bytes.HasPrefix(p.data[p.at:], []byte(word)) {
				p.at += len(word)
				return true
			}
		}
	}
	return false
}

func (p *plainJSON) object(depth int) bool {
	p.at++
	if p.take('}') {
		return true
	}
	known := map[string]bool{}
	for {
		key, ok := p.text()
		if !ok || len(key) > plainKey || key == "<<" || known[key] || !p.take(':') {
			return false
		}
		known[key] = true
		p.take(' ')
		if !p.value(depth + 1) {
			return false
		}
		if p.take('}') {
			return true
		}
		if !p.take(',') {
			return false
		}
		p.take(' ')
	}
}

func (p *plainJSON) list(depth int) bool {
	p.at++
	if p.take(']') {
		return true
	}
	for {
		if !p.value(depth + 1) {
			return false
		}
		if p.take(']') {
			return true
		}
		if !p.take(',') {
			return false
		}
		p.take(' ')
	}
}

// text reads a string; escapes are not replaced.
func (p *plainJSON) text() (string, bool) {
	if !p.take('"') {
		return "", false
	}
	start := p.at
	for p.at < len(p.data) {
		b := p.data[p.at]
		p.at++
		switch {
		case b == '"':
			return string(p.data[start : p.at-1]), true
		case b == '\\':
			switch p.next() {
			case '"', '\\', 'n', 't', 'r':
				p.at++
			default:
				return "", false
			}
		case b < ' ' || b > '~':
			return "", false
		}
	}
	return "", false
}

func (p *plainJSON) number() bool {
	negative := p.take('-')
	start := p.at
	for '0' <= p.next() && p.next() <= '9' {
		p.at++
	}
	digits := p.data[start:p.at]
	if len(digits) == 0 || len(digits) > plainDigits || digits[0] == '0' && (negative || len(digits) > 1) {
		return false
	}
	b := p.next()
	return b == ',' || b == '}' || b == ']'
}
