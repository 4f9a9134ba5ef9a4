package programs

import (
	"bufio"
	"encoding/base64"
	"io"
	"slices"
	"strconv"
	"strings"
)

// clearScreen moves the cursor home, and clears what is there.
const clearScreen = "\x1b[H\x1b[2J"

func clearTerminal(c *Call) int {
	c.printf("%s", clearScreen)
	return 0
}

// say returns a program that prints a line.
func say(line func(c *Call) string) program {
	return func(c *Call) int {
		c.printf("%s\n", line(c))
		return 0
	}
}

// seq counts.
func seq(c *Call) int {
	var numbers []float64
	separator, width := "\n", false
	args := c.Args[1:]
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.IndexByte("0123456789.", args[0][1]) < 0 {
		switch {
		case args[0] == "-w":
			width = true
		case args[0] == "-s" && len(args) > 1:
			separator, args = args[1], args[1:]
		default:
			return c.fail("invalid option '%s'", args[0])
		}
		args = args[1:]
	}
	for _, arg := range args {
		n, err := strconv.ParseFloat(arg, 64)
		if err != nil {
			return c.fail("invalid floating point argument: ‘%s’", arg)
		}
		numbers = append(numbers, n)
	}
	first, step, last := 1.0, 1.0, 0.0
	switch len(numbers) {
	case 1:
		last = numbers[0]
	case 2:
		first, last = numbers[0], numbers[1]
	case 3:
		first, step, last = numbers[0], numbers[1], numbers[2]
	default:
		return c.fail("one to three numbers are needed: seq FIRST STEP LAST")
	}
	if step == 0 {
		return c.fail("invalid Zero increment value: ‘0’")
	}
	digits := 0
	for _, arg := range args {
		if _, fraction, ok := strings.Cut(arg, "."); ok {
			digits = max(digits, len(fraction))
		}
	}
	format := func(n float64) string { return strconv.FormatFloat(n, 'f', digits, 64) }
	wide := 0
	if width {
		wide = max(len(format(first)), len(format(last)))
	}
	count := int((last-first)/step + 1e-9)
	if (last-first)/step < 0 {
		return 0
	}
	for i := 0; i <= count; i++ {
		if i > 0 {
			c.printf("%s", separator)
		}
		c.printf("%0*s", wide, format(first+float64(i)*step))
	}
	c.printf("\n")
	return 0
}

// coding encodes as base64, or decodes.
func coding(c *Call) int {
	o, ok := c.options("d decode=d D=d w: wrap=w i ignore-garbage=i")
	if !ok {
		return 1
	}
	width, err := o.number("w", 76)
	if err != nil {
		return c.fail("invalid wrap size: ‘%s’", o.value("w", ""))
	}
	status := 0
	failed := c.each(o.rest[:min(1, len(o.rest))], func(_ string, r *bufio.Reader) {
		data, _ := io.ReadAll(r) // what could not be read is not there
		if !o.has("d") {
			text := base64.StdEncoding.EncodeToString(data)
			for width > 0 && len(text) > width {
				c.printf("%s\n", text[:width])
				text = text[width:]
			}
			if c.printf("%s", text); width > 0 && text != "" {
				c.printf("\n")
			}
			return
		}
		text := strings.Join(strings.Fields(string(data)), "")
		plain, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			plain, err = base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
		}
		if _, _ = c.out.Write(plain); err != nil {
			status = c.fail("invalid input")
		}
	})
	return max(status, failed)
}

// which says where programs are.
func which(c *Call) int {
	o, ok := c.options("a")
	if !ok {
		return 2
	}
	status := 0
	for _, name := range o.rest {
		if name == "k" {
			name = "kubectl"
		}
		if !slices.Contains(c.Names(), name) {
			status = 1
			continue
		}
		c.printf("/bin/%s\n", name)
	}
	return status
}
