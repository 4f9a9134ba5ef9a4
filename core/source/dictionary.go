package source

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// The values of a structured field (RFC 8941) are int64, bool, string, token, and other for the
// types that are not used here: decimals and byte sequences.
type (
	token string
	other string
)

// An item is a value with its parameters.
type item struct {
	value  any
	params map[string]any // may be nil
}

// A member of a dictionary. Its value may be a list of items.
type member struct {
	key string
	item
}

// parseDictionary parses a dictionary. Of duplicate members it returns the last, at the position of
// the first.
func parseDictionary(text string) ([]member, error) {
	p := &fieldParser{rest: strings.Trim(text, " ")}
	var members []member
	at := map[string]int{}
	for p.rest != "" {
		m, err := p.member()
		if err != nil {
			return nil, err
		}
		if i, twice := at[m.key]; twice {
			members[i] = m
		} else {
			at[m.key] = len(members)
			members = append(members, m)
		}
		p.skip(" \t")
		if p.rest == "" {
			break
		}
		if !p.take(',') {
			return nil, p.unexpected()
		}
		if p.skip(" \t"); p.rest == "" {
			return nil, errors.New("it ends with a comma")
		}
	}
	return members, nil
}

// A fieldParser has the unread rest of a field.
type fieldParser struct{ rest string }

func (p *fieldParser) unexpected() error {
	if p.rest == "" {
		return errors.New("it ends too early")
	}
	return fmt.Errorf("unexpected %q", p.rest[:1])
}

// take reads the given character, if it comes next.
func (p *fieldParser) take(c byte) bool {
	if p.rest == "" || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

// skip skips all of some characters.
func (p *fieldParser) skip(chars string) { p.rest = strings.TrimLeft(p.rest, chars) }

// run reads as many characters as wanted allows, at least one.
func (p *fieldParser) run(wanted func(c byte) bool) (string, error) {
	n := 0
	for n < len(p.rest) && wanted(p.rest[n]) {
		n++
	}
	if n == 0 {
		return "", p.unexpected()
	}
	text := p.rest[:n]
	p.rest = p.rest[n:]
	return text, nil
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isAlpha(c byte) bool { return isLower(c | 0x20) }

func (p *fieldParser) key() (string, error) {
	if p.rest == "" || !isLower(p.rest[0]) && p.rest[0] != '*' {
		return "", p.unexpected()
	}
	return p.run(func(c byte) bool { return isLower(c) || isDigit(c) || strings.IndexByte("_-.*", c) >= 0 })
}

func (p *fieldParser) member() (m member, err error) {
	if m.key, err = p.key(); err != nil {
		return m, err
	}
	switch {
	case !p.take('='):
		m.value = true
	case p.take('('):
		m.value, err = p.list()
	default:
		m.value, err = p.value()
	}
	if err == nil {
		m.params, err = p.parameters()
	}
	return m, err
}

// list reads the rest of an inner list.
func (p *fieldParser) list() ([]item, error) {
	items := []item{}
	for {
		p.skip(" ")
		if p.take(')') {
			return items, nil
		}
		var it item
		var err error
		if it.value, err = p.value(); err != nil {
			return nil, err
		}
		if it.params, err = p.parameters(); err != nil {
			return nil, err
		}
		items = append(items, it)
		if p.rest == "" || p.rest[0] != ' ' && p.rest[0] != ')' {
			return nil, p.unexpected()
		}
	}
}

func (p *fieldParser) parameters() (params map[string]any, err error) {
	for p.take(';') {
		p.skip(" ")
		key, err := p.key()
		if err != nil {
			return nil, err
		}
		var value any = true
		if p.take('=') {
			if value, err = p.value(); err != nil {
				return nil, err
			}
		}
		if params == nil {
			params = map[string]any{}
		}
		params[key] = value
	}
	return params, nil
}

// value reads an item without its parameters.
func (p *fieldParser) value() (any, error) {
	if p.rest == "" {
		return nil, p.unexpected()
	}
	switch c := p.rest[0]; {
	case isDigit(c), c == '-':
		return p.number()
	case isAlpha(c), c == '*':
		text, err := p.run(func(c byte) bool {
			return isAlpha(c) || isDigit(c) || strings.IndexByte("!#$%&'*+-.^_`|~:/", c) >= 0
		})
		return token(text), err
	case c == '?':
		p.rest = p.rest[1:]
		if p.take('1') {
			return true, nil
		}
		if !p.take('0') {
			return nil, p.unexpected()
		}
		return false, nil
	case c == '"':
		p.rest = p.rest[1:]
		return p.text()
	case c == ':':
		bytes, _, ended := strings.Cut(p.rest[1:], ":")
		if !ended {
			return nil, errors.New("a byte sequence has no end")
		}
		p.rest = p.rest[len(bytes)+2:]
		return other(bytes), nil
	}
	return nil, p.unexpected()
}

// number reads an integer of at most 15 digits, or a decimal.
func (p *fieldParser) number() (any, error) {
	sign := ""
	if p.take('-') {
		sign = "-"
	}
	digits, err := p.run(isDigit)
	if err != nil {
		return nil, err
	}
	if p.take('.') {
		fraction, err := p.run(isDigit)
		if err == nil && (len(digits) > 12 || len(fraction) > 3) {
			err = errors.New("a decimal is too long")
		}
		return other(sign + digits + "." + fraction), err
	}
	if len(digits) > 15 {
		return nil, errors.New("an integer is too long")
	}
	return strconv.ParseInt(sign+digits, 10, 64)
}

// text reads the rest of a string.
func (p *fieldParser) text() (string, error) {
	var b strings.Builder
	for i := 0; i < len(p.rest); i++ {
		switch c := p.rest[i]; {
		case c == '"':
			p.rest = p.rest[i+1:]
			return b.String(), nil
		case c == '\\':
			if i++; i == len(p.rest) || p.rest[i] != '"' && p.rest[i] != '\\' {
				return "", errors.New("a string escapes what needs none")
			}
			b.WriteByte(p.rest[i])
		case c < ' ' || c > '~':
			return "", errors.New("a string has a character that is not ASCII, or not printed")
		default:
			b.WriteByte(c)
		}
	}
	return "", errors.New("a string has no end")
}
