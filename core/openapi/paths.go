// More than 400 lines: an operation is put together of parts that refer to each other.

package openapi

import (
	"slices"
	"sort"
	"strings"

	"github.com/tabernetes/tabernetes/core/schema"
)

// method returns the HTTP method of a verb, as OpenAPI names it.
func method(verb string) string {
	switch verb {
	case "create":
		return "post"
	case "update":
		return "put"
	case "patch":
		return "patch"
	case "delete", "deletecollection":
		return "delete"
	}
	return "get"
}

// action returns the name of a verb in Kubernetes' extension.
func action(verb string) string {
	switch verb {
	case "create", "update":
		return method(verb)
	}
	return verb
}

// word returns the prefix of operation names for a verb.
func word(verb string) string {
	switch verb {
	case "get":
		return "read"
	case "update":
		return "replace"
	case "deletecollection":
		return "delete"
	}
	return verb
}

// The verbs of a collection, of a named object, and the further ones of proxies.
var (
	collectionVerbs = []string{"list", "create", "deletecollection"}
	namedVerbs      = []string{"get", "update", "patch", "delete"}
	proxiedMethods  = []string{"head", "options"}
)

// writer adds the paths of a resource type.
type writer struct {
	*components
	paths tree
	row   *schema.Resource
	// name is the group version in the names of operations, and scope the part of them about
	// namespaces.
	name, scope string
}

// addPaths adds the paths of a resource type.
func addPaths(paths tree, c *components, row *schema.Resource) {
	w := &writer{c, paths, row, operationName(row.Group, row.Version), ""}
	base := "/" + Path(row.Group, row.Version) + "/"
	place := ""
	if row.Namespaced {
		place, w.scope = "namespaces/{namespace}/", "Namespaced"
	}
	collection := place + row.Plural
	named := collection + "/{name}"
	for _, verb := range collectionVerbs {
		w.verb(base+collection, verb, "")
	}
	for _, verb := range namedVerbs {
		w.verb(base+named, verb, "")
	}
	for _, s := range row.Subresources {
		w.subresource(base+named, &s)
	}
	if w.scope != "" && row.HasVerb("list") {
		w.add(base+row.Plural, "list", "list"+w.name+row.Kind+"ForAllNamespaces")
	}
	if row.HasVerb("watch") && row.Custom == nil {
		w.add(base+"watch/"+collection, "watchlist", "watch"+w.name+w.scope+row.Kind+"List")
		w.add(base+"watch/"+named, "watch", "watch"+w.name+w.scope+row.Kind)
		if w.scope != "" {
			w.add(base+"watch/"+row.Plural, "watchlist", "watch"+w.name+row.Kind+"ListForAllNamespaces")
		}
	}
}

// verb adds an operation of the resource, if it has that verb.
func (w *writer) verb(path, verb, what string) {
	if !w.row.HasVerb(verb) {
		return
	}
	collection := ""
	if verb == "deletecollection" {
		collection = "Collection"
	}
	w.add(path, verb, word(verb)+w.name+collection+w.scope+w.row.Kind+what)
}

// add adds an operation.
func (w *writer) add(path, verb, id string) {
	takes, gives := w.bodies(w.row, verb)
	w.operation(path, verb, "", id, gvk(w.row.Group, w.row.Version, w.row.Kind), takes, gives)
}

// connecting are the subresources that connect the client to something else.
var connecting = []string{"attach", "exec", "portforward", "proxy"}

// subresource adds the operations of a subresource. Its verbs are its own.
func (w *writer) subresource(named string, s *schema.Subresource) {
	path, suffix, kind := named+"/"+s.Name, w.scope+w.row.Kind+upper(s.Name), gvk(s.Group, s.Version, s.Kind)
	if slices.Contains(connecting, s.Name) {
		used := []string{}
		for _, verb := range s.Verbs {
			used = append(used, method(verb))
		}
		if s.Name == "proxy" {
			used = append(used, proxiedMethods...)
		}
		for _, m := range used {
			w.connect(path, m, "connect"+w.name+upper(m)+suffix, kind, s)
			if s.Name == "proxy" {
				w.connect(path+"/{path}", m, "connect"+w.name+upper(m)+suffix+"WithPath", kind, s)
			}
		}
		return
	}
	object := w.shown(s)
	for _, verb := range s.Verbs {
		var takes tree
		switch verb {
		case "create", "update":
			takes = object
		case "patch":
			takes = w.patch()
		}
		w.operation(path, verb, s.Name+" of ", word(verb)+w.name+suffix, kind, takes, object)
		if verb != "get" || s.Numbers == nil {
			continue
		}
		var list []any
		for _, name := range s.Numbers {
			list = append(list, parameter(name, "query", "integer"))
		}
		w.item(path)[method(verb)].(tree)["parameters"] = list
	}
}

// shown returns the type of a subresource's objects.
func (w *writer) shown(s *schema.Subresource) tree {
	switch t := s.Type(); {
	case s.Name == "log":
		return tree{"type": "string"}
	case t != nil && t.Name != "":
		w.kind(t, s.Group, s.Version, s.Kind)
		return w.schemaOf(t)
	case s.Kind == w.row.Kind:
		return w.object(w.row)
	}
	return w.schemaOf(nil)
}

// operation adds an operation, on a part of the objects if it is of a subresource. takes is nil if it has no body.
func (w *writer) operation(path, verb, part, id string, kind, takes, gives tree) {
	op := w.begin(id, action(verb), kind)
	op["description"] = w.described(verb, part)
	var list []any
	for name := range strings.FieldsSeq(query(verb)) {
		name, isNumber := strings.CutSuffix(name, "#")
		name, isBool := strings.CutSuffix(name, "?")
		kind := "string"
		switch {
		case isNumber:
			kind = "integer"
		case isBool:
			kind = "boolean"
		}
		list = append(list, parameter(name, "query", kind))
	}
	op["parameters"] = list
	if takes != nil {
		content := tree{"*/*": tree{"schema": takes}}
		if verb == "patch" {
			content = w.each(takes, patchTypes)
		}
		op["requestBody"] = tree{"content": content}
		if verb != "delete" && verb != "deletecollection" {
			op["requestBody"].(tree)["required"] = true
		}
	}
	media := produced
	if verb == "list" && w.row.HasVerb("watch") || strings.HasPrefix(verb, "watch") {
		media = append(media[:len(media):len(media)], "application/json;stream=watch",
			"application/vnd.kubernetes.protobuf;stream=watch")
	}
	answer := w.each(gives, media)
	responses := op["responses"].(tree)
	for code := range strings.FieldsSeq(codes(verb)) {
		responses[code] = tree{"description": statusDescription(code), "content": answer}
	}
	w.item(path)[method(verb)] = op
}

// each returns a content with the same schema in several media types. Custom objects are not in
// protobuf, and their patches are not strategic.
func (w *writer) each(s tree, media []string) tree {
	content := tree{}
	for _, m := range media {
		if w.row.Custom == nil || !strings.Contains(m, "protobuf") && !strings.Contains(m, "strategic") {
			content[m] = tree{"schema": s}
		}
	}
	return content
}

// connect adds an operation of a connecting subresource.
func (w *writer) connect(path, method, id string, kind tree, s *schema.Subresource) {
	op := w.begin(id, "connect", kind)
	op["responses"].(tree)["200"] = tree{"description": statusDescription("200"),
		"content": tree{"*/*": tree{"schema": tree{"type": "string"}}}}
	var list []any
	for _, f := range s.Type().Fields {
		kind := "string"
		switch f.Type.Kind {
		case schema.Bool:
			kind = "boolean"
		case schema.List:
			if f.Type.Elem.Kind != schema.String {
				kind = "integer"
			}
		}
		if f.Name != "kind" && f.Name != "apiVersion" {
			list = append(list, parameter(f.Name, "query", kind))
		}
	}
	op["parameters"] = list
	op["description"] = "connect " + strings.ToUpper(method) + " requests to " + s.Name + " of " + w.row.Kind
	w.item(path)[method] = op
}

// begin returns an operation without its body and its answer.
func (w *writer) begin(id, action string, kind tree) tree {
	return tree{
		"x-kubernetes-action":             action,
		"x-kubernetes-group-version-kind": kind,
		"operationId":                     id,
		"tags":                            []any{tagName(w.row.Group) + "_" + w.row.Version},
		"responses":                       tree{"401": tree{"description": statusDescription("401")}},
	}
}

// described returns the description of an operation.
func (w *writer) described(verb, part string) string {
	kind, instead := w.row.Kind, ". deprecated: use the 'watch' parameter with a list operation instead"
	switch verb {
	case "get":
		return "read " + part + "the specified " + kind
	case "update":
		return "replace " + part + "the specified " + kind
	case "patch":
		return "partially update " + part + "the specified " + kind
	case "list":
		if w.row.Custom == nil && w.row.HasVerb("watch") {
			verb = "list or watch"
		}
		return verb + " objects of kind " + kind
	case "watch":
		return "watch changes to an object of kind " + kind + instead +
			", filtered to a single item with the 'fieldSelector' parameter."
	case "watchlist":
		return "watch individual changes to a list of " + kind + instead + "."
	case "deletecollection":
		return "delete collection of " + kind
	}
	article := "a "
	switch {
	case strings.HasSuffix(kind, "s") && !strings.HasSuffix(kind, "ss"): // a plural
		article = ""
	case strings.ContainsRune("AEIOUaeiou", rune(kind[0])):
		article = "an "
	}
	return verb + " " + part + article + kind
}

// codes returns the success codes of a verb.
func codes(verb string) string {
	switch verb {
	case "create":
		return "200 201 202"
	case "update", "patch":
		return "200 201"
	case "delete":
		return "200 202"
	}
	return "200"
}

// statusDescription returns the description of a status code.
func statusDescription(code string) string {
	switch code {
	case "200":
		return "OK"
	case "201":
		return "Created"
	case "202":
		return "Accepted"
	}
	return "Unauthorized"
}

var patchTypes = []string{
	"application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json",
	"application/strategic-merge-patch+json",
}

// item returns the entry of a path.
func (w *writer) item(path string) tree {
	if known, ok := w.paths[path].(tree); ok {
		return known
	}
	var list []any
	for _, name := range []string{"name", "namespace", "path"} {
		if strings.Contains(path, "{"+name+"}") {
			list = append(list, parameter(name, "path", "string"))
		}
	}
	if !strings.Contains(path, "/proxy") && !strings.HasSuffix(path, "/exec") && !strings.HasSuffix(path, "/attach") &&
		!strings.HasSuffix(path, "/portforward") {
		list = append(list, parameter("pretty", "query", "string"))
	}
	item := tree{"parameters": list}
	w.paths[path] = item
	return item
}

// share moves parameters that all operations of a path have to the path.
func share(item tree) {
	var operations []tree
	for _, value := range item {
		if op, ok := value.(tree); ok {
			operations = append(operations, op)
		}
	}
	if len(operations) == 0 {
		return
	}
	names := func(op tree) []string {
		var list []string
		for _, p := range entries(op["parameters"]) {
			list = append(list, p.(tree)["name"].(string))
		}
		return list
	}
	common := names(operations[0])
	for _, op := range operations[1:] {
		mine := names(op)
		common = slices.DeleteFunc(common, func(name string) bool { return !slices.Contains(mine, name) })
	}
	shared := entries(item["parameters"])
	for i, op := range operations {
		var own []any
		for _, p := range entries(op["parameters"]) {
			if !slices.Contains(common, p.(tree)["name"].(string)) {
				own = append(own, p)
			} else if i == 0 {
				shared = append(shared, p)
			}
		}
		delete(op, "parameters")
		if own != nil {
			op["parameters"] = own
		}
	}
	if shared != nil {
		sort.Slice(shared, func(i, j int) bool {
			a, b := shared[i].(tree), shared[j].(tree)
			return a["in"].(string)+a["name"].(string) < b["in"].(string)+b["name"].(string)
		})
		item["parameters"] = shared
	}
}

func parameter(name, in, kind string) tree {
	p := tree{"name": name, "in": in, "schema": tree{"type": kind, "uniqueItems": true}}
	if in == "path" {
		p["required"] = true
	}
	return p
}

// query returns the parameters of a verb: numbers end in # here, booleans in ?.
func query(verb string) string {
	switch verb {
	case "list", "watch", "watchlist":
		return "allowWatchBookmarks? continue fieldSelector labelSelector limit# resourceVersion resourceVersionMatch " +
			"sendInitialEvents? " +
			"timeoutSeconds# watch?"
	case "create", "update":
		return "dryRun fieldManager fieldValidation"
	case "patch":
		return "dryRun fieldManager fieldValidation force?"
	case "delete":
		return "dryRun gracePeriodSeconds# ignoreStoreReadErrorWithClusterBreakingPotential? orphanDependents? " +
			"propagationPolicy"
	case "deletecollection":
		return "continue dryRun fieldSelector gracePeriodSeconds# ignoreStoreReadErrorWithClusterBreakingPotential? " +
			"labelSelector limit# " +
			"orphanDependents? propagationPolicy resourceVersion resourceVersionMatch sendInitialEvents? timeoutSeconds#"
	}
	return ""
}

// bodies returns the types of a verb's request body (nil: none) and of its answer.
func (c *components) bodies(row *schema.Resource, verb string) (takes, gives tree) {
	switch verb {
	case "create", "update":
		takes = c.object(row)
	case "patch":
		takes = c.patch()
	case "delete", "deletecollection":
		gives = c.meta("Status")
		if verb == "delete" && row.ReturnsDeleted {
			gives = c.object(row)
		}
		return c.metaOf("DeleteOptions", row), gives
	case "list":
		return nil, c.list(row)
	case "watch", "watchlist":
		return nil, c.metaOf("WatchEvent", row)
	}
	return takes, c.object(row)
}

func (c *components) patch() tree {
	return c.named(metaTypes+"Patch", func() tree { return tree{"type": "object"} })
}

// meta returns a reference to a type of meta/v1, which is of the core group too.
func (c *components) meta(kind string) tree {
	t := schema.TypeOf("", "v1", kind)
	c.kind(t, "", "v1", kind)
	return c.schemaOf(t)
}

// metaOf is meta for a kind that belongs to all group versions: documents name that of the resource, and those of
// custom resources all of client-go's scheme.
func (c *components) metaOf(kind string, row *schema.Resource) tree {
	ref, t := c.meta(kind), schema.TypeOf("", "v1", kind)
	switch {
	case !isCustom(row):
		c.kind(t, row.Group, row.Version, kind)
	default:
		for _, v := range schema.ClientVersions() {
			c.kind(t, v.Group, v.Version, kind)
		}
	}
	return ref
}

// addRoot adds the path that lists the resources of a group version.
func addRoot(paths tree, c *components, group, version string) {
	paths["/"+Path(group, version)+"/"] = tree{"get": tree{
		"description": "get available resources",
		"operationId": "get" + operationName(group, version) + "APIResources",
		"tags":        []any{tagName(group) + "_" + version},
		"responses":   okResponses(c.meta("APIResourceList"), produced...),
	}}
}

// okResponses returns the responses of an operation that always succeeds.
func okResponses(s tree, media ...string) tree {
	content := tree{}
	for _, m := range media {
		content[m] = tree{"schema": s}
	}
	return tree{
		"200": tree{"description": statusDescription("200"), "content": content},
		"401": tree{"description": statusDescription("401")},
	}
}

// goName returns a group in the names of operations: RbacAuthorization.
func goName(group string) string {
	if group == "" {
		return "Core"
	}
	var b strings.Builder
	for part := range strings.SplitSeq(strings.TrimSuffix(group, ".k8s.io"), ".") {
		b.WriteString(upper(part))
	}
	return b.String()
}

// tagName returns a group in tags: rbacAuthorization.
func tagName(group string) string {
	name := goName(group)
	return strings.ToLower(name[:1]) + name[1:]
}

func operationName(group, version string) string { return goName(group) + upper(version) }

func upper(word string) string {
	if word == "" {
		return ""
	}
	return strings.ToUpper(word[:1]) + word[1:]
}
