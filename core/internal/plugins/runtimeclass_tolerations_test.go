package plugins

import (
	"encoding/json"
	"testing"

	"github.com/tabernetes/tabernetes/core/object"
)

func TestMerge(t *testing.T) {
	const (
		all       = `{"operator":"Exists"}`
		key       = `{"key":"k","operator":"Exists"}`
		value     = `{"key":"k","operator":"Equal","value":"v"}`
		unset     = `{"key":"k","value":"v"}`
		other     = `{"key":"k","operator":"Equal","value":"w"}`
		schedule  = `{"key":"k","operator":"Exists","effect":"NoSchedule"}`
		forever   = `{"key":"k","operator":"Exists","effect":"NoExecute"}`
		tenS      = `{"key":"k","operator":"Exists","effect":"NoExecute","tolerationSeconds":10}`
		twentyS   = `{"key":"k","operator":"Exists","effect":"NoExecute","tolerationSeconds":20}`
		unknown   = `{"key":"k","operator":"Sometimes","effect":"NoSchedule"}`
		elsewhere = `{"key":"l","operator":"Exists"}`
	)
	for _, c := range []struct{ own, ofClass, want string }{
		{``, ``, ``},
		{key, ``, key},
		{key, key, key},
		{key, elsewhere, key + "," + elsewhere},
		{all, key + "," + tenS, all},
		{key + "," + elsewhere, all, all},
		{value, key, key},
		{value, other, value + "," + other},
		{unset, value, unset},
		{value, unset, unset},
		{schedule, forever, schedule + "," + forever},
		{key, schedule, key},
		{tenS, twentyS, twentyS},
		{tenS, forever, forever},
		{forever, tenS, forever},
		{twentyS, tenS, twentyS},
		{unknown, schedule, schedule},
		{schedule, unknown, schedule},
		{unknown, elsewhere, unknown + "," + elsewhere},
	} {
		list := func(text string) (l []map[string]any) {
			if err := json.Unmarshal([]byte("["+text+"]"), &l); err != nil {
				t.Fatal(err)
			}
			for _, one := range l {
				if seconds, ok := one["tolerationSeconds"].(float64); ok {
					one["tolerationSeconds"] = int64(seconds)
				}
			}
			return l
		}
		var want []any
		for _, one := range list(c.want) {
			want = append(want, one)
		}
		if got := mergeTolerations(list(c.own), list(c.ofClass)); !object.Equal(got, want) {
			t.Errorf("%s and %s: %v, want %s", c.own, c.ofClass, got, c.want)
		}
	}
}
