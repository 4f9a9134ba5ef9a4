package stage

import (
	"math"
	"strconv"
	"strings"
	"time"
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

// Ago returns a span of time in the largest units that matter: 12 s, 3 m 48 s, 2 h.
func Ago(d time.Duration) string {
	s := int64(max(d, 0) / time.Second)
	switch {
	case s < 60:
		return itoa(s) + " s"
	case s < 600 && s%60 != 0:
		return itoa(s/60) + " m " + itoa(s%60) + " s"
	case s < 3600:
		return itoa(s/60) + " m"
	}
	return itoa(s/3600) + " h " + itoa(s%3600/60) + " m"
}
