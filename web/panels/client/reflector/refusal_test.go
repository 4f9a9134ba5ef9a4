package reflector

import (
	"strings"
	"testing"
)

func TestStatusOf(t *testing.T) {
	for body, want := range map[string]string{
		expiredStatus: "410 Expired",
		`{"type":"ERROR","object":` + expiredStatus + `}`: "410 Expired",
		`{"code":500}`:             "500",
		`{"reason":"Expired"}`:     "",
		`{"code":410`:              "",
		`<html>`:                   "",
		``:                         "",
		`{"object":{"object":{}}}`: "",
	} {
		code, why := statusOf(body)
		if why != want || (code == 0) != (want == "") {
			t.Errorf("%s: %d, %q, want %q", body, code, why, want)
		}
	}
}

func FuzzStatusOf(f *testing.F) {
	f.Add(expiredStatus)
	f.Add(`{"type":"ERROR","object":` + expiredStatus + `}`)
	f.Fuzz(func(t *testing.T, body string) {
		code, why := statusOf(body)
		if (code == 0) != (why == "") || strings.TrimSpace(why) != why {
			t.Fatalf("%d, %q", code, why)
		}
	})
}
