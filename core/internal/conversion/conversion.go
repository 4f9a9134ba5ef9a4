// Package conversion converts custom resources between the versions of their definition by the webhook in its
// spec.conversion.
//
// conversion.go makes the converters of a definition's rows and calls the webhook, review.go makes the ConversionReview
// and reads the answer, metadata.go checks the converted object, and once.go keeps what lists and watches need more
// than once. The behaviour and the texts are those of kube-apiserver: one call for each object; of its metadata a
// webhook changes nothing but labels and annotations.
//
// An object that has the version already costs nothing.
package conversion

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/tabernetes/tabernetes/core/admission/webhooks"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// A Poster sends a document to a webhook and returns its answer: the admission plugin's Post.
type Poster func(ctx context.Context, e *webhooks.Endpoint, body []byte) ([]byte, error)

// Webhooks makes converters.
type Webhooks struct {
	Post   Poster
	NewUID func() string
}

// Link sets the converters of the rows of a definition, if a webhook converts its objects.
func (w *Webhooks) Link(crd map[string]any, rows []*schema.Resource) {
	conversion := object.GetMap(crd, "spec", "conversion")
	if object.GetString(conversion, "strategy") != "Webhook" {
		return
	}
	hook := &webhook{Webhooks: w, endpoint: webhooks.NewEndpoint(object.GetMap(conversion, "webhook", "clientConfig"))}
	for _, version := range object.GetStrings(conversion, "webhook", "conversionReviewVersions") {
		if slices.Contains(reviewVersions, version) {
			hook.review = version
			break
		}
	}
	for _, row := range rows {
		row.Custom.Converter = &converter{webhook: hook, to: row, turn: make(chan struct{}, 1)}
	}
}

// A webhook is that of one definition.
type webhook struct {
	*Webhooks
	endpoint *webhooks.Endpoint
	review   string // the version of ConversionReview
}

// A converter converts to one version. It implements schema.Converter.
type converter struct {
	*webhook
	to *schema.Resource
	kept
	turn chan struct{}
}

// Convert implements schema.Converter.
func (c *converter) Convert(ctx context.Context, obj map[string]any) error {
	want := c.to.APIVersion()
	from, version := object.SplitGroupVersion(object.APIVersion(obj))
	if from+"/"+version == want {
		return nil
	}
	if c.to.Form(from+"/"+version) == nil {
		return fmt.Errorf("request to convert CR from an invalid group/version: %s/%s", from, version)
	}
	is := fmt.Sprintf("%s/%s, Kind=%s", from, version, object.Kind(obj))
	converted, err := c.call(ctx, obj, want, is)
	if err == nil {
		clear(obj)
		maps.Copy(obj, converted)
	}
	return err
}

// call calls the webhook for an object, whose version and kind errors name as is.
func (c *converter) call(ctx context.Context, obj map[string]any, want, is string) (map[string]any, error) {
	if c.review == "" {
		return nil, fmt.Errorf("no supported conversion review versions")
	}
	failed := func(what string, err error) error {
		return fmt.Errorf("conversion webhook for %s %s: %w", is, what, err)
	}
	uid, shown := c.NewUID(), maps.Clone(obj)
	if meta := maps.Clone(object.Meta(obj)); meta != nil { // a stored object has no resourceVersion
		delete(meta, "resourceVersion")
		shown["metadata"] = meta
	}
	body, err := c.Post(ctx, c.endpoint, encodeReview(c.review, uid, want, shown))
	if err != nil {
		return nil, failed("failed", err)
	}
	all, err := readReview(body, c.review, uid)
	if err != nil {
		return nil, failed("failed", err)
	}
	if len(all) != 1 {
		return nil, fmt.Errorf("conversion webhook for %s returned %d objects, expected 1", is, len(all))
	}
	converted, err := readObject(all[0])
	if err != nil {
		return nil, err
	}
	if got := object.APIVersion(converted); got != want {
		return nil, fmt.Errorf("conversion webhook for %s returned invalid object at index 0: invalid groupVersion "+
			"(expected %s, received %s)", is, want, got)
	}
	if e, a := object.Kind(obj), object.Kind(converted); e != a {
		return nil, fmt.Errorf("conversion webhook for %s returned invalid object at index 0: invalid kind "+
			"(expected %s, received %s)", is, e, a)
	}
	if err := sameObject(obj, converted); err != nil {
		return nil, failed("returned invalid object", err)
	}
	if err := restoreMetadata(obj, converted); err != nil {
		return nil, failed("returned invalid metadata", err)
	}
	return converted, nil
}
