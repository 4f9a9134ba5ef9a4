package text

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const pod = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web","namespace":"default","uid":"4c-1",` +
	`"resourceVersion":"12","labels":{"app":"web","on":"true","n":"12"},"annotations":{}},` +
	`"spec":{"containers":[{"name":"c","image":"nginx:1.27","args":["-a","b: ` +
	`c"],"ports":[]},{"name":"d","command":["sh","-c","echo a\necho ` +
	`b\n"]}],"nodeSelector":null,"replicas":3,"f":1.5e3},"matrix":[[1,2],[{"a":1,"b":[]}]]}`

func TestJSON(t *testing.T) {
	lines, ok := JSON(pod)
	if !ok {
		t.Fatal("not taken for JSON")
	}
	var want strings.Builder
	e := json.NewEncoder(&want)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(json.RawMessage(pod)); err != nil {
		t.Fatal(err)
	}
	if got := Join(lines); got != want.String() {
		t.Errorf("got\n%s\nwant\n%s", got, want.String())
	}
}

func TestYAMLMeansTheSame(t *testing.T) {
	for _, src := range []string{pod, `"yes"`, `[]`, `{}`, `[[],[[1]]]`,
		`{"a":"x\ty","b":"\n","c":"a\n\n","d":" lead\nx","e":"12e3","f":"0x1F","g":"1:30","h":"é","i":"- x","j":"a ` +
			`#b","k":"2020-01-02T00:00:00Z","l":"100m","m":"1_000","n k":"#","":"","1":2}`} {
		lines, ok := YAML(src)
		if !ok {
			t.Fatalf("%s: not taken for JSON", src)
		}
		var want, got any
		if err := json.Unmarshal([]byte(src), &want); err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal([]byte(Join(lines)), &got); err != nil {
			t.Fatalf("%v in\n%s", err, Join(lines))
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s\nread back as %v from\n%s", src, got, Join(lines))
		}
	}
}

func TestLinks(t *testing.T) {
	list := `{"kind":"PodList","metadata":{"resourceVersion":"40","continue":"eyJ2"},"items":[{"metadata":{"name":"a",` +
		`"namespace":"n","uid":"u1","resourceVersion":"12","ownerReferences":[{"name":"o","uid":"u2"}]}},` +
		`{"metadata":{"name":"b","uid":"u3"}}],"spec":{"resourceVersion":"7"}}`
	want := []Link{{Revision, "40"}, {Token, "eyJ2"}, {Object, "n/a"}, {Revision, "12"}, {Object, "_/b"}}
	for name, layout := range map[string]func(string) ([]Line, bool){"JSON": JSON, "YAML": YAML} {
		lines, _ := layout(list)
		var got []Link
		for _, l := range lines {
			if l.Link.Kind != NoLink {
				got = append(got, l.Link)
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

func TestHTMLEscapes(t *testing.T) {
	lines, _ := JSON(`{"a<b":"<script>\"&","metadata":{"name":"x\">","namespace":"<","uid":"'\"<"}}`)
	var b strings.Builder
	HTML(&b, lines, `po"ds`)
	plain := b.String()
	for _, tag := range []string{`<span class="k">`, `<span class="p">`, `<span class="s">`, `</span>`, `</a>`} {
		plain = strings.ReplaceAll(plain, tag, "")
	}
	if strings.Count(plain, "<") != 1 || !strings.Contains(plain, `data-ref="obj-po&#34;ds/&lt;/x\&#34;&gt;"`) {
		t.Errorf("markup leaks: %s", plain)
	}
}

func TestNotJSON(t *testing.T) {
	for _, src := range []string{"", "ok", "{", `{"a"}`, `{"a":1}x`, "[1,]", "a: b\nc: d\n", strings.Repeat("[", 100000)} {
		lines, ok := JSON(src)
		if ok {
			t.Errorf("%.20q taken for JSON", src)
		}
		if got := strings.TrimSuffix(Join(lines), "\n"); got != strings.TrimSuffix(src, "\n") {
			t.Errorf("%.20q changed to %.40q", src, got)
		}
	}
}

func FuzzLayout(f *testing.F) {
	f.Add(pod)
	f.Add(`{"a":[1,{"b":"\u0000"}],"c":"x\ny"}`)
	f.Add("{")
	f.Fuzz(func(t *testing.T, src string) {
		var v any
		valid := json.Unmarshal([]byte(src), &v) == nil
		if lines, ok := JSON(src); valid {
			var back any
			if !ok || json.Unmarshal([]byte(Join(lines)), &back) != nil || !reflect.DeepEqual(v, back) {
				t.Fatalf("JSON changed %q to %q", src, Join(lines))
			}
		}
		YAML(src)
		for _, format := range []Format{AsJSON, AsYAML} {
			whole, _ := LayOut(src, format, all, nil)
			wanted := len(src) % 20
			head, isWhole := LayOutHead(src, format, wanted)
			if isWhole && head.Total != whole.Total || whole.OK && Join(head.Lines) != Join(whole.Lines[:len(head.Lines)]) {
				t.Fatalf("%q: the head %q is none of %q", src, Join(head.Lines), Join(whole.Lines))
			}
		}
	})
}

func TestDiff(t *testing.T) {
	for name, c := range map[string]struct {
		before, after string
		context       int
		want          string
	}{
		"same":       {"a b c", "a b c", 1, "~3"},
		"replaced":   {"a b c", "a x c", 1, " a -b +x  c"},
		"inserted":   {"a c", "a b c", 0, " a +b  c"},
		"removed":    {"a b c d e f", "a b c e f", 1, "~2  c -d  e  f"},
		"from none":  {"", "a b", 3, "+a +b"},
		"far apart":  {"1 2 3 4 5 6 7 8 9", "x 2 3 4 5 6 7 8 y", 1, "-1 +x  2 ~5  8 -9 +y"},
		"moved":      {"a b c", "c a b", 3, "+c  a  b -c"},
		"all others": {"a b", "c d", 3, "-a -b +c +d"},
	} {
		var got []string
		for _, ch := range Diff(strings.Fields(c.before), strings.Fields(c.after), c.context) {
			switch ch.Op {
			case Skipped:
				got = append(got, "~"+string(rune('0'+ch.N)))
			default:
				got = append(got, string(" -+"[ch.Op])+ch.Text)
			}
		}
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%s: got %q, want %q", name, g, c.want)
		}
	}
}

func TestDiffWords(t *testing.T) {
	got := Diff([]string{"  image: nginx:1.26", "x"}, []string{"  image: nginx:1.27", "x"}, 0)
	want := []Part{{"  image: nginx:", false}, {"1.26", true}}
	if !reflect.DeepEqual(got[0].Parts, want) {
		t.Errorf("got %v", got[0].Parts)
	}
}

func FuzzDiff(f *testing.F) {
	f.Add("a\nb\nc", "a\nc\nd")
	f.Add("", "x")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
		var left, right []string
		all := script(x, y)
		pair(all)
		for _, c := range all {
			if c.Op != Inserted {
				left = append(left, c.Text)
			}
			if c.Op != Removed {
				right = append(right, c.Text)
			}
		}
		if !reflect.DeepEqual(left, x) || !reflect.DeepEqual(right, y) {
			t.Fatalf("%q and %q came back as %q and %q", x, y, left, right)
		}
	})
}

func TestSize(t *testing.T) {
	for n, want := range map[int]string{0: "0 B", 999: "999 B", 1234: "1.2 kB", 345_678: "345 kB", 1_234_567: "1.2 MB"} {
		if got := Size(n); got != want {
			t.Errorf("Size(%d) = %s, want %s", n, got, want)
		}
	}
}
