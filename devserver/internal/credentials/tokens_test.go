package credentials

import (
	"reflect"
	"strings"
	"testing"
)

func TestParseTokens(t *testing.T) {
	got, err := parseTokens(strings.NewReader("a,jane,1\n,nobody,2\nb,\"bob, the\",3,\"g,h\",more\na,jim,4,x\n"))
	want := Tokens{{Token: "b", User: "bob, the", UID: "3", Groups: []string{"g", "h"}},
		{Token: "a", User: "jim", UID: "4", Groups: []string{"x"}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	if _, err := parseTokens(strings.NewReader("a,b,c\na,b\n")); err == nil || !strings.HasPrefix(err.Error(), "line 2 ") {
		t.Errorf("two columns: %v", err)
	}
}

func TestReadTokens(t *testing.T) {
	for authorization, ok := range map[string]bool{"AlwaysAllow": true, "RBAC": false, "ABAC": false} {
		if _, err := ReadTokens("", authorization); (err == nil) != ok {
			t.Errorf("%s without tokens: %v", authorization, err)
		}
	}
}
