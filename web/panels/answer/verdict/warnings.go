package verdict

import "strings"

// warnings returns the texts of a Warning header (RFC 7234, 5.5), of which browsers join several: those of code 299,
// which are the API server's.
func warnings(header string) (out []string) {
	for rest := header; rest != ""; {
		head, quoted, ok := strings.Cut(rest, `"`)
		if !ok {
			return out
		}
		var b strings.Builder
		i := 0
		for ; i < len(quoted) && quoted[i] != '"'; i++ {
			if quoted[i] == '\\' && i+1 < len(quoted) {
				i++
			}
			b.WriteByte(quoted[i])
		}
		if strings.HasPrefix(strings.TrimLeft(head, ", "), "299 ") {
			out = append(out, b.String())
		}
		rest = quoted[min(i+1, len(quoted)):]
		if date, after, dated := strings.Cut(strings.TrimPrefix(rest, ` "`), `"`); dated && strings.HasPrefix(rest, ` "`) {
			_, rest = date, after
		}
	}
	return out
}
