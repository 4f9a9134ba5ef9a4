package flags

import (
	"slices"
	"strings"
	"testing"
)

const rows = `
# a comment
dir text used where
fast bool used quickly
pace text quiet
depth text said unless=3 it is 3
key text refused there are no keys
lock bool refused unless=false nothing is locked
`

func TestParse(t *testing.T) {
	table := ReadTable(rows)
	for _, c := range []struct {
		args, dir string
		fast      bool
		notes     string
		err       string
	}{
		{args: "--dir=a --fast", dir: "a", fast: true},
		{args: "--dir a --fast=false", dir: "a"},
		{args: "-dir a -fast", dir: "a", fast: true},
		{args: "-dir=a --dir b", dir: "b"},
		{args: "--fast --dir a", dir: "a", fast: true},
		{args: "--pace 3 --dir a", dir: "a"},
		{args: "--depth=3 --dir=a", dir: "a"},
		{args: "--depth=4 --dir=a", dir: "a", notes: "--depth=4 has no effect here: it is 3"},
		{args: "--other --dir=a", dir: "a", notes: "--other is unknown here and is ignored"},
		{args: "--other x -y=z --dir=a", dir: "a",
			notes: "--other is unknown here and is ignored; --y is unknown here and is ignored"},
		{args: "--lock=false"},
		{args: "--lock", err: "--lock=true cannot be had here: nothing is locked"},
		{args: "--key k", err: "--key=k cannot be had here: there are no keys"},
		{args: "--key="},
		{args: "--dir", err: "flag needs an argument: --dir"},
		{args: "--fast=maybe",
			err: `invalid argument "maybe" for "--fast" flag: strconv.ParseBool: parsing "maybe": invalid syntax`},
		{args: "a", err: `no arguments are taken, got "a"`},
		{args: "--dir a --help", err: ErrHelp.Error()},
		{args: "-h", err: ErrHelp.Error()},
		{args: "--version", err: ErrVersion.Error()},
	} {
		v, err := table.Parse(strings.Fields(c.args))
		if err != nil || c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("%s: %v, want %s", c.args, err, c.err)
			}
			continue
		}
		if got := v.Text("dir", ""); got != c.dir || v.Bool("fast", false) != c.fast {
			t.Errorf("%s: dir is %q, fast %t", c.args, got, v.Bool("fast", false))
		}
		if got := strings.Join(v.Notes, "; "); got != c.notes {
			t.Errorf("%s: notes %q, want %q", c.args, got, c.notes)
		}
	}
}

func TestValues(t *testing.T) {
	v, err := ReadTable(rows).Parse(strings.Fields("--dir a,b --dir=c --pace=x=true,y=false --pace z"))
	if err != nil {
		t.Fatal(err)
	}
	if got := v.List("dir"); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("the list is %q", got)
	}
	if got := v.Map("pace"); len(got) != 3 || got["x"] != "true" || got["y"] != "false" || got["z"] != "true" {
		t.Errorf("the map is %v", got)
	}
	if _, err := v.Int("dir", 1); err == nil {
		t.Error("c is a number")
	}
	if n, err := v.Int("depth", 7); n != 7 || err != nil {
		t.Errorf("an absent number is %d, %v", n, err)
	}
	if _, err := v.Duration("dir", 0); err == nil {
		t.Error("c is a time")
	}
}

// TestHelp wants each flag on its own line, behind blanks, as test frameworks look for them.
func TestHelp(t *testing.T) {
	help := ReadTable(rows).Help("Usage\n")
	for _, line := range []string{"      --dir string\n", "      --fast\n", "      --key string\n"} {
		if !strings.Contains(help, line) {
			t.Errorf("%q is missing in\n%s", line, help)
		}
	}
}
