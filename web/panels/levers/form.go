package levers

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/settings"
)

// A form is settings that are set together.
type form struct {
	name string
	// undo is the name of undoing it.
	undo string
}

// forms are all forms. Which settings each has is said in core/settings.
var forms = []form{{settings.HistoryForm, "history and bookmarks"}, {settings.BuffersForm, "buffers"}}

// fieldOf returns the id of the field of a setting.
func fieldOf(path string) string { return "lever-" + path }

// A named setting is one of which a value is chosen, with its name in the menu.
type named struct {
	settings.Setting
	name string
}

var (
	match         = named{settings.Match, "resourceVersionMatch"}
	authorization = named{settings.Authorization, "Authorization"}
	chosen        = []named{match, authorization}
)

// specOf returns the spec of a ControlPlane, or nil if the object cannot be read as one.
func specOf(object string) map[string]any {
	var cp struct{ Spec map[string]any }
	d := json.NewDecoder(strings.NewReader(object))
	d.UseNumber()
	if d.Decode(&cp) != nil {
		return nil
	}
	return cp.Spec
}

// entered reads what was entered for settings. problem says what is wrong with the first that is refused; else done
// says what the values are.
func entered(rows []settings.Setting, texts func(path string) string) (values settings.Values, done, problem string) {
	values = settings.Values{}
	var words []string
	for _, s := range rows {
		n, err := strconv.ParseInt(strings.TrimSpace(texts(s.Path)), 10, 64)
		if err != nil || n < s.Least || n > s.Most {
			return nil, "", fmt.Sprintf("“%s” needs a whole number from %d to %d.", s.Label, s.Least, s.Most)
		}
		values[s.Path] = n
		words = append(words, strings.TrimSpace(fmt.Sprintf("%s %d %s", s.Label, n, s.Unit)))
	}
	return values, "Set: " + strings.Join(words, ", ") + ".", ""
}

// valuesOf returns the values that settings have in a spec; those that it does not have are null, which is as in a new
// cluster.
func valuesOf(rows []settings.Setting, spec map[string]any) settings.Values {
	values := settings.Values{}
	for _, s := range rows {
		values[s.Path], _ = settings.At(spec, s.Path)
	}
	return values
}
