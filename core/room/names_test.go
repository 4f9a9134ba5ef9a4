package room

import "testing"

// TestFold has names that are taken for each other, and such that are not.
func TestFold(t *testing.T) {
	for _, same := range [][]string{
		{"Ada Lovelace", "ada lovelace", "AdaLovelace", "Ada-Lovelace", "Аdа Lоvеlаcе", "Ádà Lovelacé", "A\u0301da Lovelace",
			"ＡＤＡ Lovelace", "𝐀𝐝𝐚 Lovelace", "Ⓐda Lovelace"},
		{"Teacher", "TEACHER", "Тeacher", "Teacher.", "teaсher"},
		{"Strauß", "Strauss"}, {"グレース", "グレース "}, {"Nguyễn", "Nguyen"}, {"Ada 2", "Ada ２", "Ada 𝟐"},
	} {
		for _, name := range same[1:] {
			if fold(name) != fold(same[0]) {
				t.Errorf("%q is %q, and %q is %q", name, fold(name), same[0], fold(same[0]))
			}
		}
	}
	seen := map[string]string{}
	for _, name := range []string{"Ada", "Ada 2", "Adah", "Grace", "グレース", "グレ", "Анна", "김", "金", "🙂", "🙂🙂", "..."} {
		if other, taken := seen[fold(name)]; taken {
			t.Errorf("%q and %q are both %q", name, other, fold(name))
		}
		seen[fold(name)] = name
	}
}

func TestMarks(t *testing.T) {
	for name, want := range map[string]bool{
		"Ada": false, "A\u0301\u0302da": false, "ที่นี่": false, "A\u0301\u0302\u0303da": true, "Z\u0335\u0322\u0327": true,
	} {
		if hasPile(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
	if !isBlank('\u3164') || isBlank(' ') || isBlank('a') {
		t.Error("what is blank is not found")
	}
}
