package scenes

import (
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/web/lesson/format"
)

// doorID is the scene that a first visit offers.
const doorID = "gone"

// behind returns the scene behind the second door, or nil.
func behind(shown []*format.Scene) *format.Scene {
	for _, s := range shown {
		if s.ID == doorID {
			return s
		}
	}
	return nil
}

// seconds returns how long a scene takes that plays by itself.
func seconds(s *format.Scene) int { return len(s.Steps) * int(read/time.Second) }

// lower and upper return a text with its first letter, which is ASCII, in that case.
func lower(text string) string {
	return strings.ToLower(text[:min(1, len(text))]) + text[min(1, len(text)):]
}
func upper(text string) string {
	return strings.ToUpper(text[:min(1, len(text))]) + text[min(1, len(text)):]
}
