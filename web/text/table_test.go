package text

import (
	"fmt"
	"testing"
)

func TestTable(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{`{"kind":"Table","apiVersion":"meta.k8s.io/v1","columnDefinitions":[{"name":"Name","priority":0},{"name":"IP",` +
			`"description":"d","priority":1}],` +
			`"rows":[{"cells":["a\u0022",7]},{"cells":["b",null]}]}`, `{[{Name  false} {IP d true}] [[a" 7] [b null]]}`},
		{`{"kind":"Pod"}`, "<nil>"},
		{`{"kind":"Table","rows":7}`, "<nil>"},
		{"", "<nil>"},
	} {
		got := fmt.Sprint(Table(test.src))
		if g := Table(test.src); g != nil {
			got = fmt.Sprint(*g)
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.src, got, test.want)
		}
	}
}
