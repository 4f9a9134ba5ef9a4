package programs

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// An entry is a file that ls lists.
type entry struct {
	name string
	info fs.FileInfo
}

// ls lists directories.
func ls(c *Call) int {
	o, ok := c.options("l a all=a A almost-all=A 1 d directory=d r reverse=r t S R recursive=R h human-readable=h " +
		"F classify=F p n=l o=l g=l color? C x=C")
	if !ok {
		return 2
	}
	names := o.rest
	if len(names) == 0 {
		names = []string{"."}
	}
	l := lister{c, o, c.colour(o), c.terminal() && !o.has("1") || o.has("C")}
	var files, dirs []entry
	status := 0
	for _, name := range names {
		info, err := os.Stat(c.path(name))
		if err != nil {
			info, err = os.Lstat(c.path(name))
		}
		switch {
		case err != nil:
			c.complain("cannot access '%s': %s", name, Reason(err))
			status = 2
		case info.IsDir() && !o.has("d"):
			dirs = append(dirs, entry{name, info})
		default:
			files = append(files, entry{name, info})
		}
	}
	l.sort(files)
	l.sort(dirs)
	l.print(files)
	for i, dir := range dirs {
		if i > 0 || len(files) > 0 {
			c.printf("\n")
		}
		status = max(status, l.dir(dir.name, len(names) > 1 || o.has("R")))
	}
	return status
}

type lister struct {
	*Call
	o               options
	colour, columns bool
}

// dir lists a directory, and with -R those below.
func (l lister) dir(name string, title bool) (status int) {
	list, err := os.ReadDir(l.path(name))
	if err != nil {
		l.complain("cannot open directory '%s': %s", name, Reason(err))
		return 2
	}
	if title {
		l.printf("%s:\n", name)
	}
	var entries []entry
	if l.o.has("a") {
		for _, special := range []string{".", ".."} {
			if info, err := os.Stat(filepath.Join(l.path(name), special)); err == nil {
				entries = append(entries, entry{special, info})
			}
		}
	}
	for _, d := range list {
		if strings.HasPrefix(d.Name(), ".") && !l.o.has("a") && !l.o.has("A") {
			continue
		}
		if info, err := d.Info(); err == nil { // else it was removed meanwhile
			entries = append(entries, entry{d.Name(), info})
		}
	}
	l.sort(entries)
	if l.o.has("l") {
		blocks := int64(0)
		for _, e := range entries {
			blocks += (e.info.Size() + 4095) / 4096 * 4
		}
		l.printf("total %d\n", blocks)
	}
	l.print(entries)
	if !l.o.has("R") {
		return 0
	}
	for _, e := range entries {
		if e.info.IsDir() && e.name != "." && e.name != ".." {
			l.printf("\n")
			status = max(status, l.dir(strings.TrimSuffix(name, "/")+"/"+e.name, true))
		}
	}
	return status
}

// sort sorts by name, or by what a flag says.
func (l lister) sort(entries []entry) {
	slices.SortStableFunc(entries, func(a, b entry) int {
		order := 0
		switch {
		case l.o.has("t"):
			order = b.info.ModTime().Compare(a.info.ModTime())
		case l.o.has("S"):
			order = cmp.Compare(b.info.Size(), a.info.Size())
		}
		return cmp.Or(order, cmp.Compare(a.name, b.name))
	})
	if l.o.has("r") {
		slices.Reverse(entries)
	}
}

// print prints entries: one a line, or in columns to a terminal.
func (l lister) print(entries []entry) {
	if l.o.has("l") {
		l.long(entries)
		return
	}
	width, columns := 0, 1
	for _, e := range entries {
		width = max(width, utf8.RuneCountInString(l.suffixed(e))+2)
	}
	if terminal, err := strconv.Atoi(l.getenv("COLUMNS")); l.columns && len(entries) > 0 {
		if err != nil {
			terminal = 80
		}
		columns = max(1, (terminal+2)/width)
	}
	rows := (len(entries) + columns - 1) / columns
	for row := range rows {
		for i := row; i < len(entries); i += rows {
			name := l.suffixed(entries[i])
			l.printf("%s", l.painted(entries[i], name))
			if i+rows < len(entries) {
				l.printf("%*s", width-utf8.RuneCountInString(name), "")
			}
		}
		l.printf("\n")
	}
}

// long prints entries with their modes, sizes and times.
func (l lister) long(entries []entry) {
	width := 0
	sizes := make([]string, len(entries))
	for i, e := range entries {
		sizes[i] = strconv.FormatInt(e.info.Size(), 10)
		if l.o.has("h") {
			sizes[i] = human(e.info.Size())
		}
		width = max(width, len(sizes[i]))
	}
	user := cmp.Or(l.getenv("USER"), "user")
	for i, e := range entries {
		when := e.info.ModTime()
		layout := "Jan _2 15:04"
		if age := time.Since(when); age > 182*24*time.Hour || age < -time.Hour {
			layout = "Jan _2  2006"
		}
		l.printf("%s 1 %s %s %*s %s %s\n", mode(e.info.Mode()), user, user, width, sizes[i], when.Format(layout),
			l.painted(e, l.suffixed(e)))
	}
}

// mode returns a mode as ls prints it.
func mode(m fs.FileMode) string {
	kind := "-"
	switch {
	case m.IsDir():
		kind = "d"
	case m&fs.ModeSymlink != 0:
		kind = "l"
	case m&fs.ModeCharDevice != 0:
		kind = "c"
	}
	return kind + m.Perm().String()[1:]
}

// human returns a size in units of 1024.
func human(size int64) string {
	if size < 1024 {
		return strconv.FormatInt(size, 10)
	}
	value, unit := float64(size), 0
	for value >= 1024 && unit < 4 {
		value /= 1024
		unit++
	}
	digits := 0
	if value < 10 {
		digits = 1
	}
	return fmt.Sprintf("%.*f%c", digits, value, "KMGT"[unit-1])
}

func (l lister) suffixed(e entry) string {
	switch {
	case e.info.IsDir() && (l.o.has("F") || l.o.has("p")):
		return e.name + "/"
	case l.o.has("F") && e.info.Mode()&0o111 != 0:
		return e.name + "*"
	}
	return e.name
}

// painted returns a name in the colour of its kind.
func (l lister) painted(e entry, name string) string {
	switch {
	case !l.colour:
		return name
	case e.info.IsDir():
		return "\x1b[01;34m" + name + "\x1b[0m"
	case e.info.Mode()&fs.ModeSymlink != 0:
		return "\x1b[01;36m" + name + "\x1b[0m"
	case e.info.Mode()&0o111 != 0:
		return "\x1b[01;32m" + name + "\x1b[0m"
	}
	return name
}
