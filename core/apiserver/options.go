package apiserver

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/kinds"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// The words of fieldValidation.
const (
	validationIgnore = "Ignore"
	validationWarn   = "Warn"
	validationStrict = "Strict"
)

// optionsKinds are the kinds of the options of verbs, as errors name them.
var optionsKinds = map[string]string{"create": "CreateOptions", "update": "UpdateOptions", "patch": "PatchOptions"}

// writeOptions reads the options of a creation, an update or a patch. An unset
// fieldValidation is Warn.
func writeOptions(q url.Values, verb string) (o registry.WriteOptions, validation string, err error) {
	kind := optionsKinds[verb]
	var faults field.ErrorList
	if verb == "patch" && q.Has("force") {
		faults = append(faults, field.Forbidden("force", "may not be specified for non-apply patch"))
	}
	faults = append(faults, kinds.ValidateFieldManager(q.Get("fieldManager"), "fieldManager")...)
	dryRun := q["dryRun"]
	faults = append(faults, dryRunFaults(dryRun)...)
	o.DryRun = len(dryRun) > 0
	switch validation = q.Get("fieldValidation"); validation {
	case "":
		validation = validationWarn
	case validationIgnore, validationWarn, validationStrict:
	default:
		faults = append(faults, field.NotSupported("fieldValidation", validation, "", validationIgnore, validationStrict, validationWarn))
	}
	return o, validation, invalidOptions(kind, faults)
}

func dryRunFaults(words []string) field.ErrorList {
	for _, word := range words {
		if word != "All" {
			return field.ErrorList{field.NotSupported("dryRun", words, "All")}
		}
	}
	return nil
}

// invalidOptions is the 422 for what is wrong with options, nil for nothing.
func invalidOptions(kind string, faults field.ErrorList) error {
	if len(faults) == 0 {
		return nil
	}
	return status.NewInvalid(status.GroupKind{Group: "meta.k8s.io", Kind: kind}, "", faults)
}

// deletion is what a DELETE asks for.
type deletion struct {
	registry.DeleteOptions
	// orphan is the option orphanDependents, the older way to say a policy; nil
	// if it is not set.
	orphan *bool
}

// readDeletion reads the options of a deletion: from the body if there is one,
// and the URL's count for nothing then.
func readDeletion(r *http.Request) (d deletion, err error) {
	body, err := readBody(r, maxBody)
	if err != nil {
		return d, err
	}
	var options map[string]any
	if len(body) > 0 {
		options, err = deleteOptionsInBody(r, body)
	} else {
		options, err = deleteOptionsInURL(r.URL.Query())
	}
	if err != nil {
		return d, err
	}
	return parseDeletion(options)
}

// parseDeletion takes the fields out of a meta/v1 DeleteOptions and checks them.
func parseDeletion(options map[string]any) (d deletion, err error) {
	d.GracePeriodSeconds = optional[int64](options, "gracePeriodSeconds")
	d.UID = optional[string](options, "preconditions", "uid")
	d.ResourceVersion = optional[string](options, "preconditions", "resourceVersion")
	d.orphan = optional[bool](options, "orphanDependents")
	policy := optional[string](options, "propagationPolicy")
	var faults field.ErrorList
	if policy != nil {
		const at = field.Path("propagationPolicy")
		if d.orphan != nil {
			faults = append(faults, field.Invalid(at, *policy, "orphanDependents and deletionPropagation cannot be both set"))
		}
		switch *policy {
		case "Foreground", "Background", "Orphan":
			d.PropagationPolicy = *policy
		default:
			faults = append(faults, field.NotSupported(at, *policy, "Foreground", "Background", "Orphan", "nil"))
		}
	} else if d.orphan != nil {
		d.PropagationPolicy = "Background"
		if *d.orphan {
			d.PropagationPolicy = "Orphan"
		}
	}
	var dryRun []string
	for _, word := range object.GetList(options, "dryRun") {
		text, _ := word.(string)
		dryRun = append(dryRun, text)
	}
	faults = append(faults, dryRunFaults(dryRun)...)
	d.DryRun = len(dryRun) > 0
	return d, invalidOptions("DeleteOptions", faults)
}

// optional is a field of a tree; nil if it is not there.
func optional[T any](obj map[string]any, path ...string) *T {
	if v, ok := object.Get(obj, path...); ok {
		if v, ok := v.(T); ok {
			return &v
		}
	}
	return nil
}

// deleteOptionsInBody decodes a body, which may name any API version: clients
// give the one of the group that they delete in.
func deleteOptionsInBody(r *http.Request, body []byte) (map[string]any, error) {
	media, err := bodyType(r)
	if err != nil {
		return nil, err
	}
	if media == mediaYAML {
		if body, err = object.YAMLToJSON(body); err != nil {
			return nil, status.NewBadRequest(err.Error())
		}
	}
	apiVersion, kind, err := object.TypeMeta(body)
	switch {
	case err != nil:
		return nil, status.NewBadRequest(typeMetaError(err))
	case kind != "" && kind != "DeleteOptions":
		if apiVersion == "" {
			apiVersion = "meta.k8s.io/v1"
		}
		return nil, status.NewBadRequest(fmt.Sprintf(unknownKind, kind, apiVersion))
	}
	options, _, err := object.Decode(body, schema.TypeOf("", "v1", "DeleteOptions"))
	if err != nil {
		return nil, status.NewBadRequest(err.Error())
	}
	return options, nil
}

// deleteOptionsInURL makes the object that the parameters of a URL stand for.
func deleteOptionsInURL(q url.Values) (map[string]any, error) {
	options := map[string]any{}
	if q.Has("gracePeriodSeconds") {
		seconds, err := intParam(q, "gracePeriodSeconds")
		if err != nil {
			return nil, err
		}
		options["gracePeriodSeconds"] = seconds
	}
	if q.Has("orphanDependents") {
		options["orphanDependents"] = boolParam(q, "orphanDependents")
	}
	if q.Has("propagationPolicy") {
		options["propagationPolicy"] = q.Get("propagationPolicy")
	}
	var dryRun []any
	for _, word := range q["dryRun"] {
		dryRun = append(dryRun, word)
	}
	options["dryRun"] = dryRun
	return options, nil
}
