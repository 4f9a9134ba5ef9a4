package shell

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// answers are what kubectl says, by the words that are completed.
var answers = map[string]string{
	"":                           "get\tDisplay\napply\tApply\n:4\n",
	"get|":                       "pods\nnodes\n:4\n",
	"get|pods|":                  "web-1\nweb-2\n:4\n",
	"get|--n":                    "--namespace\tthe namespace\n:4\n",
	"get|--namespace=k":          "kube-system\n:4\n",
	"apply|-f|":                  "yaml\nyml\n:8\n",
	"apply|-k|":                  ":16\n",
	"create|cm|--from-file=key=": ":0\n",
	"label|":                     "pods/\n:6\n",
	"explain|":                   "_activeHelp_ say which\n:4\n",
}

func TestComplete(t *testing.T) {
	s := &Shell{Completer: func(words, _ []string) string { return answers[strings.Join(words, "|")] }}
	tt := openTerminal(t, s, 1)
	for _, name := range []string{"a.yaml", "a b.yaml", "c.txt", "d/x.yaml", ".hidden"} {
		file := filepath.Join(tt.dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tt.run("myfunction() { :; }; myvariable=1")
	for _, c := range []struct {
		text  string
		start int
		want  string // texts, with + behind those after which no space comes
		note  string
	}{
		{text: "kube", want: "kubectl"},
		{text: "gre", want: "grep"},
		{text: "hel", want: "help"}, // not helm
		{text: "myf", want: "myfunction"},
		{text: "cat c | gr", start: 8, want: "grep"},
		{text: "echo $(gre", start: 7, want: "grep"},
		{text: "for i in a; do gre", start: 15, want: "grep"},
		{text: "X=1 gre", start: 4, want: "grep"},
		{text: "watch kube", start: 6, want: "kubectl"},
		{text: "kubectl ", start: 8, want: "apply get"},
		{text: "k g", start: 2, want: ""},
		{text: "kubectl get ", start: 12, want: "nodes pods"},
		{text: "ls; k get pods ", start: 15, want: "web-1 web-2"},
		{text: "kubectl get pods > ", start: 19, want: `a.yaml a\ b.yaml c.txt d/+`},
		{text: "kubectl get pods > a.yaml ", start: 26, want: "web-1 web-2"},
		{text: "kubectl get --n", start: 12, want: "--namespace"},
		{text: "kubectl get --namespace=k", start: 24, want: "kube-system"},
		{text: "kubectl apply -f ", start: 17, want: `a.yaml a\ b.yaml d/+`},
		{text: "kubectl apply -k ", start: 17, want: "d/+"},
		{text: "kubectl create cm --from-file=key=", start: 34, want: `a.yaml a\ b.yaml c.txt d/+`},
		{text: "kubectl label ", start: 14, want: "pods/+"},
		{text: "kubectl explain ", start: 16, note: "say which"},
		{text: "cat c", start: 4, want: "c.txt"},
		{text: "cat 'a", start: 5, want: "a b.yaml a.yaml"},
		{text: `cat a\ `, start: 4, want: `a\ b.yaml`},
		{text: "cat d/", start: 4, want: "d/x.yaml"},
		{text: "cat .h", start: 4, want: ".hidden"},
		{text: "cd ", start: 3, want: "d/+"},
		{text: "./", want: `./a.yaml ./a\ b.yaml ./c.txt ./d/+`},
		{text: "cat < c", start: 6, want: "c.txt"},
		{text: "ls 2>c", start: 5, want: "c.txt"},
		{text: "curl -d @c", start: 9, want: "c.txt"},
		{text: "echo $myv", start: 5, want: "$myvariable"},
		{text: "cat ~/c", start: 4, want: "~/c.txt"},
	} {
		got := s.Complete(1, c.text)
		var texts []string
		for _, item := range got.Items {
			if item.Open {
				item.Text += "+"
			}
			texts = append(texts, item.Text)
		}
		if strings.Join(texts, " ") != c.want || got.Start != c.start || got.Note != c.note {
			t.Errorf("%q: from %d %q, %q, and not from %d %q", c.text, got.Start, texts, got.Note, c.start, c.want)
		}
	}
	if got := s.Complete(1, "kubectl ap"); len(got.Items) != 0 {
		t.Errorf("%v", got) // the answer is for other words
	}
	if items := s.Complete(1, "kubectl ").Items; !slices.Contains(items, Item{Text: "get", Description: "Display"}) {
		t.Errorf("%v", items)
	}
	if got := s.Complete(9, "gre"); len(got.Items) != 1 {
		t.Errorf("without a session: %v", got)
	}
}
