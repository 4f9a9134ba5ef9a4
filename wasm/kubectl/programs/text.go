package programs

import (
	"bufio"
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// cat prints files, one after another.
func cat(c *Call) int {
	o, ok := c.options("n number=n b number-nonblank=b s squeeze-blank=s u A show-all=A")
	if !ok {
		return 1
	}
	number, blank := 0, false
	return c.each(o.rest, func(_ string, r *bufio.Reader) {
		if len(o.values) == 0 {
			c.copy(r)
			return
		}
		for {
			line, err := r.ReadString('\n')
			empty := line == "\n"
			if line != "" && !(o.has("s") && empty && blank) {
				if o.has("b") && !empty || o.has("n") && !o.has("b") {
					number++
					c.printf("%6d\t", number)
				}
				if o.has("A") {
					line = strings.ReplaceAll(strings.ReplaceAll(line, "\t", "^I"), "\n", "$\n")
				}
				c.printf("%s", line)
			}
			if blank = empty; err != nil {
				return
			}
		}
	})
}

// wc counts lines, words and bytes.
func wc(c *Call) int {
	o, ok := c.options("l lines=l w words=w c bytes=c m chars=m L max-line-length=L")
	if !ok {
		return 1
	}
	flags := []string{"l", "w", "m", "c", "L"}
	if len(o.values) == 0 {
		o.values = map[string][]string{"l": {""}, "w": {""}, "c": {""}}
	}
	type row struct {
		name   string
		counts map[string]int
	}
	var rows []row
	total := map[string]int{}
	status := c.each(o.rest, func(name string, r *bufio.Reader) {
		n := map[string]int{}
		for {
			line, err := r.ReadString('\n')
			if strings.HasSuffix(line, "\n") {
				n["l"]++
			}
			n["w"] += len(strings.Fields(line))
			n["c"] += len(line)
			n["m"] += utf8.RuneCountInString(line)
			n["L"] = max(n["L"], utf8.RuneCountInString(strings.TrimSuffix(line, "\n")))
			if err != nil {
				break
			}
		}
		for f, count := range n {
			if total[f] += count; f == "L" {
				total[f] = max(total[f]-count, count)
			}
		}
		rows = append(rows, row{name, n})
	})
	if len(rows) > 1 || len(o.rest) > 1 {
		rows = append(rows, row{"total", total})
	}
	width := 1
	if len(o.values) > 1 || len(rows) > 1 {
		width = len(strconv.Itoa(max(total["c"], total["m"], total["l"])))
		if len(o.rest) == 0 {
			width = 7
		}
	}
	for _, row := range rows {
		gap := ""
		for _, f := range flags {
			if o.has(f) {
				c.printf("%s%*d", gap, width, row.counts[f])
				gap = " "
			}
		}
		if len(o.rest) > 0 {
			c.printf(" %s", row.name)
		}
		c.printf("\n")
	}
	return status
}

// uniq leaves out lines that are as the one before.
func uniq(c *Call) int {
	o, ok := c.options("c count=c d repeated=d u unique=u i ignore-case=i f: skip-fields=f")
	if !ok {
		return 1
	}
	skip, err := o.number("f", 0)
	if err != nil {
		return c.fail("%v", err)
	}
	key := func(line string) string {
		for range skip {
			line = strings.TrimLeft(line, " \t")
			line = line[min(len(line), max(0, len(line)-len(strings.TrimLeftFunc(line, notBlank)))):]
		}
		if o.has("i") {
			line = strings.ToLower(line)
		}
		return line
	}
	last, count := "", 0
	print := func() {
		if count == 0 || o.has("d") && count == 1 || o.has("u") && count > 1 {
			return
		}
		if o.has("c") {
			c.printf("%7d ", count)
		}
		c.printf("%s\n", last)
	}
	status := c.each(o.rest[:min(1, len(o.rest))], func(_ string, r *bufio.Reader) {
		c.lines(r, func(line string) bool {
			if count > 0 && key(line) == key(last) {
				count++
				return true
			}
			print()
			last, count = line, 1
			return true
		})
	})
	print()
	return status
}

func notBlank(r rune) bool { return r != ' ' && r != '\t' }

// A span is a range of fields or characters, from 1 on; to 0 is the end.
type span struct{ from, to int }

// spans reads a list such as 1,3-5,7-.
func spans(text string) ([]span, bool) {
	var all []span
	for part := range strings.SplitSeq(text, ",") {
		from, to, ranged := strings.Cut(part, "-")
		a, errA := strconv.Atoi(cmp.Or(from, "1"))
		b := a
		var errB error
		if ranged {
			b, errB = strconv.Atoi(cmp.Or(to, "0"))
		}
		if errA != nil || errB != nil || a < 1 || part == "" || part == "-" || b != 0 && b < a {
			return nil, false
		}
		all = append(all, span{a, b})
	}
	return all, true
}

// within reports whether a number is in one of some ranges.
func within(all []span, n int) bool {
	for _, s := range all {
		if n >= s.from && (s.to == 0 || n <= s.to) {
			return true
		}
	}
	return false
}

// cut prints parts of lines.
func cut(c *Call) int {
	o, ok := c.options("d: delimiter=d f: fields=f c: characters=c b: bytes=b s only-delimited=s complement " +
		"output-delimiter:")
	if !ok {
		return 1
	}
	flag := ""
	for _, f := range []string{"f", "c", "b"} {
		if o.has(f) {
			flag = f
		}
	}
	if flag == "" {
		return c.fail("you must specify a list of bytes, characters, or fields")
	}
	wanted, ok := spans(o.value(flag, ""))
	if !ok {
		return c.fail("invalid field value ‘%s’", o.value(flag, ""))
	}
	delimiter := o.value("d", "\t")
	if utf8.RuneCountInString(delimiter) != 1 {
		return c.fail("the delimiter must be a single character")
	}
	between := ""
	if flag == "f" {
		between = delimiter
	}
	between = o.value("output-delimiter", between)
	return c.each(o.rest, func(_ string, r *bufio.Reader) {
		c.lines(r, func(line string) bool {
			if flag == "f" && !strings.Contains(line, delimiter) {
				if !o.has("s") {
					c.printf("%s\n", line)
				}
				return true
			}
			split := ""
			if flag == "f" {
				split = delimiter
			}
			var kept []string
			for i, part := range strings.Split(line, split) {
				if within(wanted, i+1) != o.has("complement") {
					kept = append(kept, part)
				}
			}
			c.printf("%s\n", strings.Join(kept, between))
			return true
		})
	})
}

// tee writes what it reads into files as well.
func tee(c *Call) int {
	o, ok := c.options("a append=a i")
	if !ok {
		return 1
	}
	outs := []io.Writer{c.out}
	status := 0
	for _, name := range o.rest {
		f, err := c.create(name, o.has("a"))
		if err != nil {
			status = c.fail("%s: %s", name, Reason(err))
			continue
		}
		defer func() { _ = f.Close() }()
		outs = append(outs, f)
	}
	_, _ = io.Copy(io.MultiWriter(outs...), c.in)
	return status
}

// tac prints lines, the last one first.
func tac(c *Call) int {
	return c.each(c.Args[1:], func(_ string, r *bufio.Reader) {
		var all []string
		c.lines(r, func(line string) bool { all = append(all, line); return true })
		for _, line := range slices.Backward(all) {
			c.printf("%s\n", line)
		}
	})
}

// yes repeats a word until nobody reads it.
func yes(c *Call) int {
	word := cmp.Or(strings.Join(c.Args[1:], " "), "y")
	for c.ctx.Err() == nil {
		c.printf("%s\n", word)
	}
	return interrupted
}
