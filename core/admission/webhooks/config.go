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

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/internal/plugins/match"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// The resources of webhook configurations.
const (
	mutatingConfigurations   = "mutatingwebhookconfigurations"
	validatingConfigurations = "validatingwebhookconfigurations"
)

// configurations are all webhooks in the order in which they are called: by the name of their
// configuration, and in the order of its list.
type configurations struct {
	mutating, validating []*hook
}

// A hook is one webhook of a configuration.
type hook struct {
	name string
	// kind and configuration are those of what it is in, at a place of the list.
	kind, configuration string
	place               int
	// versions are those of AdmissionReview that it accepts.
	versions []string
	criteria *match.Criteria
	// ignore is failurePolicy Ignore.
	ignore bool
	// effects is sideEffects.
	effects string
	timeout time.Duration
	// conditions are its match conditions; nil if it has none.
	conditions *conditions
	// reinvoke is reinvocationPolicy IfNeeded.
	reinvoke bool

	// url is its address, without the query.
	url *url.URL
	// invalid is the error of an invalid address.
	invalid error
	service *service
	ca      []byte
}

// A service is the address of a webhook that is a Service.
type service struct {
	namespace, name string
	port            int64
}

// Committed notes that an object in a bucket of the store was written.
func (w *Plugin) Committed(bucket string) {
	if bucket == bucketOf+mutatingConfigurations || bucket == bucketOf+validatingConfigurations {
		w.known.Changed()
	}
}

// bucketOf is what the buckets of the types begin with.
const bucketOf = group + "/v1/"

// read reads the webhooks.
func (w *Plugin) read(*configurations) (*configurations, error) {
	c := new(configurations)
	var err error
	if c.mutating, err = w.hooksOf(mutatingConfigurations); err != nil {
		return nil, err
	}
	c.validating, err = w.hooksOf(validatingConfigurations)
	return c, err
}

// hooksOf reads all configurations of a kind. The store returns them by name.
func (w *Plugin) hooksOf(plural string) (hooks []*hook, err error) {
	t := w.Table.Resource(group, "v1", plural)
	err = admission.EachStored(w.Store, t, mvcc.Query{},
		func(obj map[string]any) error {
			for i, entry := range object.GetList(obj, "webhooks") {
				if tree, ok := entry.(map[string]any); ok {
					h := newHook(tree)
					h.kind, h.configuration, h.place = t.Kind, object.Name(obj), i
					hooks = append(hooks, h)
				}
			}
			return nil
		})
	return hooks, err
}

func decode(value []byte, t *schema.Type) (map[string]any, error) {
	obj, _, err := object.Decode(value, t)
	return obj, err
}

func newHook(tree map[string]any) *hook {
	h := &hook{
		name:     object.GetString(tree, "name"),
		versions: object.GetStrings(tree, "admissionReviewVersions"),
		criteria: match.OfWebhook(tree),
		ignore:   object.GetString(tree, "failurePolicy") == "Ignore",
		effects:  object.GetString(tree, "sideEffects"),
		reinvoke: object.GetString(tree, "reinvocationPolicy") == "IfNeeded",
		timeout:  10 * time.Second,

		conditions: newConditions(tree),
	}
	if seconds, ok := object.GetInt(tree, "timeoutSeconds"); ok {
		h.timeout = time.Duration(seconds) * time.Second
	}
	h.locate(object.GetMap(tree, "clientConfig"))
	return h
}

// locate sets the address of a webhook.
func (h *hook) locate(client map[string]any) {
	h.ca, _ = base64.StdEncoding.DecodeString(object.GetString(client, "caBundle")) // the decoder has ensured it
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

// host returns the host name that the certificate of a Service's webhook must have.
func (s *service) host() string { return s.name + "." + s.namespace + ".svc" }
