package programs

import (
	"bufio"
	"cmp"
	"slices"
	"strings"
)

// tr replaces characters, or deletes them.
func tr(c *Call) int {
	o, ok := c.options("d delete=d s squeeze-repeats=s c complement=c C=c t")
	if !ok {
		return 1
	}
	if len(o.rest) == 0 || len(o.rest) == 1 && !o.has("d") && !o.has("s") {
		return c.fail("missing operand: tr a-z A-Z")
	}
	from := set(o.rest[0])
	var to []rune
	if len(o.rest) > 1 {
		to = set(o.rest[1])
	}
	find := func(r rune) int {
		i := slices.Index(from, r)
		if !o.has("c") {
			return i
		}
		if i >= 0 {
			return -1
		}
		return len(to) // each of the others is the last of the second
	}
	squeezed := from
	if len(to) > 0 {
		squeezed = to
	}
	last := rune(-1)
	for {
		r, _, err := c.in.ReadRune()
		if err != nil {
			return 0
		}
		i := find(r)
		if i >= 0 && o.has("d") {
			continue
		}
		if i >= 0 && len(to) > 0 && !o.has("d") {
			r = to[min(i, len(to)-1)]
		}
		if o.has("s") && r == last && slices.Contains(squeezed, r) != (o.has("c") && len(to) == 0) {
			continue
		}
		last = r
		_, _ = c.out.WriteRune(r)
		if r == '\n' && c.in.Buffered() == 0 {
			_ = c.out.Flush()
		}
	}
}

// classes are the characters of classes.
var classes = map[string]string{
	"upper": "A-Z", "lower": "a-z", "digit": "0-9", "alpha": "A-Za-z", "alnum": "0-9A-Za-z", "space": " \t\n\r\v\f",
	"blank": " \t", "punct": "!-/:-@[-`{-~", "xdigit": "0-9A-Fa-f",
}

// set returns the characters of a set such as a-z, [:upper:] or \n.
func set(text string) (all []rune) {
	for name, class := range classes {
		text = strings.ReplaceAll(text, "[:"+name+":]", class)
	}
	text = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\r`, "\r", `\0`, "\x00", `\\`, `\`).Replace(text)
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		if i+2 < len(runes) && runes[i+1] == '-' && runes[i] <= runes[i+2] {
			for r := runes[i]; r <= runes[i+2]; r++ {
				all = append(all, r)
			}
			i += 2
			continue
		}
		all = append(all, runes[i])
	}
	return all
}

// column aligns columns, with -t.
func column(c *Call) int {
	o, ok := c.options("t table=t s: separator=s o: output-separator=o")
	if !ok {
		return 1
	}
	var rows [][]string
	var widths []int
	status := c.each(o.rest, func(_ string, r *bufio.Reader) {
		c.lines(r, func(line string) bool {
			row := strings.Fields(line)
			if o.has("s") {
				row = strings.Split(line, o.value("s", ""))
			}
			if !o.has("t") {
				row = []string{line}
			}
			for i, cell := range row {
				if i == len(widths) {
					widths = append(widths, 0)
				}
				widths[i] = max(widths[i], len([]rune(cell)))
			}
			rows = append(rows, row)
			return true
		})
	})
	for _, row := range rows {
		for i, cell := range row {
			if i == len(row)-1 {
				c.printf("%s\n", cell)
			} else {
				c.printf("%-*s%s", widths[i], cell, cmp.Or(o.value("o", ""), "  "))
			}
		}
	}
	return status
}
