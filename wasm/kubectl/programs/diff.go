package programs

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A differ is one run of diff.
type differ struct {
	*Call
	o       options
	context int
	unified bool
	colour  bool
	labels  []string
}

// diffFailed is diff's status for what it cannot do; 1 says that there are differences.
const diffFailed = 2

// diff compares files, or the files of directories.
func diff(c *Call) int {
	o, ok := c.options("u U: unified=U N new-file=N r recursive=r q brief=q s report-identical-files=s i ignore-case=i " +
		"w ignore-all-space=w b ignore-space-change=b a text=a label: L=label color? d minimal=d")
	if !ok {
		return diffFailed
	}
	if len(o.rest) != 2 {
		c.complain("two files are needed: diff -u OLD NEW")
		return diffFailed
	}
	d := &differ{Call: c, o: o, colour: c.colour(o) && o.has("color"), labels: o.values["label"]}
	d.unified = o.has("u") || o.has("U")
	var err error
	if d.context, err = o.number("U", 3); err != nil {
		c.complain("invalid context length ‘%s’", o.value("U", ""))
		return diffFailed
	}
	a, b := o.rest[0], o.rest[1]
	infoA, errA := d.stat(a)
	infoB, errB := d.stat(b)
	if errors.Join(errA, errB) != nil && !(o.has("N") && (errA == nil || errB == nil)) {
		for name, err := range map[string]error{a: errA, b: errB} {
			if err != nil {
				c.complain("%s: %s", name, Reason(err))
			}
		}
		return diffFailed
	}
	dirA, dirB := infoA != nil && infoA.IsDir(), infoB != nil && infoB.IsDir()
	switch {
	case dirA && dirB:
		return d.dirs(a, b)
	case dirA && b != "-":
		a = filepath.Join(a, filepath.Base(b))
	case dirB && a != "-":
		b = filepath.Join(b, filepath.Base(a))
	}
	return d.files(a, b, "")
}

func (d *differ) stat(name string) (fs.FileInfo, error) {
	if name == "-" {
		return nil, nil
	}
	return os.Stat(d.path(name))
}

// dirs compares two directories.
func (d *differ) dirs(a, b string) (status int) {
	names := map[string][2]fs.DirEntry{}
	for i, dir := range []string{a, b} {
		list, err := os.ReadDir(d.path(dir))
		if err != nil {
			d.complain("%s: %s", dir, Reason(err))
			return diffFailed
		}
		for _, entry := range list {
			pair := names[entry.Name()]
			pair[i] = entry
			names[entry.Name()] = pair
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		x, y := names[name][0], names[name][1]
		fileA, fileB := filepath.Join(a, name), filepath.Join(b, name)
		isDir := x != nil && x.IsDir() || y != nil && y.IsDir()
		switch {
		case (x == nil || y == nil) && (!d.o.has("N") || isDir):
			dir := a
			if x == nil {
				dir = b
			}
			d.printf("Only in %s: %s\n", dir, name)
			status = max(status, 1)
		case x != nil && y != nil && x.IsDir() != y.IsDir():
			d.printf("File %s is a %s while file %s is a %s\n", fileA, kind(x), fileB, kind(y))
			status = max(status, 1)
		case isDir && d.o.has("r"):
			status = max(status, d.dirs(fileA, fileB))
		case isDir:
			d.printf("Common subdirectories: %s and %s\n", fileA, fileB)
		default:
			status = max(status, d.files(fileA, fileB, d.commandLine(fileA, fileB)))
		}
	}
	return status
}

// kind says what an entry is.
func kind(e fs.DirEntry) string {
	if e.IsDir() {
		return "directory"
	}
	return "regular file"
}

// commandLine is the line above the differences of two files of directories.
func (d *differ) commandLine(a, b string) string {
	line := "diff"
	for _, arg := range d.Args[1:] {
		if strings.HasPrefix(arg, "-") && arg != "-" {
			line += " " + arg
		}
	}
	return line + " " + a + " " + b
}

// A side is one of the files that are compared.
type side struct {
	lines []string // with their ends
	keys  []string // what is compared of them
	when  time.Time
}

// read reads a file; with -N one that is not there is empty.
func (d *differ) read(name string) (side, error) {
	s := side{when: time.Now()}
	if name != "-" {
		info, err := os.Stat(d.path(name))
		if errors.Is(err, fs.ErrNotExist) && d.o.has("N") {
			return side{when: time.Unix(0, 0)}, nil
		}
		if err != nil {
			return s, err
		}
		s.when = info.ModTime()
	}
	r, err := d.open(name)
	if err != nil {
		return s, err
	}
	defer func() { _ = r.Close() }()
	d.pieces(bufio.NewReader(r), false, func(line string) bool {
		s.lines = append(s.lines, line)
		s.keys = append(s.keys, d.key(line))
		return true
	})
	return s, nil
}

// key returns what is compared of a line.
func (d *differ) key(line string) string {
	switch {
	case d.o.has("w"):
		line = strings.Join(strings.Fields(line), "")
	case d.o.has("b"):
		blank := strings.TrimLeft(line, " \t") != line
		if line = strings.Join(strings.Fields(line), " "); blank {
			line = " " + line
		}
	}
	if d.o.has("i") {
		line = strings.ToLower(line)
	}
	return line
}

// files compares two files.
func (d *differ) files(nameA, nameB, title string) int {
	a, errA := d.read(nameA)
	b, errB := d.read(nameB)
	if err := errors.Join(errA, errB); err != nil {
		name := nameA
		if errA == nil {
			name = nameB
		} else {
			err = errA
		}
		d.complain("%s: %s", name, Reason(err))
		return diffFailed
	}
	changes := compare(a.keys, b.keys)
	if len(changes) == 0 {
		if d.o.has("s") {
			d.printf("Files %s and %s are identical\n", nameA, nameB)
		}
		return 0
	}
	switch {
	case d.o.has("q"):
		d.printf("Files %s and %s differ\n", nameA, nameB)
		return 1
	case title != "":
		d.say("\x1b[1m", title+"\n")
	}
	if d.unified {
		d.say("\x1b[1m", "--- "+d.label(0, nameA, a.when)+"\n")
		d.say("\x1b[1m", "+++ "+d.label(1, nameB, b.when)+"\n")
		for len(changes) > 0 {
			n := 1
			for n < len(changes) && changes[n].a-(changes[n-1].a+changes[n-1].deleted) <= 2*d.context {
				n++
			}
			d.hunk(a.lines, b.lines, changes[:n])
			changes = changes[n:]
		}
		return 1
	}
	for _, c := range changes {
		d.normal(a.lines, b.lines, c)
	}
	return 1
}

// label is what the head of a difference says of a file.
func (d *differ) label(i int, name string, when time.Time) string {
	if i < len(d.labels) {
		return d.labels[i]
	}
	return name + "\t" + when.Format("2006-01-02 15:04:05.000000000 -0700")
}

// say prints a text in a colour, if there are colours.
func (d *differ) say(colour, text string) {
	if d.colour {
		text = colour + strings.TrimSuffix(text, "\n") + "\x1b[0m\n"
	}
	d.printf("%s", text)
}

// line prints a line of a file, and says if its end is missing.
func (d *differ) line(colour, mark, line string) {
	end := ""
	if !strings.HasSuffix(line, "\n") {
		line, end = line+"\n", "\\ No newline at end of file\n"
	}
	if colour == "" {
		d.printf("%s%s", mark, line)
	} else {
		d.say(colour, mark+line)
	}
	d.printf("%s", end)
}

const (
	colourOld  = "\x1b[31m"
	colourNew  = "\x1b[32m"
	colourHunk = "\x1b[36m"
)

// hunk prints changes that are near each other, with the lines around them.
func (d *differ) hunk(a, b []string, changes []change) {
	first, last := changes[0], changes[len(changes)-1]
	from := max(0, first.a-d.context)
	to := min(len(a), last.a+last.deleted+d.context)
	fromB := first.b - (first.a - from)
	toB := last.b + last.added + (to - last.a - last.deleted)
	d.say(colourHunk, fmt.Sprintf("@@ -%s +%s @@\n", ranged(from, to, ","), ranged(fromB, toB, ",")))
	at := from
	for _, c := range changes {
		for ; at < c.a; at++ {
			d.line("", " ", a[at])
		}
		for ; at < c.a+c.deleted; at++ {
			d.line(colourOld, "-", a[at])
		}
		for i := range c.added {
			d.line(colourNew, "+", b[c.b+i])
		}
	}
	for ; at < to; at++ {
		d.line("", " ", a[at])
	}
}

// ranged returns lines as the head of a hunk has them: the first, and how many.
func ranged(from, to int, separator string) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d%s0", from, separator)
	case 1:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d%s%d", from+1, separator, to-from)
}

// normal prints a change in the format that diff has without -u.
func (d *differ) normal(a, b []string, c change) {
	lines := func(from, n int) string {
		if n > 1 {
			return fmt.Sprintf("%d,%d", from+1, from+n)
		}
		return fmt.Sprint(from + n)
	}
	verb := "c"
	switch {
	case c.deleted == 0:
		verb = "a"
	case c.added == 0:
		verb = "d"
	}
	d.say(colourHunk, lines(c.a, c.deleted)+verb+lines(c.b, c.added)+"\n")
	for i := range c.deleted {
		d.line(colourOld, "< ", a[c.a+i])
	}
	if verb == "c" {
		d.printf("---\n")
	}
	for i := range c.added {
		d.line(colourNew, "> ", b[c.b+i])
	}
}
