package apiserver

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabernetes/tabernetes/core/gates"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/metadata"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// The values of fieldValidation.
const (
	validationIgnore = "Ignore"
	validationWarn   = "Warn"
	validationStrict = "Strict"
)

// optionsKinds are the kinds of the options of verbs, as errors name them.
var optionsKinds = map[string]string{
	"create": "CreateOptions", "update": "UpdateOptions", "patch": "PatchOptions", verbApply: "PatchOptions",
}

// verbApply stands for the patch that is a server-side apply: its options have their own rules.
const verbApply = "apply"

// writeOptions reads the options of a creation, an update or a patch. An unset fieldValidation is
// Warn; the default field manager is the name of the program.
func writeOptions(r *http.Request, verb string) (o registry.WriteOptions, validation string, err error) {
	q := query(r)
	var errs field.ErrorList
	o.Manager = q.Get("fieldManager")
	switch {
	case verb == "patch" && q.Has("force"):
		errs = append(errs, field.Forbidden("force", "may not be specified for non-apply patch"))
	case verb == verbApply && o.Manager == "":
		errs = append(errs, field.Required("fieldManager", "is required for apply patch"))
	}
	errs = append(errs, metadata.ValidateFieldManager(o.Manager, "fieldManager")...)
	dryRun := q["dryRun"]
	errs = append(errs, validateDryRun(dryRun)...)
	o.DryRun = len(dryRun) > 0
	switch validation = q.Get("fieldValidation"); validation {
	case "":
		validation = validationWarn
	case validationIgnore, validationWarn, validationStrict:
	default:
		errs = append(errs, field.NotSupported("fieldValidation", validation, "", validationIgnore, validationStrict,
			validationWarn))
	}
	o.Tree = optionsTree(q)
	if o.Manager == "" {
		o.Manager = program(first(r.Header["User-Agent"]))
	}
	return o, validation, invalidOptions(optionsKinds[verb], errs)
}

// optionsTree returns the options of a write in a URL.
func optionsTree(q url.Values) map[string]any {
	tree := map[string]any{}
	for _, name := range []string{"fieldManager", "fieldValidation"} {
		if value := q.Get(name); value != "" {
			tree[name] = value
		}
	}
	if words := q["dryRun"]; len(words) > 0 {
		tree["dryRun"] = object.ListOf(words)
	}
	return tree
}

// program returns the name in a User-Agent header: the part before the version, up to the first
// unprintable character, and no longer than a field manager's name may be.
func program(userAgent string) string {
	name, _, _ := strings.Cut(userAgent, "/")
	var b strings.Builder
	for _, r := range name {
		if !unicode.IsPrint(r) {
			continue
		}
		if b.Len()+utf8.RuneLen(r) > metadata.MaxFieldManager {
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}

func validateDryRun(words []string) field.ErrorList {
	for _, word := range words {
		if word != "All" {
			return field.ErrorList{field.NotSupported("dryRun", words, "All")}
		}
	}
	return nil
}

// invalidOptions returns the 422 for the violations of options, nil for none.
func invalidOptions(kind string, errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return status.NewInvalid(status.GroupKind{Group: "meta.k8s.io", Kind: kind}, "", errs)
}

// deletion is the options of a DELETE.
type deletion struct {
	registry.DeleteOptions
	// orphan is the option orphanDependents, the older way to set a policy; nil if it is not set.
	orphan *bool
	// unsafe is the option to delete an object that cannot be read.
	unsafe bool
}

// readDeletion reads the options of a deletion: from the body if there is one, and then those in
// the URL are ignored.
func (s *Server) readDeletion(w *answer, r *http.Request) (d deletion, err error) {
	body, err := w.readBody(r, wellknown.MaxBody)
	if err != nil {
		return d, err
	}
	var options map[string]any
	if len(body) > 0 {
		options, err = s.deleteOptionsInBody(r, body)
	} else {
		options, err = deleteOptionsInURL(r.URL.Query())
	}
	if err != nil {
		return d, err
	}
	if !s.Registry.Settings().Gates.Enabled(gates.AllowUnsafeMalformedObjectDeletion) {
		delete(options, string(unsafeDelete))
	}
	d, err = parseDeletion(options)
	d.Program = program(first(r.Header["User-Agent"]))
	return d, err
}

// parseDeletion reads and validates the fields of a meta/v1 DeleteOptions.
func parseDeletion(options map[string]any) (d deletion, err error) {
	d.GracePeriodSeconds = optional[int64](options, "gracePeriodSeconds")
	d.UID = optional[string](options, "preconditions", "uid")
	d.ResourceVersion = optional[string](options, "preconditions", "resourceVersion")
	d.orphan = optional[bool](options, "orphanDependents")
	policy := optional[string](options, "propagationPolicy")
	var errs field.ErrorList
	if policy != nil {
		const at = field.Path("propagationPolicy")
		if d.orphan != nil {
			errs = append(errs, field.Invalid(at, *policy, "orphanDependents and deletionPropagation cannot be both set"))
		}
		switch *policy {
		case "Foreground", "Background", "Orphan":
			d.PropagationPolicy = *policy
		default:
			errs = append(errs, field.NotSupported(at, *policy, "Foreground", "Background", "Orphan", "nil"))
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
	errs = append(errs, validateDryRun(dryRun)...)
	d.DryRun = len(dryRun) > 0
	if d.unsafe = object.GetBool(options, string(unsafeDelete)); d.unsafe {
		errs = append(errs, validateUnsafe(options, d.DryRun)...)
	}
	d.Tree = options
	return d, invalidOptions("DeleteOptions", errs)
}

// optional returns a field of a tree; nil if it is not there.
func optional[T any](obj map[string]any, path ...string) *T {
	if v, ok := object.Get(obj, path...); ok {
		if v, ok := v.(T); ok {
			return &v
		}
	}
	return nil
}

// deleteOptionsInBody decodes a body, which may have any apiVersion: clients use that of the group
// that they delete in.
func (s *Server) deleteOptionsInBody(r *http.Request, body []byte) (map[string]any, error) {
	media, err := s.bodyType(r)
	if err != nil {
		return nil, err
	}
	if read := codecs[media].read; read != nil {
		body, err = read(body, expected{version: "v1", kind: "DeleteOptions"})
		if err := cmp.Or(refusedValues(err), checkValues(body)); err != nil {
			return nil, err
		}
		if err != nil {
			return nil, status.NewBadRequest(err.Error())
		}
	}
	group, version, kind, err := object.TypeOr(body, "", "", "")
	apiVersion := typeOfDocument{group, version, kind}.apiVersion()
	switch {
	case err != nil:
		return nil, status.NewBadRequest(err.Error())
	case kind != "" && kind != "DeleteOptions":
		if apiVersion == "" {
			apiVersion = "meta.k8s.io/v1"
		}
		return nil, status.NewBadRequest(object.Unregistered(kind, apiVersion).Error())
	}
	options, _, err := object.Decode(body, schema.TypeOf("", "v1", "DeleteOptions"))
	if err != nil {
		return nil, status.NewBadRequest(err.Error())
	}
	return options, nil
}

// deleteOptionsInURL returns the object for the parameters of a URL.
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
	if q.Has(string(unsafeDelete)) {
		options[string(unsafeDelete)] = boolParam(q, string(unsafeDelete))
	}
	if q.Has("propagationPolicy") {
		options["propagationPolicy"] = q.Get("propagationPolicy")
	}
	for _, name := range []string{"uid", "resourceVersion"} {
		if want := q.Get(name); want != "" {
			object.SetNested(options, want, "preconditions", name)
		}
	}
	var dryRun []any
	for _, word := range q["dryRun"] {
		dryRun = append(dryRun, word)
	}
	if dryRun != nil {
		options["dryRun"] = dryRun
	}
	return options, nil
}
