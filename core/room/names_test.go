package room

import (
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// TestFold has names that are taken for each other, and such that are not.
func TestFold(t *testing.T) {
	for _, same := range [][]string{
		{"Ada Lovelace", "ada lovelace", "AdaLovelace", "Ada-Lovelace", "Аdа Lоvеlаcе", "Ádà Lovelacé", "A\u0301da Lovelace",
			"ＡＤＡ Lovelace", "𝐀𝐝𝐚 Lovelace", "Ⓐda Lovelace"},
		{"Teacher", "TEACHER", "Тeacher", "Teacher.", "teaсher"},
		{"Strauß", "Strauss"}, {"グレース", "グレース "}, {"Nguyễn", "Nguyen"}, {"Ada 2", "Ada ２", "Ada 𝟐"},
		{"Андрей", norm.NFD.String("Андрей")}, {"グレース", norm.NFD.String("グレース"), "ｸﾞﾚｰｽ"}, {"アダ", "ｱﾀﾞ"},
		{"김", norm.NFD.String("김")}, {"Ada", "Aḍa", "ⒶⒹⒶ", "🄰🄳🄰", "🅐🅓🅐", "🅰🅳🅰", "🇦🇩🇦", "ᴀᴅᴀ", "ᎪᎠᎪ", "ꓮꓓꓮ"},
		{"fiona", "ﬁona"}, {"محمد", "محـمد", "ﻣﺤﻤﺪ"}, {"Ada 2", "Ada ②", "Ada ❷", "Ada ➋", "Ada²"},
		{"Teacher", "Ṫeacher", "ᵀᵉᵃᶜʰᵉʳ", "Teaℂher", "🅣eacher", "ᴛeacher", "Teacher`", "Teacher~", "Teacher°", "Teacher´",
			"Teacherʼ", "Teacher＾", "ＴＥＡＣＨＥＲ", "Teacher\u0335", "Τеасһеr", "🅃🄴🄰🄲🄷🄴🅁", "ᎢᎬᎪᏟᎻᎬᎡ", "Teacher∼"},
	} {
		for _, name := range same[1:] {
			if fold(name) != fold(same[0]) {
				t.Errorf("%q is %q, and %q is %q", name, fold(name), same[0], fold(same[0]))
			}
		}
	}
	if fold("Teacher") != teachersName {
		t.Errorf("the teacher is %q", fold("Teacher"))
	}
	seen := map[string]string{}
	for _, name := range []string{"Ada", "Ada 2", "Adah", "Grace", "グレース", "グレ", "Анна", "김", "金", "🙂", "🙂🙂", "...", "기",
		"김민", "각", "힣", "Teacher 🙂", "Ada 12", "Ада Б", "あだ", "アダ", "محمود"} {
		if other, taken := seen[fold(name)]; taken {
			t.Errorf("%q and %q are both %q", name, other, fold(name))
		}
		seen[fold(name)] = name
	}
}

// TestFoldIsThatOfAllForms folds every character that is made of others, alone and behind a letter.
func TestFoldIsThatOfAllForms(t *testing.T) {
	forms := []norm.Form{norm.NFC, norm.NFD, norm.NFKC, norm.NFKD}
	check := func(name string) {
		want := fold(name)
		for _, f := range forms {
			if got := fold(f.String(name)); got != want {
				t.Errorf("%+q is %q, and in the form %d %q", name, want, f, got)
			}
		}
	}
	decomposed := map[string]int{}
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if norm.NFKD.String(string(r)) == string(r) {
			continue
		}
		check(string(r))
		check("Д" + string(r))
		for name, table := range map[string]*unicode.RangeTable{
			"Cyrillic": unicode.Cyrillic, "kana": unicode.Katakana, "Hangul": unicode.Hangul, "Latin": unicode.Latin,
		} {
			if unicode.Is(table, r) {
				decomposed[name]++
			}
		}
		if r >= 0x1d400 && r <= 0x1d7ff {
			decomposed["mathematical"]++
		}
	}
	for name, least := range map[string]int{"Cyrillic": 50, "kana": 100, "Hangul": 11172, "Latin": 790,
		"mathematical": 990} {
		if decomposed[name] < least {
			t.Errorf("%s: %d characters that are made of others", name, decomposed[name])
		}
	}
	for r := rune(0xff66); r <= 0xff9d; r++ { // kana of half the width, with the mark that makes it voiced
		check(string(r) + "\uff9e")
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
