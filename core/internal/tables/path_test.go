package tables

import (
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/object"
)

const pathTree = `{"a":{"b":1,"c.d":"dotted","e f":"spaced"},"l":[10,20,30,40],
	"o":{"x":{"name":"n1"},"y":{"name":"n2"}},"s":"text",
	"conditions":[{"type":"Ready","status":"True","n":1},
	{"type":"It's","status":"False","n":2,"name":"z","ok":true,"f":1.5}],"null":null,"empty":[]}`

func TestPaths(t *testing.T) {
	for path, want := range map[string]string{
		"": `[$]`, ".": `[]`, "$": `[$]`, ".a.b": `[1]`, "$.a.b": `[1]`, "@.a.b": `[1]`, ".a['b']": `[1]`, ".a.b.c": `[]`,
		".none.b": `[]`, ".null.b": `[]`, ".null": `[null]`,
		`.a.c\.d`: `["dotted"]`, `.a['c\.d']`: `["dotted"]`, `.a['c.d']`: `[]`, `.a['e f']`: `error`, `.s.a`: `[]`,
		".l[0]": `[10]`, ".l[-1]": `[40]`, ".l[1:3]": `[20,30]`, ".l[1:]": `[20,30,40]`, ".l[:2]": `[10,20]`,
		".l[:-1]": `[10,20,30]`, ".l[-2:]": `[30,40]`,
		".l[*]": `[10,20,30,40]`, ".l[::2]": `[10,30]`, ".l[]": `[10]`, ".l[2:2]": `[]`, ".l[0,2]": `[10,30]`,
		".l[0, -1]": `[10,40]`, ".l.*": `[10,20,30,40]`,
		".l[4]": `error`, ".l[-5]": `error`, ".l[3:1]": `error`, ".l[0:9]": `error`, ".l[0:2:0]": `error`,
		".empty[0]": `error`, ".empty[-1]": `error`, ".empty[*]": `[]`,
		".s[0]": `error`, ".a[0]": `error`, ".null[0]": `[]`,
		".o.*.name": `["n1","n2"]`, "..name": `["z","n1","n2"]`, ".o..name": `["n1","n2"]`, ".o['x','y'].name": `["n1","n2"]`,
		`.conditions[?(@.type=="Ready")].status`:   `["True"]`,
		`.conditions[?(@.type=='Ready')].status`:   `["True"]`,
		`.conditions[?(@.type=="It's")].status`:    `["False"]`,
		`.conditions[?(@.type!="Ready")].status`:   `["False"]`,
		`.conditions[?(@.type==")]")].status`:      `[]`,
		`.conditions[?(@.n>1)].type`:               `["It's"]`,
		`.conditions[?(@.n>=1)].n`:                 `[1,2]`,
		`.conditions[?(@.n<=1)].n`:                 `[1]`,
		`.conditions[?(@.n<2)].n`:                  `[1]`,
		`.conditions[?(@.name)].n`:                 `[2]`,
		`.conditions[?(@.ok==true)].n`:             `[2]`,
		`.conditions[?(@.ok!=true)].n`:             `[]`,
		`.conditions[?(@.f<2.5)].n`:                `[2]`,
		`.conditions[?(@.none=="x")].n`:            `[]`,
		`.conditions[?(@.n=="1")].n`:               `error`,
		`.conditions[?(@.f<2)].n`:                  `error`,
		`.conditions[?(@.ok<true)].n`:              `error`,
		`.conditions[?(@.n=>1)].n`:                 `error`,
		`.conditions[?(@.*==1)].n`:                 `error`,
		`.a[?(@.b==1)]`:                            `error`,
		`.conditions[?(@.type==$.conditions)].n`:   `[]`,
		`.l[?(@>20)]`:                              `[30,40]`,
		`.conditions[0:1].type`:                    `["Ready"]`,
		`.conditions[?(@.type=="\u0052eady")].n`:   `[1]`,
		`.conditions[?(@.type=="a\"b")].n`:         `[]`,
		`.conditions[?(@.type == "Ready")].status`: `["True"]`,
	} {
		p, err := ParsePath(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		tree := parse(t, pathTree)
		values, err := p.Find(tree)
		if values == nil {
			values = []any{}
		}
		got := strings.ReplaceAll(string(object.EncodeAny(nil, values)), string(object.EncodeAny(nil, tree)), "$")
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%s: %s (%v), want %s", path, got, err, want)
		}
	}
}

func TestInvalidPaths(t *testing.T) {
	for _, path := range []string{
		".a[", ".a[0", ".a[x]", ".a[1:2:3:4]", ".a[+1]", ".a[0,x]", ".a[?(@.b]", `.a[?(@.b=="x]`, `.a[?(@.b=="x")`,
		".a[?(@.b[)]", ".a[?(@.b==[)]",
		"....a", "}", "{", ".a}{.b", "'x", `"x`, `"\q"`, "1.2.3", "-", "*", ".a\n.b", ".a[0\n]",
		strings.Repeat("[?(@", maxPathDepth+2) + strings.Repeat(")]", maxPathDepth+2),
	} {
		if p, err := ParsePath(path); err == nil {
			t.Errorf("%q is read as %v", path, p)
		}
	}
}

// TestWorkOfPaths has paths end with an error that find more values than there are, again and again.
func TestWorkOfPaths(t *testing.T) {
	deep := parse(t, strings.Repeat(`{"a":`, 150)+"1"+strings.Repeat("}", 150))
	wide := parse(t, `{"a":[`+strings.TrimSuffix(strings.Repeat("[1,2],", 1000), ",")+`]}`)
	for _, test := range []struct {
		path string
		tree map[string]any
		ok   bool
	}{
		{"..a", deep, true}, {strings.Repeat("...*", 4), deep, false}, {strings.Repeat("..a", 20), deep, false},
		{"...*", wide, true}, {strings.Repeat("[*,*]", 40), wide, false}, {".a[*][*]", wide, true},
		{".a" + strings.Repeat("[*,*]", 1), wide, true}, {".a[?(@[0]==1)]", wide, true}, {".a[?(@...*...*)]", wide, true},
		{".a[" + strings.Repeat("*,", 50) + "*]", wide, false},
	} {
		p, err := ParsePath(test.path)
		if err != nil {
			t.Fatal(err)
		}
		if found, err := p.Find(test.tree); (err == nil) != test.ok || len(found) > maxWork {
			t.Errorf("%.20s: %d values, %v", test.path, len(found), err)
		}
	}
}

// A valid path does not panic, whatever tree it is applied to.
func FuzzPath(f *testing.F) {
	for _, path := range []string{
		".a.b", ".l[-1]", ".l[1:3:2]", "..name", ".o['x','y'].name", `.conditions[?(@.type=="Ready")].status`,
		`.conditions[?(@.n>=1)].n`,
		`.a.c\.d`, `"x\u0041"`, "-1.5e3", ".l[*]", "[?(@.a)]", "$..*", ".é[0]", "\xff",
		strings.Repeat("...*", 50), strings.Repeat("[*,*]", 50),
	} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		p, err := ParsePath(path)
		if err != nil {
			return
		}
		tree := parse(t, pathTree)
		_, _ = p.Find(tree)
		if !object.Equal(tree, parse(t, pathTree)) {
			t.Errorf("%q changes what it is shown", path)
		}
	})
}
