package apiserver

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"

	"github.com/tabernetes/tabernetes/core/audit"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/status"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// resource answers a request to a resource.
func (s *Server) resource(w *answer, r *http.Request, group, version string, segments []string) error {
	i, err := resolve(s.Table, group, version, segments, r)
	if err != nil {
		return s.unknown(w, r, group, err)
	}
	if s.Registry.Between != nil {
		r = r.WithContext(registry.CountWrites(r.Context(), 0))
	}
	reader, err := s.reader(w, r)
	if err != nil {
		return err
	}
	act, isAct := s.Subresources[Subresource{i.Group, i.Plural, i.Subresource, i.verb}]
	offered := s.served()
	switch {
	case act.Produces != "":
		offered = []mediaType{mediaType(act.Produces)}
	case i.Type() == nil:
		w.converted = []mediaType{mediaProtobuf}
	case i.Custom != nil:
	case i.Subresource == "log":
		w.routes = append([]mediaType{"text/plain"}, offered...)
	case i.verb == "list" || i.verb == "watch":
		w.routes = append(offered[:len(offered):len(offered)], streamed(offered)...)
	default:
		w.routes = offered
	}
	review := i.Virtual && i.verb == "create" && i.Subresource == "" && i.Kind != "Binding"
	shown := (!i.Virtual || i.verb != "create" || review) && i.Subresource != "log"
	w.tableless = review || !i.HasTable(i.Subresource)
	err = w.choose(offered, shown)
	if i.Deprecated != "" && w.offered != nil { // there is a route, whose handler warns
		w.warn(i.Deprecated)
	}
	if err != nil && !i.connects() {
		return err
	}
	if isAct {
		return s.act(w, r, i, act)
	}
	if i.verb == "watch" && !i.HasVerb("watch") {
		return i.unsupported()
	}
	if i.Kind == "Binding" || i.Subresource == "binding" {
		return s.bind(w, r, i)
	}
	if review {
		return s.review(w, r, i)
	}
	if serve := subresources[i.Resource.GroupResource()+"/"+i.Subresource]; serve != nil {
		return serve(s, w, r, i)
	}
	var implemented bool
	if i.view, implemented = viewOf(i); !implemented {
		return notImplemented(i)
	}
	switch i.verb {
	case "get":
		return s.get(w, r, i, reader)
	case "list":
		return s.list(w, r, i, reader)
	case "watch":
		return s.watch(w, r, i, reader)
	case "create":
		return s.create(w, r, i)
	case "update":
		return s.update(w, r, i)
	case "patch":
		return s.patch(w, r, i)
	case "delete":
		return s.delete(w, r, i)
	case "deletecollection":
		return s.deleteCollection(w, r, i, reader)
	}
	return status.NewMethodNotAllowed()
}

func notImplemented(i *info) error {
	what := i.Plural
	if i.Subresource != "" {
		what += "/" + i.Subresource
	}
	return status.New(http.StatusNotImplemented, status.Unknown,
		fmt.Sprintf("%s of %s is not implemented yet", i.verb, what), nil)
}

func (s *Server) get(w *answer, r *http.Request, i *info, reader registry.Reader) error {
	q := query(r)
	if boolParam(q, "export") {
		return status.NewBadRequest("the export parameter, deprecated since v1.14, is no longer supported")
	}
	value, err := reader.Get(r.Context(), i.Target, q.Get("resourceVersion"))
	if err != nil {
		return err
	}
	return w.view(i, http.StatusOK, value)
}

func (s *Server) list(w *answer, r *http.Request, i *info, reader registry.Reader) error {
	o, err := listOptions(r, i, reader)
	if err != nil {
		return err
	}
	l, err := reader.List(r.Context(), i.Target, o)
	if err != nil {
		return err
	}
	w.shard = o.Shard.String()
	return w.list(i.Resource, l)
}

// readWrite reads the object in a write, which has to be of the type want, and the options of the
// write.
func (s *Server) readWrite(
	w *answer, r *http.Request, i *info, want expected,
) (obj map[string]any, o registry.WriteOptions, err error) {
	o, validation, err := writeOptions(r, i.verb)
	if err != nil {
		return nil, o, err
	}
	o.Warn, o.Given = w.warn, new(object.Given)
	want.given = o.Given
	obj, err = s.readObject(w, r, want, validation)
	return obj, o, err
}

// readObject reads the object in a request's body, which has to be of the type want.
func (s *Server) readObject(w *answer, r *http.Request, want expected, validation string) (map[string]any, error) {
	media, err := s.bodyType(r)
	if err != nil {
		return nil, err
	}
	buffer := bodyBuffers.Get().(*bytes.Buffer)
	defer reuse(buffer) // objects have copies of what is in it
	body, err := w.readBodyInto(buffer, r, wellknown.MaxBody)
	if err != nil {
		return nil, err
	}
	if err := s.Registry.Pause(r.Context()); err != nil {
		return nil, err
	}
	obj, problems, err := s.decodeBody(body, media, want)
	if err := s.Registry.Pause(r.Context()); err != nil {
		return nil, err
	}
	if want.unnamed && (err != nil || validation == validationStrict && len(problems) > 0) {
		return nil, undecodable
	}
	if err := strict(w, validation, problems); err != nil {
		return nil, status.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", want.kind,
			want.version, want.kind, err))
	}
	if err != nil {
		return nil, err
	}
	if record := audit.Of(r.Context()); record != nil && record.Bodies.Request {
		record.Asked(object.Encode(nil, obj, want.schema))
	}
	registry.UniqueOwners(obj, "", w.warn)
	return obj, nil
}

func (s *Server) create(w *answer, r *http.Request, i *info) error {
	obj, o, err := s.readWrite(w, r, i, i.view.expected)
	if err != nil {
		return err
	}
	value, err := s.Registry.Create(r.Context(), i.Target, obj, o)
	if err != nil {
		return err
	}
	return w.stored(http.StatusCreated, value)
}

func (s *Server) update(w *answer, r *http.Request, i *info) error {
	obj, o, err := s.readWrite(w, r, i, i.view.expected)
	if err != nil {
		return err
	}
	o.MayCreate, o.Replaces = s.mayCreate(r), i.whole()
	if err := checkIdentity(i, obj); err != nil {
		return err
	}
	if err := w.withStored(i); err != nil {
		return err
	}
	value, created, err := s.Registry.Update(r.Context(), i.Target, i.view.replace(i.Target, obj, o), true, o)
	if err != nil {
		return err
	}
	if created {
		return w.view(i, http.StatusCreated, value)
	}
	return w.view(i, http.StatusOK, value)
}

func (s *Server) delete(w *answer, r *http.Request, i *info) error {
	o, err := s.readDeletion(w, r)
	if err != nil {
		return err
	}
	o.Warn = w.warn
	if o.unsafe {
		return s.refuseUnsafe(r, i)
	}
	if err := w.withStored(i); err != nil {
		return err
	}
	value, gone, err := s.Registry.Delete(r.Context(), i.Target, o.DeleteOptions)
	switch {
	case err != nil:
		return err
	case !gone && o.orphan != nil && !*o.orphan:
		return w.stored(http.StatusAccepted, value) // for clients from before propagationPolicy
	case !gone || i.ReturnsDeleted:
		return w.stored(http.StatusOK, value)
	}
	if _, err := w.converter(); err != nil { // a Status is not converted, and its options are checked all the same
		return err
	}
	obj, _, err := object.Decode(value, i.Type())
	if err != nil {
		return err
	}
	w.send(http.StatusOK, status.Success(&status.Details{Name: i.Name, Group: i.Group, Kind: i.Plural,
		UID: object.UID(obj)}).JSON())
	return nil
}

func (s *Server) deleteCollection(w *answer, r *http.Request, i *info, reader registry.Reader) error {
	l, err := listOptions(r, i, reader)
	if err != nil {
		return err
	}
	o, err := s.readDeletion(w, r)
	if err != nil {
		return err
	}
	o.Warn = w.warn
	if o.unsafe {
		return invalidOptions("DeleteOptions", field.ErrorList{field.Invalid(unsafeDelete, true,
			"is not allowed with DELETECOLLECTION, try again after removing the option")})
	}
	list, err := s.Registry.DeleteCollection(r.Context(), i.Target, l, o.DeleteOptions)
	if err != nil {
		return err
	}
	w.shard = l.Shard.String()
	return w.list(i.Resource, list)
}

// warn adds a Warning header, unless it is there already: a change that meets a conflict is made,
// and may warn, more than once. Texts that limitWarnings would drop are not added.
func (a *answer) warn(text string) {
	said := a.Header()["Warning"]
	if len(said) > strategy.MaxWarnings || !printable(text) {
		return
	}
	if text = warning(text); !slices.Contains(said, text) {
		a.Header().Add("Warning", text)
	}
}
