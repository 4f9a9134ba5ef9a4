package verdict

import (
	"encoding/json"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/text"
)

// leverRows are those of what is done to the control plane. Its settings are an object like others.
var leverRows = []row{
	{"lever in a dry run", func(f *facts) bool { return f.wrote() && f.lever() && f.dry() }, Plain, "dry run",
		title("A dry run: nothing was done.", "")},
	{"compaction", act("compact"), Good, "compaction", func(f *facts, v *Verdict) {
		var asked struct{ Forgets string }
		_ = json.Unmarshal([]byte(f.Body), &asked) // a body that cannot be read was refused
		switch asked.Forgets {
		case "etcd":
			v.Title, v.Words = "etcd is compacted.", "The API servers’ caches still have their events."
		case "caches":
			v.Title, v.Words = "The API servers’ caches have dropped their history.", "etcd still has it."
		default:
			v.Title = "Compacted: older revisions are gone."
			v.Words = "Neither etcd nor the API servers’ caches have them. A watch or page from before gets 410."
		}
	}},
	{"restart", act("restart"), Good, "restart", title("The API server was restarted.",
		"Its watch caches begin again, with the current state, and have no earlier events.")},
	{"disconnect", act("disconnect"), Good, "closed", title("All open watches were cut.",
		"Each client can resume from the last version that it has received.")},
	{"reset", act("reset"), Good, "snapshot", title("The cluster is a new one.", "Nothing of the old one is left.")},
	{"advance", act("advance"), Good, "advance", title("The cluster’s time is later.",
		"Everything that waits or expires uses this clock.")},
	{"purge", act("purge"), Good, "marked namespace", func(f *facts, v *Verdict) {
		v.Title = "There was nothing to remove."
		if f.made > 0 {
			v.Title = text.Plural(f.made, "object", "objects") + " removed, up to " + itoa(f.last) + "."
		} else if !f.told {
			v.Title = "The namespaces are removed."
		}
		v.Words = "Finalizers and grace periods were ignored."
	}},
	{"snapshot", act("snapshot"), Good, "snapshot", title("The cluster is the one of the snapshot.",
		"Open watches have ended: list again.")},
	{"settings", func(f *facts) bool {
		return f.wrote() && f.Info.Resource == "controlplanes" && f.Info.Group == wellknown.Group &&
			f.Info.Subresource == "" && f.made > 0
	}, Good, "settings", func(f *facts, v *Verdict) {
		v.Title = "Changed at " + itoa(f.last) + ": the control plane is set."
		v.Words = "Its settings are an object of the API, with versions like others."
	}},
	{"act", func(f *facts) bool { return f.over() && f.lever() }, Plain, "", func(*facts, *Verdict) {}},
}

// act returns what fits an act of the control plane that was carried out.
func act(name string) func(*facts) bool {
	return func(f *facts) bool { return f.wrote() && f.lever() && f.Info.Subresource == name }
}
