package app

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/web/app/manifest"
	"github.com/tabernetes/tabernetes/web/catalog"
	"github.com/tabernetes/tabernetes/web/objects"
)

// Apply sends the objects of a manifest as a client does: it finds each one's collection through discovery, POSTs it,
// and where the name is taken PATCHes the object with it. It shows the progress, and blocks until it is done.
func (a *App) Apply(text, origin string) {
	docs := manifest.Split(text)
	if len(docs) == 0 {
		a.Toast("The body has no object")
		return
	}
	a.Discover()
	rows := make([]Applied, len(docs))
	show := func() { Emit(a.Bus, Applying{append([]Applied(nil), rows...)}) }
	for i, d := range docs {
		rows[i] = Applied{Line: d.Line, Name: strings.Trim(d.Kind+"/"+d.Name, "/")}
	}
	show()
	a.Open("answer")
	failed := 0
	for i, d := range docs {
		rows[i].Result, rows[i].Refs, rows[i].Text = a.applyOne(d, origin)
		if rows[i].Result == "failed" {
			failed++
			a.Alert(rows[i].Name + ": " + rows[i].Text)
		}
		show()
	}
	a.Announce("Manifest applied: " + strconv.Itoa(len(docs)-failed) + " of " + strconv.Itoa(len(docs)) + " objects")
}

func (a *App) applyOne(d manifest.Document, origin string) (result, refs, problem string) {
	fail := func(err error) (string, string, string) { return "failed", refs, err.Error() }
	if d.Err != nil {
		return fail(d.Err)
	}
	typ := a.Catalog.Kind(d.APIVersion, d.Kind)
	if typ == nil {
		return fail(errors.New("the cluster has no resource type for " + d.APIVersion + " " + d.Kind))
	}
	ns := ""
	if typ.Namespaced {
		if ns = d.Namespace; ns == "" {
			ns = "default"
		}
	}
	post := Request{Method: "POST", Path: typ.Collection(ns), Body: d.JSON, Origin: origin,
		Header: ContentType("application/json")}
	res, err := a.Fetch(context.Background(), post)
	if err != nil {
		return fail(err)
	}
	if res.Status == 201 {
		return "created", refsOf(typ, res.Body), ""
	}
	if res.Status != 409 || d.Name == "" {
		return fail(errors.New(strconv.Itoa(res.Status) + " " + Message(res.Body)))
	}
	head := a.Seen.Head
	patch := Request{Method: "PATCH", Path: typ.Object(ns, d.Name), Body: d.JSON, Origin: origin,
		Header: ContentType("application/merge-patch+json")}
	if res, err = a.Fetch(context.Background(), patch); err != nil {
		return fail(err)
	}
	if res.Status >= 400 {
		return fail(errors.New(strconv.Itoa(res.Status) + " " + Message(res.Body)))
	}
	refs = refsOf(typ, res.Body)
	// A patch that changes nothing makes no revision.
	if o, err := objects.Read(res.Body); err == nil && o.Revision <= head {
		return "unchanged", refs, ""
	}
	return "configured", refs, ""
}

// refsOf returns the name of an answer's object in the shared selection.
func refsOf(typ *catalog.Resource, body string) string {
	o, err := objects.Read(body)
	if err != nil || o.Name == "" {
		return ""
	}
	return "obj-" + typ.ID() + "/" + RefKey(o.Key()) + " rev-" + strconv.FormatInt(o.Revision, 10)
}
