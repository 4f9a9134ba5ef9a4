package webhooks

import (
	"encoding/base64"
	"fmt"
	"net"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/selector"
)

// The resources that hold configurations.
const (
	mutatingConfigurations   = "mutatingwebhookconfigurations"
	validatingConfigurations = "validatingwebhookconfigurations"
)

// configurations are all webhooks in the order in which they are called: by the
// name of their configuration, and as they are listed there.
type configurations struct {
	changes              int64 // how many had happened when they were read
	mutating, validating []*hook
}

// A hook is one webhook of a configuration.
type hook struct {
	name string
	// versions are those of AdmissionReview that it understands.
	versions []string
	rules    []rule
	// exact keeps it from requests that match only in another version.
	exact               bool
	namespaces, objects selector.Labels
	// selectors says what is wrong with them.
	selectors error
	// ignore lets requests pass that it could not be asked about.
	ignore bool
	// effects is sideEffects.
	effects string
	timeout time.Duration
	// conditional says that it has conditions, which nobody evaluates.
	conditional bool
	// reinvoke lets it see a write again that others changed after it.
	reinvoke bool

	// url is where it is, without the query.
	url *url.URL
	// invalid says why there is none.
	invalid error
	service *service
	ca      []byte
}

// A service is where a hook is that is given by the name of a Service.
type service struct {
	namespace, name string
	port            int64
}

// A rule says which requests a hook wants to see.
type rule struct {
	operations, groups, versions, resources []string
	scope                                   string
}

// Committed takes note that something was written into a bucket of the store.
func (w *Plugin) Committed(bucket string) {
	if bucket == bucketOf(mutatingConfigurations) || bucket == bucketOf(validatingConfigurations) {
		w.changes.Add(1)
	}
}

func bucketOf(plural string) string { return group + "/v1/" + plural }

// configurations returns the webhooks as they are now.
func (w *Plugin) configurations() (*configurations, error) {
	if c := w.known.Load(); c != nil && c.changes == w.changes.Load() {
		return c, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	c := &configurations{changes: w.changes.Load()}
	if known := w.known.Load(); known != nil && known.changes == c.changes {
		return known, nil
	}
	var err error
	if c.mutating, err = w.read(mutatingConfigurations); err != nil {
		return nil, err
	}
	if c.validating, err = w.read(validatingConfigurations); err != nil {
		return nil, err
	}
	w.known.Store(c)
	return c, nil
}

// read reads all configurations of a kind. The store has them by name.
func (w *Plugin) read(plural string) ([]*hook, error) {
	t := w.Table.Resource(group, "v1", plural)
	page, err := w.Store.Range(t.Bucket(), mvcc.Query{})
	if err != nil {
		return nil, err
	}
	var hooks []*hook
	for _, item := range page.Items {
		obj, err := decode(item.Value, t.Type())
		if err != nil {
			return nil, err
		}
		for _, entry := range object.GetList(obj, "webhooks") {
			if tree, ok := entry.(map[string]any); ok {
				hooks = append(hooks, newHook(tree))
			}
		}
	}
	return hooks, nil
}

func decode(value []byte, t *schema.Type) (map[string]any, error) {
	obj, _, err := object.Decode(value, t)
	return obj, err
}

func newHook(tree map[string]any) *hook {
	h := &hook{
		name:     object.GetString(tree, "name"),
		versions: object.GetStrings(tree, "admissionReviewVersions"),
		exact:    object.GetString(tree, "matchPolicy") == "Exact",
		ignore:   object.GetString(tree, "failurePolicy") == "Ignore",
		effects:  object.GetString(tree, "sideEffects"),
		reinvoke: object.GetString(tree, "reinvocationPolicy") == "IfNeeded",
		timeout:  10 * time.Second,

		conditional: len(object.GetList(tree, "matchConditions")) > 0,
	}
	if seconds, ok := object.GetInt(tree, "timeoutSeconds"); ok {
		h.timeout = time.Duration(seconds) * time.Second
	}
	for _, entry := range object.GetList(tree, "rules") {
		if tree, ok := entry.(map[string]any); ok {
			h.rules = append(h.rules, rule{
				operations: object.GetStrings(tree, "operations"), groups: object.GetStrings(tree, "apiGroups"),
				versions: object.GetStrings(tree, "apiVersions"), resources: object.GetStrings(tree, "resources"),
				scope: object.GetString(tree, "scope"),
			})
		}
	}
	var wrong error
	h.namespaces, _, h.selectors = selector.FromLabelSelector(object.GetMap(tree, "namespaceSelector"))
	if h.objects, _, wrong = selector.FromLabelSelector(object.GetMap(tree, "objectSelector")); h.selectors == nil {
		h.selectors = wrong
	}
	h.locate(object.GetMap(tree, "clientConfig"))
	return h
}

// locate finds out where a webhook is.
func (h *hook) locate(client map[string]any) {
	h.ca, _ = base64.StdEncoding.DecodeString(object.GetString(client, "caBundle")) // the decoder has seen to it
	if tree := object.GetMap(client, "service"); tree != nil {
		h.service = &service{namespace: object.GetString(tree, "namespace"), name: object.GetString(tree, "name"), port: 443}
		if port, ok := object.GetInt(tree, "port"); ok {
			h.service.port = port
		}
		host := net.JoinHostPort(h.service.host(), strconv.FormatInt(h.service.port, 10))
		where, _, _ := strings.Cut(object.GetString(tree, "path"), "?")
		h.url = &url.URL{Scheme: "https", Host: host, Path: path.Join("/", where)}
		return
	}
	address, err := url.Parse(object.GetString(client, "url"))
	if err != nil {
		h.invalid = fmt.Errorf("could not get REST client: Unparsable URL: %w", err)
		return
	}
	h.url = &url.URL{Scheme: address.Scheme, Host: address.Host, Path: path.Join("/", address.Path)}
}

// host returns the name that the certificate of a service's webhook is for.
func (s *service) host() string { return s.name + "." + s.namespace + ".svc" }
