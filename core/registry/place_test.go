package registry

import "testing"

func TestAppendPlaced(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "",
		"plain":                       "plain",
		`"$uid" "$rev" "$now" "$now"`: `"0-1" "17" "noon" "noon"`,
		"$rev":                        "17",
		"$$rev $other $":              "$17 $other $",
		"$uid$uid $re":                "0-10-1 $re",
	} {
		if got := string(appendPlaced(nil, text, "0-1", "noon", 17)); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
