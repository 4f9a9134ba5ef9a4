package programs

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// sleep waits.
func sleep(c *Call) int {
	if len(c.Args) < 2 {
		return c.fail("missing operand")
	}
	total := time.Duration(0)
	for _, arg := range c.Args[1:] {
		d, ok := duration(arg)
		if !ok {
			return c.fail("invalid time interval ‘%s’", arg)
		}
		total += d
	}
	_ = c.out.Flush()
	select {
	case <-c.ctx.Done():
		return interrupted
	case <-time.After(total):
		return 0
	}
}

// duration reads a time such as 1.5, 10s or 2m.
func duration(text string) (time.Duration, bool) {
	unit := time.Second
	if n := len(text); n > 1 {
		if u, ok := map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour,
			'd': 24 * time.Hour}[text[n-1]]; ok {
			unit, text = u, text[:n-1]
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	return time.Duration(n * float64(unit)), err == nil && n >= 0
}

// dateLetters are the parts of date's format, in Go's.
var dateLetters = map[byte]string{
	'Y': "2006", 'm': "01", 'd': "02", 'H': "15", 'M': "04", 'S': "05", 'y': "06", 'b': "Jan", 'B': "January", 'a': "Mon",
	'A': "Monday", 'e': "_2", 'I': "03", 'p': "PM", 'Z': "MST", 'z': "-0700", 'N': "000000000", 'F': "2006-01-02",
	'T': "15:04:05", 'D': "01/02/06", 'R': "15:04", 'c': "Mon Jan _2 15:04:05 2006", 'j': "002", 'h': "Jan",
}

// date prints the time.
func date(c *Call) int {
	o, ok := c.options("u utc=u d: date=d I? iso-8601=I R rfc-email=R")
	if !ok {
		return 1
	}
	now := time.Now()
	if text := o.value("d", ""); text != "" {
		var err error
		if n, found := strings.CutPrefix(text, "@"); found {
			var seconds int64
			seconds, err = strconv.ParseInt(n, 10, 64)
			now = time.Unix(seconds, 0)
		} else if text != "now" {
			for _, layout := range []string{time.RFC3339, time.DateTime, time.DateOnly} {
				if now, err = time.Parse(layout, text); err == nil {
					break
				}
			}
		}
		if err != nil {
			return c.fail("invalid date ‘%s’: known here are 2026-11-26, 2026-11-26T18:00:00Z and @SECONDS", text)
		}
	}
	if o.has("u") {
		now = now.UTC()
	}
	format := "%a %b %e %H:%M:%S %Z %Y"
	switch {
	case len(o.rest) > 0 && strings.HasPrefix(o.rest[0], "+"):
		format = o.rest[0][1:]
	case len(o.rest) > 0:
		return c.fail("the time of the browser cannot be set from here")
	case o.has("I") && strings.HasPrefix(o.value("I", ""), "s"):
		format = "%FT%T%:z"
	case o.has("I"):
		format = "%F"
	case o.has("R"):
		format = "%a, %d %b %Y %T %z"
	}
	c.printf("%s\n", dated(format, now))
	return 0
}

// dated returns a time in date's format.
func dated(format string, t time.Time) string {
	var out strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			out.WriteByte(format[i])
			continue
		}
		i++
		switch layout, known := dateLetters[format[i]]; {
		case format[i] == 's':
			fmt.Fprint(&out, t.Unix())
		case format[i] == 'n':
			out.WriteByte('\n')
		case format[i] == 't':
			out.WriteByte('\t')
		case format[i] == 'N':
			fmt.Fprintf(&out, "%09d", t.Nanosecond())
		case strings.HasPrefix(format[i:], ":z"):
			out.WriteString(t.Format("-07:00"))
			i++
		case known:
			out.WriteString(t.Format(layout))
		case format[i] == '%':
			out.WriteByte('%')
		default:
			out.WriteString(format[i-1 : i+1])
		}
	}
	return out.String()
}
