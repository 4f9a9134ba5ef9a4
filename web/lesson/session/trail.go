package session

import (
	"strings"

	"github.com/tabernetes/tabernetes/core/settings"
	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/tap"
)

// maxActs bounds how many requests are looked at for what may have made a run another one than a step expects.
const maxActs = 400

// wrote reports whether the act has changed something.
func wrote(a *tap.Exchange) bool {
	switch a.Method {
	case "POST", "PUT", "PATCH", "DELETE":
		return a.Status >= 200 && a.Status < 300 && a.Info.Query.Get("dryRun") == ""
	}
	return false
}

// same reports whether two acts are the same request.
func same(a, b *tap.Exchange) bool {
	return a.Method == b.Method && a.Info.Path == b.Info.Path && a.Body == b.Body &&
		a.Info.Query.Encode() == b.Info.Query.Encode()
}

// object returns what the act was about, as secrets/b, and whether that is one object.
func object(a *tap.Exchange) (name string, one bool) {
	name = a.Info.Name
	if a.Method == "POST" && name == "" {
		name = format.NameIn(a.Body)
	}
	if name == "" {
		return a.Info.Resource, false
	}
	return strings.TrimSuffix(a.Info.Resource+"/"+name+"/"+a.Info.Subresource, "/"), true
}

// by says who made the act.
func by(a *tap.Exchange) string {
	switch a.Origin {
	case "console":
		return "by you, in the console"
	case "lever":
		return "by you, with a lever"
	case string(FromLesson), string(FromSample):
		return "by a request of this lesson"
	case "page":
		return "by a script in this page"
	case "":
		return "by another client"
	}
	return "by you, in the " + a.Origin
}

// difference says what an act that the lesson does not make has changed.
func difference(a *tap.Exchange) Difference {
	var d Difference
	if wrote := a.Source.Wrote; len(wrote) > 0 {
		d.Revision = wrote[len(wrote)-1].Last
	}
	name, one := object(a)
	what := "`" + name + "`"
	if rest, ok := strings.CutPrefix(a.Info.Path, wellknown.ControlPlane); ok {
		d.Expected, d.Found = "the settings of this step", "**other settings**"
		if act, known := settings.ActOf(strings.Trim(rest, "/"), a.Body); known {
			d.Expected, d.Found = act.Before, "**"+act.After+"**"
		}
	} else {
		switch {
		case a.Method == "DELETE" && one:
			d.Expected, d.Found = what+" is there", "**"+what+" is gone**: deleted"
		case a.Method == "DELETE":
			d.Expected, d.Found = what+" are there", "**all "+what+" are gone**: deleted"
		case a.Method == "POST":
			d.Expected, d.Found = "no "+what+" but the step's", "**"+what+"**: created"
		default:
			d.Expected, d.Found = what+" as the steps before left it", "**"+what+" is another**: changed"
		}
	}
	d.By = by(a)
	return d
}
