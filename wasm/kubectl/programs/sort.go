package programs

import (
	"bufio"
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A sortKey is what sort compares: fields from one place to another, by some order.
type sortKey struct {
	from, fromChar, to, toChar int // fields from 1 on, characters too; to 0 is the end of the line, toChar 0 of the field
	order                      string
}

// keyText matches -k: F[.C][OPTS][,F[.C][OPTS]].
var keyText = regexp.MustCompile(`^(\d+)(?:\.(\d+))?([a-zA-Z]*)(?:,(\d+)(?:\.(\d+))?([a-zA-Z]*))?$`)

// sorting sorts lines.
func sorting(c *Call) int {
	o, ok := c.options("n numeric-sort=n r reverse=r k: key=k u unique=u t: field-separator=t f ignore-case=f " +
		"b ignore-leading-blanks=b h human-numeric-sort=h V version-sort=V s stable=s o: output=o c check=c g " +
		"general-numeric-sort=g d dictionary-order=d M month-sort=M")
	if !ok {
		return 2
	}
	if o.has("M") || o.has("d") {
		return c.fail("-d and -M are not known here: sort by text, by -n, -h or -V")
	}
	general := ""
	for _, f := range []string{"n", "r", "f", "b", "h", "V", "g"} {
		if o.has(f) {
			general += f
		}
	}
	var keys []sortKey
	for _, text := range o.values["k"] {
		m := keyText.FindStringSubmatch(text)
		if m == nil || m[1] == "0" {
			c.complain("invalid field specification ‘%s’", text)
			return 2
		}
		number := func(s string) int { n, _ := strconv.Atoi(s); return n } // digits, by the expression
		k := sortKey{number(m[1]), number(m[2]), number(m[4]), number(m[5]), m[3] + m[6]}
		if k.order == "" {
			k.order = general
		}
		keys = append(keys, k)
	}
	if len(keys) == 0 {
		keys = []sortKey{{from: 1, order: general}}
	}
	separator := o.value("t", "")
	if separator == `\t` {
		separator = "\t"
	}
	compare := func(a, b sortLine) int {
		for i, k := range keys {
			order := compareBy(k.order, a.values[i], b.values[i])
			if strings.Contains(k.order, "r") {
				order = -order
			}
			if order != 0 {
				return order
			}
		}
		return 0
	}
	var lines []sortLine
	status := c.each(o.rest, func(_ string, r *bufio.Reader) {
		c.lines(r, func(text string) bool {
			line := sortLine{text: text}
			for _, k := range keys {
				line.values = append(line.values, valueOf(k.order, k.part(text, separator)))
			}
			lines = append(lines, line)
			return true
		})
	})
	if status != 0 {
		return 2
	}
	if o.has("c") {
		for i := 1; i < len(lines); i++ {
			if order := compare(lines[i-1], lines[i]); order > 0 || order == 0 && o.has("u") {
				return c.fail("%s:%d: disorder: %s", cmp.Or(strings.Join(o.rest, ""), "-"), i+1, lines[i].text)
			}
		}
		return 0
	}
	slices.SortStableFunc(lines, func(a, b sortLine) int {
		order := compare(a, b)
		if order == 0 && !o.has("u") && !o.has("s") { // the last resort, as GNU has it
			if order = cmp.Compare(a.text, b.text); o.has("r") {
				order = -order
			}
		}
		return order
	})
	if o.has("u") {
		lines = slices.CompactFunc(lines, func(a, b sortLine) bool { return compare(a, b) == 0 })
	}
	var sorted strings.Builder
	for _, line := range lines {
		sorted.WriteString(line.text + "\n")
	}
	if name := o.value("o", ""); name != "" {
		f, err := c.create(name, false)
		if err != nil {
			return c.fail("open failed: %s: %s", name, Reason(err))
		}
		defer func() { _ = f.Close() }()
		_, _ = f.WriteString(sorted.String())
		return 0
	}
	c.printf("%s", sorted.String())
	return 0
}

// part returns what the key has of a line.
func (k sortKey) part(line, separator string) string {
	starts, ends := fieldsOf(line, separator)
	if k.from > len(starts) {
		return ""
	}
	from := starts[k.from-1]
	if strings.Contains(k.order, "b") || strings.Contains(k.order, "n") {
		from += len(line[from:]) - len(strings.TrimLeft(line[from:], " \t"))
	}
	if from += max(0, k.fromChar-1); from > len(line) {
		return ""
	}
	to := len(line)
	if k.to > 0 && k.to <= len(ends) {
		if to = ends[k.to-1]; k.toChar > 0 {
			to = min(to, starts[k.to-1]+k.toChar)
		}
	}
	return line[min(from, to):to]
}

// fieldsOf returns where the fields of a line begin and end. Without a separator a field has the blanks before it.
func fieldsOf(line, separator string) (starts, ends []int) {
	at := 0
	for {
		starts = append(starts, at)
		next := -1
		if separator != "" {
			next = strings.Index(line[at:], separator)
		} else {
			blanks := len(line[at:]) - len(strings.TrimLeft(line[at:], " \t"))
			if next = strings.IndexAny(line[at+blanks:], " \t"); next >= 0 {
				next += blanks
			}
		}
		if next < 0 {
			return starts, append(ends, len(line))
		}
		ends = append(ends, at+next)
		at += next + len(separator)
	}
}

// A sortLine is a line with what is compared of it, by key.
type sortLine struct {
	text   string
	values []sortValue
}

// A sortValue is what a key has of a line: a text, or a number.
type sortValue struct {
	text   string
	number float64
}

// valueOf returns what is compared of a text, by the letters of an order.
func valueOf(order, text string) sortValue {
	switch {
	case strings.Contains(order, "h"):
		return sortValue{number: humanNumber(text)}
	case strings.ContainsAny(order, "ng"):
		return sortValue{number: leadingNumber(text)}
	}
	if strings.Contains(order, "b") {
		text = strings.TrimLeft(text, " \t")
	}
	if strings.Contains(order, "f") {
		text = strings.ToUpper(text)
	}
	return sortValue{text: text}
}

// compareBy compares two values by the letters of an order.
func compareBy(order string, a, b sortValue) int {
	if strings.Contains(order, "V") {
		return compareVersions(a.text, b.text)
	}
	return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.text, b.text))
}

var number = regexp.MustCompile(`^[ \t]*-?\d*(?:\.\d+)?`)

// leadingNumber returns the number that a text begins with, or 0.
func leadingNumber(text string) float64 {
	n, err := strconv.ParseFloat(strings.TrimSpace(number.FindString(text)), 64)
	if err != nil {
		return 0
	}
	return n
}

// humanNumber returns the number that a text begins with, with its unit, as in 2K or 1Gi.
func humanNumber(text string) float64 {
	digits := number.FindString(text)
	value := leadingNumber(text)
	if rest := text[len(digits):]; rest != "" {
		value *= math.Pow(1024, float64(1+strings.IndexByte("KMGTPE", strings.ToUpper(rest[:1])[0])))
	}
	return value
}

// versionParts matches the parts of a version.
var versionParts = regexp.MustCompile(`\d+|\D+`)

// compareVersions compares texts with the numbers in them compared as such.
func compareVersions(a, b string) int {
	x, y := versionParts.FindAllString(a, -1), versionParts.FindAllString(b, -1)
	for i := range min(len(x), len(y)) {
		n, errN := strconv.Atoi(x[i])
		m, errM := strconv.Atoi(y[i])
		order := cmp.Compare(x[i], y[i])
		if errN == nil && errM == nil {
			order = cmp.Compare(n, m)
		}
		if order != 0 {
			return order
		}
	}
	return cmp.Compare(len(x), len(y))
}
