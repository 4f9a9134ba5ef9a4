package stage

import (
	"math"
	"strconv"
	"strings"
)

// markup builds markup without the cost of fmt: drawing runs on every frame.
type markup struct{ b []byte }

func (m *markup) s(parts ...string) *markup {
	for _, p := range parts {
		m.b = append(m.b, p...)
	}
	return m
}

// n writes a coordinate with at most one decimal.
func (m *markup) n(x float64) *markup {
	if !(x > -1e7) {
		x = -1e7
	}
	if x > 1e7 {
		x = 1e7
	}
	t := int64(math.Round(x * 10))
	if t < 0 {
		m.b = append(m.b, '-')
		t = -t
	}
	m.b = strconv.AppendInt(m.b, t/10, 10)
	if r := t % 10; r != 0 {
		m.b = append(m.b, '.', byte('0'+r))
	}
	return m
}

func (m *markup) i(n int64) *markup {
	m.b = strconv.AppendInt(m.b, n, 10)
	return m
}

// e writes text that came from anywhere.
func (m *markup) e(s string) *markup {
	if strings.IndexAny(s, `&<>"'`) < 0 {
		m.b = append(m.b, s...)
		return m
	}
	m.b = append(m.b, escaper.Replace(s)...)
	return m
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

func (m *markup) String() string { return string(m.b) }
