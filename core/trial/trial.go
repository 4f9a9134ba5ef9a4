// Package trial is an extension that explains: what the expressions of policies, webhooks and rules came to in one
// request, what may be written in an expression, and by which bindings something is allowed. README.md says what its
// types are asked and answer.
//
// A request that is tried goes through the whole server: there is no second path. Invariants: its outcome is that of
// the same request sent by itself; a trial needs no rights but its own, and its request has those that its headers
// give.
//
// It costs the request, and a second evaluation of each of its expressions.
package trial

import (
	"encoding/json"
	"net/http"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/extension"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// most is how many requests are tried at the same time: each waits for another one, which has to find its place.
const most = 4

// Trials is the extension. The zero value is ready; it belongs to one cluster.
type Trials struct{}

// Extend implements extension.Extension.
func (Trials) Extend(i *extension.Instance) (extension.Additions, error) {
	t := &instance{i, make(chan struct{}, most)}
	a := extension.Additions{Acts: map[apiserver.Subresource]apiserver.Act{}}
	for _, one := range []struct {
		row   *schema.Resource
		serve func(http.ResponseWriter, *http.Request, apiserver.Call) error
	}{{trials, t.try}, {expressions, t.review}, {grants, t.grants}} {
		a.Resources = append(a.Resources, extension.Resource{Row: one.row})
		a.Acts[apiserver.Subresource{Group: wellknown.Group, Resource: one.row.Plural, Verb: "create"}] = apiserver.Act{
			Serve: one.serve, Produces: "application/json"}
	}
	return a, nil
}

type instance struct {
	*extension.Instance
	running chan struct{}
}

// The resource types.
var (
	trials      = virtual("trials", "trial", "Trial")
	expressions = virtual("expressionreviews", "expressionreview", "ExpressionReview")
	grants      = virtual("grantreviews", "grantreview", "GrantReview")
)

func virtual(plural, singular, kind string) *schema.Resource {
	return &schema.Resource{Group: wellknown.Group, Version: "v1", Plural: plural, Singular: singular, Kind: kind,
		Verbs: []string{"create"}, Behaviour: schema.Behaviour{Virtual: true}}
}

// read reads the body of a call.
func read(c apiserver.Call, into any) error {
	if err := json.Unmarshal(c.Body, into); err != nil {
		return status.NewBadRequest("the body is not what is asked here: " + err.Error())
	}
	return nil
}

// answer sends JSON.
func answer(w http.ResponseWriter, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_, err = w.Write(text)
	return err
}
