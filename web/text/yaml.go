package text

import (
	"encoding/json"
	"strings"
)

// YAML lays out a JSON text as YAML, members in the order of the text. Text
// that is not JSON comes back line by line, and ok is false.
func YAML(src string) (lines []Line, ok bool) {
	b, _ := LayOut(src, AsYAML, all, nil)
	return b.Lines, b.OK
}

// yaml lays out the value at the cursor as YAML. lead holds the dashes that its
// first line begins with; they take the place of indentation.
func (l *layout) yaml(depth int, parent, key, lead string) error {
	if depth > maxDepth {
		return errSyntax
	}
	open := l.peek()
	at := depth - len(lead)/2
	if open != '{' && open != '[' {
		v, kind, err := l.scalar()
		if err != nil {
			return err
		}
		l.next()
		line := Line{Depth: at, Lead: lead, Key: key, Value: v, Kind: kind, Link: l.link(parent, key, v, kind),
			Owners: l.own.By()}
		if kind == String {
			s, block := yamlString(v)
			line.Value = s
			if err := l.add(line); err != nil {
				return err
			}
			for _, b := range block {
				d := depth + 1
				if b == "" {
					d = 0
				}
				if err := l.add(Line{Depth: d, Value: b, Kind: String}); err != nil {
					return err
				}
			}
			return nil
		}
		return l.add(line)
	}
	closing, empty := l.enter()
	if empty {
		return l.add(Line{Depth: at, Lead: lead, Key: key, Tail: brackets(open, closing), Owners: l.ownerOf(key)})
	}
	start := l.begin(key)
	names, own := l.names, l.own
	if open == '{' {
		l.names = [2]string{}
	}
	if key != "" {
		if err := l.add(Line{Depth: at, Lead: lead, Key: key, Owners: l.own.By()}); err != nil {
			return err
		}
		lead = ""
		if open == '{' {
			depth++
		}
	}
	l.nest++
	for n := 0; ; n++ {
		if open == '{' {
			k, err := l.name()
			if err != nil {
				return err
			}
			name, _ := yamlString(k)
			own = l.member(own, k)
			if err := l.yaml(depth, key, name, lead); err != nil {
				return err
			}
		} else {
			l.own = own.Item(n, l.s[l.i:])
			if err := l.yaml(depth+1, parent, "", lead+"- "); err != nil {
				return err
			}
		}
		l.own = own
		lead = ""
		switch l.peek() {
		case ',':
			l.pass()
		case closing:
			l.pass()
			l.names = names
			l.nest--
			l.folds(start, key)
			return nil
		default:
			return errSyntax
		}
	}
}

// yamlString writes a JSON string as YAML: bare where that cannot be mistaken
// for anything else, as a block when it has several lines, quoted otherwise.
func yamlString(quoted string) (first string, block []string) {
	s := quoted[1 : len(quoted)-1]
	if strings.IndexByte(s, '\\') >= 0 {
		var v string
		if json.Unmarshal([]byte(quoted), &v) != nil {
			return quoted, nil
		}
		if mark, lines := yamlBlock(v); mark != "" {
			return mark, lines
		}
		s = v
	}
	if bare(s) {
		return s, nil
	}
	return quoted, nil
}

// yamlBlock writes a text of several lines as a literal block, when it can be.
func yamlBlock(s string) (mark string, lines []string) {
	body := strings.TrimRight(s, "\n")
	ends := len(s) - len(body)
	if body == "" || !strings.Contains(s, "\n") || body[0] == ' ' || body[0] == '\n' {
		return "", nil
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; c != '\n' && (c < ' ' && c != '\t' || c == 0x7f) {
			return "", nil
		}
	}
	lines = strings.Split(body, "\n")
	switch ends {
	case 0:
		return "|-", lines
	case 1:
		return "|", lines
	}
	for range ends - 1 {
		lines = append(lines, "")
	}
	return "|+", lines
}

// bare reports whether a string means itself in YAML without quotes. It is
// narrower than YAML: what it refuses is quoted, which is never wrong.
func bare(s string) bool {
	if s == "" || s[len(s)-1] == ' ' || s[len(s)-1] == ':' || strings.Contains(s, ": ") || strings.Contains(s, " #") {
		return false
	}
	switch c := s[0]; {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '/', c == '_':
	case c >= '0' && c <= '9':
		// A number, a time, or something that another reader may take for one,
		// unless a letter that no number has says otherwise.
		if !strings.ContainsAny(s, "ghjklmnpqrsuvwzGHIJKLMNPQRSUVWYZ/") || strings.ContainsAny(s, "_:") {
			return false
		}
	default:
		return false
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == '"' && i == 0 || c > 0x7e {
			return false
		}
	}
	switch strings.ToLower(s) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n", "~", ".inf", ".nan":
		return false
	}
	return true
}
