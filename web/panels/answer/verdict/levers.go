package verdict

import (
	"github.com/tabernetes/tabernetes/core/settings"
	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/text"
)

// leverRows are those of what is done to the control plane. Its settings are an object like others.
var leverRows = []row{
	{"lever in a dry run", func(f *facts) bool { return f.wrote() && f.lever() && f.dry() }, Plain, "dry run",
		title("A dry run: nothing was done.", "")},
	{"compaction", act(settings.Compact), Good, "compaction", (*facts).acted},
	{"restart", act(settings.Restart), Good, "restart", (*facts).acted},
	{"disconnect", act(settings.Disconnect), Good, "closed", (*facts).acted},
	{"reset", act(settings.Reset), Good, "snapshot", (*facts).acted},
	{"advance", act(settings.Advance), Good, "advance", (*facts).acted},
	{"purge", act(settings.Purge), Good, "marked namespace", func(f *facts, v *Verdict) {
		f.acted(v)
		if f.made > 0 {
			v.Title = text.Plural(f.made, "object", "objects") + " removed, up to " + itoa(f.last) + "."
		} else if f.reported {
			v.Title = "There was nothing to remove."
		}
	}},
	{"snapshot", act(settings.Restore), Good, "snapshot", (*facts).acted},
	{"settings", func(f *facts) bool {
		return f.wrote() && f.Info.Resource == "controlplanes" && f.Info.Group == wellknown.Group &&
			f.Info.Subresource == "" && f.made > 0
	}, Good, "settings", func(f *facts, v *Verdict) {
		v.Title = "Changed at " + itoa(f.last) + ": the control plane is set."
		v.Words = "Its settings are an object of the API, with versions like others."
	}},
	{"act", func(f *facts) bool { return f.over() && f.lever() }, Plain, "", (*facts).acted},
}

// act returns what fits an act of the control plane that was carried out.
func act(is settings.Act) func(*facts) bool {
	return func(f *facts) bool { return f.wrote() && f.lever() && f.Info.Subresource == is.Name }
}

// acted says what an act has done; of one that shows something there is nothing to say.
func (f *facts) acted(v *Verdict) {
	if !f.wrote() {
		return
	}
	a, _ := settings.ActOf(f.Info.Subresource, f.Body)
	v.Title, v.Words = a.Done, a.Then
}
