package text

import (
	"fmt"
	"strings"
	"testing"
)

func TestLegend(t *testing.T) {
	pod := strings.Replace(managedPod, `"operation":"Apply"`, `"operation":"Apply","time":"2026-01-02T03:04:05Z"`, 1)
	lines, _ := YAML(pod)
	legend := Legend(pod, lines)
	got := fmt.Sprintf("%+v", legend)
	if want := "[{Name:me (Apply) Letter:A Time:2026-01-02T03:04:05Z Lines:6 Off:false} {Name:kubectl-edit (Update) " +
		"Letter:B Time: Lines:2 Off:false} " +
		"{Name:me (Update, status) Letter:C Time: Lines:0 Off:false}]"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	marks := func() string {
		var out []string
		for i, l := range lines {
			var b strings.Builder
			OwnersHTML(&b, lines[i:i+1], "pods", legend)
			var letters string
			for part := range strings.SplitSeq(b.String(), "</i>") {
				if _, letter, found := strings.Cut(part, "<i class=\"hue-"); found {
					letters += letter[3:]
				}
			}
			if letters != "" {
				out = append(out, strings.TrimSpace(l.String())+" "+letters)
			}
		}
		return strings.Join(out, ", ")
	}
	const all = "labels: B, app: x AB, finalizers: A, - keep A, replicas: 2 A, - name: web A, image: i A"
	if got := marks(); got != all {
		t.Errorf("got  %s\nwant %s", got, all)
	}
	legend[0].Off = true
	if got, want := marks(), "labels: B, app: x B"; got != want {
		t.Errorf("without A: %s", got)
	}
	var b strings.Builder
	OwnersHTML(&b, lines, "pods", legend)
	if n := strings.Count(b.String(), `tabindex="0"`); n != 1 {
		t.Errorf("%d stops of Tab", n)
	}
	if n := strings.Count(b.String(), "\n"); n != len(lines) || strings.Count(b.String(), `class="owners"`) != n {
		t.Errorf("%d lines of %d", n, len(lines))
	}
	for _, bad := range []string{"", "[", `{"metadata":{}}`, `{"metadata":{"managedFields":{}}}`} {
		if l := Legend(bad, nil); l != nil {
			t.Errorf("%s: %v", bad, l)
		}
	}
}

func TestOwns(t *testing.T) {
	const owners = "a (Apply); b; c (Update); d (Apply)"
	for name, want := range map[string]bool{
		"a (Apply)": true, "d (Apply)": true, "b; c (Update)": true, "a": false, "(Apply)": false, "c (Update)": true,
		"b": true, "": false, "e": false,
	} {
		if got := owns(owners, name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
	if letter(0) != "A" || letter(25) != "Z" || letter(26) != "A2" {
		t.Errorf("letters %s %s %s", letter(0), letter(25), letter(26))
	}
}

func TestOwnersHTMLOfMany(t *testing.T) {
	var legend []Manager
	var names []string
	for i := range 5 {
		legend = append(legend, Manager{Name: fmt.Sprintf("<%d> (Apply)", i), Letter: letter(i)})
		names = append(names, legend[i].Name)
	}
	var b strings.Builder
	OwnersHTML(&b, []Line{{Key: "k", Value: "v", Owners: strings.Join(names, "; ")}, {Key: "l", Value: "w"}}, "pods",
		legend)
	want := `<span class="owners" aria-hidden="true"><i class="hue-0">A</i><i class="hue-1">B</i><i>+</i></span>` +
		`<span class="own hue-0" data-row tabindex="0" data-own="&lt;0&gt; (Apply); &lt;1&gt; (Apply); &lt;2&gt; ` +
		`(Apply); &lt;3&gt; (Apply); &lt;4&gt; (Apply)">` +
		`<span class="k">k</span><span class="p">: </span><span class="p">v</span></span>` + "\n" +
		`<span class="owners" aria-hidden="true"></span><span class="k">l</span><span class="p">: </span><span ` +
		`class="p">w</span>` + "\n"
	if b.String() != want {
		t.Errorf("got  %s\nwant %s", b.String(), want)
	}
}
