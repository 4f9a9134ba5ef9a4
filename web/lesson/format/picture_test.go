package format

import (
	"strings"
	"testing"
)

// TestPicture refuses pictures that nobody has computed.
func TestPicture(t *testing.T) {
	for rows, says := range map[string]string{
		"":                                "empty",
		"watch: start":                    "a row of a picture is like",
		"writes /api/v1/pods: added pods": "a row of a picture is like",
		"lane /api/v1/pods: start":        "a row of a picture is like",
		"watch /api/v1/pods":              "a row of a picture is like",
		"writes: added":                   `"added" is no sign`,
		"watch /a: start, <b>":            `"<b>" is no sign`,
		"watch /a: start, 99":             `"99" is no sign`,
		"writes: 410 pods":                "is no sign",
		"answers /a: " + strings.Repeat("read, ", MaxPictureSigns) + "read":         "at most",
		strings.Repeat("answers /a: read\n", MaxPictureRows) + "writes: added pods": "at most",
	} {
		var lines []string
		if rows != "" {
			lines = strings.Split(rows, "\n")
		}
		if p, err := parsePicture(lines, 1); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, %v", rows, p, err)
		}
	}
	src := "# T\n\n## S\n\n```picture\nwrites: added pods\n```\n"
	if _, err := Parse("01-t.md", src); err == nil || !strings.Contains(err.Error(), "below a goal") {
		t.Errorf("without a goal: %v", err)
	}
}
