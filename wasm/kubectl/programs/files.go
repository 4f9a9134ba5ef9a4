package programs

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// create opens a file to write it.
func (c *Call) create(name string, add bool) (*os.File, error) {
	flag := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if add {
		flag = os.O_WRONLY | os.O_CREATE | os.O_APPEND
	}
	return os.OpenFile(c.path(name), flag, 0o644)
}

// mkdir makes directories.
func mkdir(c *Call) int {
	o, ok := c.options("p parents=p v verbose=v m: mode=m")
	if !ok {
		return 1
	}
	if len(o.rest) == 0 {
		return c.fail("missing operand")
	}
	status := 0
	for _, name := range o.rest {
		make := os.Mkdir
		if o.has("p") {
			make = os.MkdirAll
		}
		if err := make(c.path(name), 0o755); err != nil {
			status = c.fail("cannot create directory ‘%s’: %s", name, Reason(err))
		} else if o.has("v") {
			c.printf("mkdir: created directory '%s'\n", name)
		}
	}
	return status
}

// rmdir removes empty directories.
func rmdir(c *Call) int {
	o, ok := c.options("p v")
	if !ok {
		return 1
	}
	status := 0
	for _, name := range o.rest {
		info, err := os.Stat(c.path(name))
		if err == nil && !info.IsDir() {
			err = errors.New("Not a directory")
		}
		if err == nil {
			err = os.Remove(c.path(name))
		}
		if err != nil {
			status = c.fail("failed to remove '%s': %s", name, Reason(err))
		}
	}
	return status
}

// rm removes files.
func rm(c *Call) int {
	o, ok := c.options("r R=r recursive=r f force=f v verbose=v d dir=d i I")
	if !ok {
		return 1
	}
	if len(o.rest) == 0 && !o.has("f") {
		return c.fail("missing operand")
	}
	status := 0
	for _, name := range o.rest {
		file := c.path(name)
		info, err := os.Lstat(file)
		switch {
		case errors.Is(err, fs.ErrNotExist) && o.has("f"):
			continue
		case err == nil && info.IsDir() && !o.has("r") && !o.has("d"):
			err = errors.New("Is a directory")
		case err == nil && (filepath.Clean(file) == "/" || filepath.Clean(file) == c.Dir):
			err = errors.New("it is the directory you are in, or the one that all others are in")
		case err == nil && o.has("r"):
			err = os.RemoveAll(file)
		case err == nil:
			err = os.Remove(file)
		}
		if err != nil {
			status = c.fail("cannot remove '%s': %s", name, Reason(err))
		} else if o.has("v") {
			c.printf("removed '%s'\n", name)
		}
	}
	return status
}

// transfer is what cp and mv have in common: it calls do with each source and where it goes.
func (c *Call) transfer(rest []string, do func(from, to, shown string) error) int {
	if len(rest) == 0 {
		return c.fail("missing file operand")
	}
	if len(rest) == 1 {
		return c.fail("missing destination file operand after '%s'", rest[0])
	}
	last := rest[len(rest)-1]
	info, err := os.Stat(c.path(last))
	into := err == nil && info.IsDir()
	if len(rest) > 2 && !into {
		return c.fail("target '%s': Not a directory", last)
	}
	status := 0
	for _, name := range rest[:len(rest)-1] {
		to := c.path(last)
		if into {
			to = filepath.Join(to, filepath.Base(name))
		}
		if filepath.Clean(c.path(name)) == filepath.Clean(to) {
			status = c.fail("'%s' and '%s' are the same file", name, last)
		} else if err := do(c.path(name), to, name); err != nil {
			status = 1
		}
	}
	return status
}

// cp copies files.
func cp(c *Call) int {
	o, ok := c.options("r R=r recursive=r a=r f force=f v verbose=v p n no-clobber=n i")
	if !ok {
		return 1
	}
	return c.transfer(o.rest, func(from, to, shown string) error {
		info, err := os.Stat(from)
		if err == nil && info.IsDir() && !o.has("r") {
			c.complain("-r not specified; omitting directory '%s'", shown)
			return errors.ErrUnsupported
		}
		if _, exists := os.Stat(to); exists == nil && o.has("n") {
			return nil
		}
		if err == nil && info.IsDir() {
			if strings.HasPrefix(to+"/", from+"/") {
				err = errors.New("it cannot be copied into itself")
			} else {
				err = copyDir(from, to)
			}
		} else if err == nil {
			err = copyFile(from, to, info.Mode())
		}
		if err != nil {
			c.complain("cannot copy '%s': %s", shown, Reason(err))
		} else if o.has("v") {
			c.printf("'%s' -> '%s'\n", shown, to)
		}
		return err
	})
}

// copyDir copies a directory with all that is in it.
func copyDir(from, to string) error {
	return filepath.WalkDir(from, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := to + strings.TrimPrefix(file, from)
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return copyFile(file, target, info.Mode())
	})
}

// copyFile copies a file.
func copyFile(from, to string, mode fs.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode.Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// mv moves files.
func mv(c *Call) int {
	o, ok := c.options("f force=f v verbose=v n no-clobber=n i")
	if !ok {
		return 1
	}
	return c.transfer(o.rest, func(from, to, shown string) error {
		if _, err := os.Stat(to); err == nil && o.has("n") {
			return nil
		}
		err := os.Rename(from, to)
		if err != nil {
			c.complain("cannot move '%s': %s", shown, Reason(err))
		} else if o.has("v") {
			c.printf("renamed '%s' -> '%s'\n", shown, to)
		}
		return err
	})
}

// touch makes files, or changes when they were changed.
func touch(c *Call) int {
	o, ok := c.options("c no-create=c a m")
	if !ok {
		return 1
	}
	status := 0
	for _, name := range o.rest {
		err := os.Chtimes(c.path(name), time.Now(), time.Now())
		if errors.Is(err, fs.ErrNotExist) {
			if o.has("c") {
				continue
			}
			var f *os.File
			if f, err = c.create(name, true); err == nil {
				err = f.Close()
			}
		}
		if err != nil {
			status = c.fail("cannot touch '%s': %s", name, Reason(err))
		}
	}
	return status
}

// modeText matches a change of modes.
var modeText = regexp.MustCompile(`^([ugoa]*)([-+=])([rwxX]*)$`)

// chmod changes the modes of files.
func chmod(c *Call) int {
	if len(c.Args) < 3 {
		return c.fail("missing operand")
	}
	status := 0
	for _, name := range c.Args[2:] {
		info, err := os.Stat(c.path(name))
		if err == nil {
			var mode fs.FileMode
			var ok bool
			if mode, ok = changed(info.Mode().Perm(), c.Args[1]); !ok {
				return c.fail("invalid mode: ‘%s’", c.Args[1])
			}
			err = os.Chmod(c.path(name), mode)
		}
		if err != nil {
			status = c.fail("cannot access '%s': %s", name, Reason(err))
		}
	}
	return status
}

// changed returns a mode after a change such as 755 or u+x.
func changed(mode fs.FileMode, text string) (fs.FileMode, bool) {
	if n, err := strconv.ParseUint(text, 8, 12); err == nil {
		return fs.FileMode(n), true
	}
	for part := range strings.SplitSeq(text, ",") {
		m := modeText.FindStringSubmatch(part)
		if m == nil {
			return 0, false
		}
		who := fs.FileMode(0)
		for _, w := range cmp.Or(strings.ReplaceAll(m[1], "a", "ugo"), "ugo") {
			who |= map[rune]fs.FileMode{'u': 0o700, 'g': 0o070, 'o': 0o007}[w]
		}
		bits := fs.FileMode(0)
		for _, b := range m[3] {
			bits |= map[rune]fs.FileMode{'r': 0o444, 'w': 0o222, 'x': 0o111, 'X': 0o111}[b]
		}
		switch m[2] {
		case "+":
			mode |= who & bits
		case "-":
			mode &^= who & bits
		default:
			mode = mode&^who | who&bits
		}
	}
	return mode, true
}

// basename and dirname take paths apart.
func basename(c *Call) int {
	o, ok := c.options("a s: suffix=s")
	if !ok || len(o.rest) == 0 {
		return c.fail("missing operand")
	}
	suffix := o.value("s", "")
	if len(o.rest) == 2 && !o.has("a") && !o.has("s") {
		suffix, o.rest = o.rest[1], o.rest[:1]
	}
	for _, name := range o.rest {
		name = filepath.Base(name)
		if name != suffix {
			name = strings.TrimSuffix(name, suffix)
		}
		c.printf("%s\n", name)
	}
	return 0
}

func dirname(c *Call) int {
	if len(c.Args) < 2 {
		return c.fail("missing operand")
	}
	for _, name := range c.Args[1:] {
		c.printf("%s\n", filepath.Dir(strings.TrimRight(name, "/")))
	}
	return 0
}
