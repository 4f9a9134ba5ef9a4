package format

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/apipath"
)

// validateRepeat makes sure that a lesson can be set up again: what its requests write outside of its namespaces, and
// of the settings, is deleted by its restore block. Else a second POST would be answered 409, and what was changed
// would stay so.
func validateRepeat(l *Lesson) error {
	for _, r := range l.Setup {
		if err := l.repeats(r, true); err != nil {
			return err
		}
	}
	for i := range l.Steps {
		for _, kind := range []Kind{HTTP, Solution} {
			for _, r := range l.Steps[i].requests(kind) {
				if err := l.repeats(r, false); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// repeats finds fault with a request that cannot be made again when the lesson is set up again.
func (l *Lesson) repeats(r *Request, setup bool) error {
	path := r.target.pathPattern()
	if !r.writes() || l.owns(path) || !strings.HasPrefix(path, "/api") {
		return nil
	}
	if r.Method == "DELETE" {
		if setup {
			return errAt(r.Line, "a DELETE outside of the lesson's namespaces, whose second time is answered 404: "+
				"put it into restore, which may be")
		}
		return nil
	}
	object := path
	if r.Method == "POST" {
		object += "/" + cmp.Or(NameIn(r.Body), "*")
	}
	deletes := func(d *Request) bool {
		at := d.target.pathPattern()
		return d.Method == "DELETE" && (strings.HasPrefix(object+"/", at+"/") || strings.HasSuffix(object, "/*") &&
			strings.HasPrefix(at, strings.TrimSuffix(object, "*")))
	}
	if !slices.ContainsFunc(l.Restore, deletes) {
		return errAt(r.Line, "%s %s writes outside of the lesson's namespaces, so that the lesson cannot be set up again: "+
			"add DELETE %s to a restore block, or write into a namespace of the lesson", r.Method, path, object)
	}
	return nil
}

// writes reports whether the request may leave something behind: a review is answered and not stored. Whether a DELETE
// with a body is a dry run says that body alone.
func (r *Request) writes() bool {
	path, rawQuery, _ := strings.Cut(r.Target, "?")
	query, _ := url.ParseQuery(rawQuery)
	p, _ := apipath.Parse(path)
	reviews := (p.Group == "authentication.k8s.io" || p.Group == "authorization.k8s.io") &&
		strings.HasSuffix(p.Resource, "reviews")
	rehearses := query.Get("dryRun") != "" && (r.Method != "DELETE" || r.Body == "")
	return r.Method != "GET" && r.Method != "HEAD" && r.Method != "OPTIONS" && !rehearses && !reviews
}

// owns reports whether a path is in one of the namespaces that are purged when the lesson starts, or that of a setting:
// those are set back.
func (l *Lesson) owns(path string) bool {
	if strings.HasPrefix(path, wellknown.ControlPlane) {
		return true
	}
	names := slices.Clone(l.Namespaces)
	for _, r := range l.Restore {
		var purge struct{ Namespaces []string }
		if r.target.pathPattern() == wellknown.ControlPlane+"/purge" && json.Unmarshal([]byte(r.Body), &purge) == nil {
			names = append(names, purge.Namespaces...)
		}
	}
	return slices.ContainsFunc(names, func(name string) bool {
		return strings.Contains(path+"/", "/namespaces/"+name+"/")
	})
}

// NameIn returns the name of the object in a request's body; empty if it has none.
func NameIn(body string) string {
	var object struct{ Metadata struct{ Name string } }
	if json.Unmarshal([]byte(body), &object) != nil {
		return ""
	}
	return object.Metadata.Name
}
