package programs

import (
	"bufio"
	"io"
	"strconv"
	"strings"
)

// An amount is what head and tail count by: -n lines or -c bytes, from the start (+) or as usual.
type amount struct {
	count       int
	bytes, sign bool // sign: "+" for tail, "-" for head
}

// amount reads the flags of head and tail; signed is the sign that changes what they count from.
func (c *Call) amount(o options, signed string) (amount, bool) {
	a := amount{count: 10, bytes: o.has("c")}
	text := o.value("#", "10")
	if text = o.value("n", text); a.bytes {
		text = o.value("c", "")
	}
	digits := text
	if a.sign = strings.HasPrefix(text, signed); a.sign || strings.HasPrefix(text, "-") {
		digits = text[1:]
	}
	unit := 1
	if n := len(digits); n > 1 && a.bytes {
		if i := strings.IndexByte("kKM", digits[n-1]); i >= 0 {
			unit, digits = []int{1 << 10, 1 << 10, 1 << 20}[i], digits[:n-1]
		}
	}
	n, err := strconv.Atoi(digits)
	if a.count = n * unit; err != nil || n < 0 {
		c.complain("invalid number of %s: ‘%s’", map[bool]string{true: "bytes", false: "lines"}[a.bytes], text)
		return a, false
	}
	return a, true
}

// titled calls do with each file, with its name above it if there are several.
func (c *Call) titled(o options, do func(r *bufio.Reader)) int {
	first := true
	return c.each(o.rest, func(name string, r *bufio.Reader) {
		if (len(o.rest) > 1 || o.has("v")) && !o.has("q") {
			if !first {
				c.printf("\n")
			}
			if first = false; name == "-" {
				name = "standard input"
			}
			c.printf("==> %s <==\n", name)
		}
		do(r)
	})
}

// head prints the first lines.
func head(c *Call) int {
	o, ok := c.options("n: lines=n c: bytes=c q quiet=q silent=q v verbose=v #")
	if !ok {
		return 1
	}
	a, ok := c.amount(o, "-")
	if !ok {
		return 1
	}
	return c.titled(o, func(r *bufio.Reader) {
		switch {
		case a.sign: // all but the last
			var held []string
			c.pieces(r, a.bytes, func(piece string) bool {
				if held = append(held, piece); len(held) > a.count {
					c.printf("%s", held[0])
					held = held[1:]
				}
				return true
			})
		case a.bytes:
			c.copy(io.LimitReader(r, int64(a.count)))
		default:
			for n := 0; n < a.count; n++ {
				line, err := r.ReadString('\n')
				if c.printf("%s", line); err != nil {
					return
				}
			}
		}
	})
}

// tail prints the last lines.
func tail(c *Call) int {
	o, ok := c.options("n: lines=n c: bytes=c q quiet=q silent=q v verbose=v f follow=f F=f #")
	if !ok {
		return 1
	}
	if o.has("f") {
		return c.fail("-f follows no files here. What changes in the cluster is followed by kubectl get -w")
	}
	a, ok := c.amount(o, "+")
	if !ok {
		return 1
	}
	return c.titled(o, func(r *bufio.Reader) {
		var held []string
		skipped := 0
		c.pieces(r, a.bytes, func(piece string) bool {
			if a.sign {
				if skipped++; skipped >= a.count {
					c.printf("%s", piece)
				}
				return true
			}
			if held = append(held, piece); len(held) > a.count {
				held = held[1:]
			}
			return true
		})
		c.printf("%s", strings.Join(held, ""))
	})
}

// pieces calls do with each line of r, or each byte.
func (c *Call) pieces(r *bufio.Reader, bytes bool, do func(piece string) bool) {
	for {
		var piece string
		var err error
		if bytes {
			var b byte
			if b, err = r.ReadByte(); err == nil {
				piece = string([]byte{b})
			}
		} else {
			piece, err = r.ReadString('\n')
		}
		if piece != "" && !do(piece) || err != nil {
			return
		}
	}
}
