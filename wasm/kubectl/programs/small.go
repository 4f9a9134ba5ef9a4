package programs

import (
	"bufio"
	"crypto/md5"
	"crypto/sha256"
	"fmt"
	"hash"
	"os"
	"regexp"
	"slices"
	"strings"
)

// uname says what machine this is: the parts that are asked for, in its own order.
func uname(c *Call) int {
	o, ok := c.options("a all=a s kernel-name=s n nodename=n r kernel-release=r v m machine=m p i o operating-system=o")
	if !ok {
		return 1
	}
	var parts []string
	for _, part := range [][2]string{{"s", "js"}, {"n", hostName}, {"r", "wasm"}, {"m", "wasm"}, {"o", "browser"}} {
		if o.has(part[0]) || o.has("a") || part[0] == "s" && len(o.values) == 0 {
			parts = append(parts, part[1])
		}
	}
	c.printf("%s\n", strings.Join(parts, " "))
	return 0
}

// hostName is what this machine is called.
const hostName = "tab"

// rev turns the characters of each line round.
func rev(c *Call) int {
	return c.each(c.Args[1:], func(_ string, r *bufio.Reader) {
		c.lines(r, func(line string) bool {
			text := []rune(line)
			slices.Reverse(text)
			c.printf("%s\n", string(text))
			return true
		})
	})
}

// nl numbers lines; by itself those that are not empty.
func nl(c *Call) int {
	o, ok := c.options("b: body-numbering=b")
	if !ok {
		return 1
	}
	n := 0
	return c.each(o.rest, func(_ string, r *bufio.Reader) {
		c.lines(r, func(line string) bool {
			if line == "" && o.value("b", "t") != "a" {
				c.printf("       \n")
				return true
			}
			n++
			c.printf("%6d\t%s\n", n, line)
			return true
		})
	})
}

// paste joins lines: those of several files side by side, or with -s those of one.
func paste(c *Call) int {
	o, ok := c.options("d: delimiters=d s serial=s")
	if !ok {
		return 1
	}
	delimiter := strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\0`, "").Replace(o.value("d", "\t"))
	var all [][]string
	status := c.each(o.rest, func(_ string, r *bufio.Reader) {
		var lines []string
		c.lines(r, func(line string) bool { lines = append(lines, line); return true })
		all = append(all, lines)
	})
	if o.has("s") {
		for _, lines := range all {
			c.printf("%s\n", strings.Join(lines, delimiter))
		}
		return status
	}
	for i := 0; slices.ContainsFunc(all, func(lines []string) bool { return i < len(lines) }); i++ {
		row := make([]string, len(all))
		for n, lines := range all {
			if i < len(lines) {
				row[n] = lines[i]
			}
		}
		c.printf("%s\n", strings.Join(row, delimiter))
	}
	return status
}

// sum returns a program that prints checksums.
func sum(algorithm func() hash.Hash) program {
	return func(c *Call) int {
		o, ok := c.options("b t")
		if !ok {
			return 1
		}
		return c.each(o.rest, func(name string, r *bufio.Reader) {
			h := algorithm()
			_, _ = r.WriteTo(h) // what could not be read is not there
			c.printf("%x  %s\n", h.Sum(nil), name)
		})
	}
}

var md5sum, sha256sum = sum(md5.New), sum(sha256.New)

// realpath prints where files are.
func realpath(c *Call) int {
	o, ok := c.options("e f m s")
	if !ok || len(o.rest) == 0 {
		return c.fail("missing operand")
	}
	status := 0
	for _, name := range o.rest {
		file := c.path(name)
		if _, err := os.Stat(file); err != nil && o.has("e") {
			status = c.fail("%s: %s", name, Reason(err))
			continue
		}
		c.printf("%s\n", file)
	}
	return status
}

// mktemp makes a file, or with -d a directory, and prints its name.
func mktemp(c *Call) int {
	o, ok := c.options("d directory=d q u")
	if !ok {
		return 1
	}
	var name string
	var err error
	if o.has("d") {
		name, err = os.MkdirTemp("", "tmp.*")
	} else {
		var f *os.File
		if f, err = os.CreateTemp("", "tmp.*"); err == nil {
			name, err = f.Name(), f.Close()
		}
	}
	if err != nil {
		return c.fail("%s", Reason(err))
	}
	c.printf("%s\n", name)
	return 0
}

// variables are those of a text that envsubst takes.
var variables = regexp.MustCompile(`\$(\{[A-Za-z_]\w*\}|[A-Za-z_]\w*)`)

// envsubst puts the values of exported variables into its input; with an argument those that it names alone.
func envsubst(c *Call) int {
	o, ok := c.options("v variables=v")
	if !ok {
		return 1
	}
	bare := func(word string) string { return strings.Trim(word, "${}") }
	var named []string
	for _, word := range variables.FindAllString(strings.Join(o.rest, " "), -1) {
		named = append(named, bare(word))
	}
	if o.has("v") {
		for _, name := range named {
			c.printf("%s\n", name)
		}
		return 0
	}
	return c.each(nil, func(_ string, r *bufio.Reader) {
		for {
			line, err := r.ReadString('\n')
			c.printf("%s", variables.ReplaceAllStringFunc(line, func(word string) string {
				if len(o.rest) > 0 && !slices.Contains(named, bare(word)) {
					return word
				}
				return c.getenv(bare(word))
			}))
			if err != nil {
				return
			}
		}
	})
}

// id says who this is.
func id(c *Call) int {
	o, ok := c.options("u g G n r user=u group=g name=n")
	if !ok {
		return 1
	}
	name := c.getenv("USER")
	switch {
	case o.has("n") && (o.has("u") || o.has("g") || o.has("G")):
		c.printf("%s\n", name)
	case o.has("u") || o.has("g") || o.has("G"):
		c.printf("1000\n")
	default:
		c.printf("%s\n", fmt.Sprintf("uid=1000(%[1]s) gid=1000(%[1]s) groups=1000(%[1]s)", name))
	}
	return 0
}
