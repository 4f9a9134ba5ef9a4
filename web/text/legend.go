package text

import (
	"encoding/json"
	"strings"
)

// A Manager is a field manager of an object, as a legend shows it.
type Manager struct {
	Name   string // as Line.Owners calls it: me (Apply)
	Letter string // stands for it in front of lines: A, B, …
	Time   string // when it last changed the object, as the server wrote it
	Lines  int    // how many lines it owns, alone or with others
	Off    bool   // its lines are not marked
}

// Legend returns the field managers of an object, in the order of its managedFields,
// with the lines that each owns of the object's layout.
func Legend(object string, lines []Line) []Manager {
	var o struct {
		Metadata struct {
			ManagedFields []struct {
				manager
				Time string
			}
		}
	}
	if json.Unmarshal([]byte(object), &o) != nil {
		return nil
	}
	var out []Manager
	at := map[string]int{}
	for _, m := range o.Metadata.ManagedFields {
		name := m.String()
		i, known := at[name]
		if !known {
			i = len(out)
			at[name] = i
			out = append(out, Manager{Name: name, Letter: letter(i)})
		}
		out[i].Time = max(out[i].Time, m.Time) // all are of one form, in UTC
	}
	for i := range out {
		for _, l := range lines {
			if owns(l.Owners, out[i].Name) {
				out[i].Lines++
			}
		}
	}
	return out
}

// letter stands for the n-th manager: A to Z, then A2 and so on.
func letter(n int) string {
	s := string(rune('A' + n%26))
	if n >= 26 {
		s += string(rune('1' + n/26%9))
	}
	return s
}

// owns reports whether a manager is among the owners, as By joins them.
func owns(owners, name string) bool {
	rest, found := strings.CutPrefix(owners, name)
	for {
		if found && (rest == "" || strings.HasPrefix(rest, "; ")) {
			return true
		}
		i := strings.Index(owners, "; ")
		if i < 0 {
			return false
		}
		owners = owners[i+2:]
		rest, found = strings.CutPrefix(owners, name)
	}
}

// Hues is how many managers have separate colours.
const Hues = 6

// gutter is how many letters fit in front of a line.
const gutter = 3

// OwnersHTML appends the lines to b as HTML does, each with the letters of those of
// its managers that are marked in front. Letters tell the managers apart; colours
// repeat it, as far as they reach. legend must not have more than 9 x 26 managers.
func OwnersHTML(b *strings.Builder, lines []Line, objects string, legend []Manager) {
	var one strings.Builder
	first := true
	for i := range lines {
		b.WriteString(`<span class="owners" aria-hidden="true">`)
		var by []int
		if lines[i].Owners != "" {
			for k := range legend {
				if !legend[k].Off && owns(lines[i].Owners, legend[k].Name) {
					by = append(by, k)
				}
			}
		}
		for n, k := range by {
			if n == gutter-1 && len(by) > gutter {
				b.WriteString(`<i>+</i>`)
				break
			}
			b.WriteString(`<i class="` + hue(k) + `">` + legend[k].Letter + `</i>`)
		}
		b.WriteString(`</span>`)
		one.Reset()
		HTML(&one, lines[i:i+1], objects)
		html := one.String()
		if lines[i].Owners != "" {
			if !first { // one stop of Tab for all of them
				html = strings.Replace(html, `tabindex="0"`, `tabindex="-1"`, 1)
			}
			first = false
			if len(by) > 0 {
				html = strings.Replace(html, `class="own"`, `class="own `+hue(by[0])+`"`, 1)
			}
		}
		b.WriteString(html)
	}
}

// hue returns the class that colours the n-th manager.
func hue(n int) string { return "hue-" + string(rune('0'+n%Hues)) }
