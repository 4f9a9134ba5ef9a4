package cluster

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/admission/webhooks"
	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/object"
)

const (
	hostsV1 = "/apis/stable.example.com/v1/namespaces/default/hosts"
	hostsV2 = "/apis/stable.example.com/v2/namespaces/default/hosts"
)

// hosts is the definition of hosts: v1 has hostPort, and v2 has host and port.
func hosts(stored, clientConfig, reviews string) string {
	version := func(name, fields string) string {
		return fmt.Sprintf(`{"name":%q,"served":true,"storage":%t,"schema":{"openAPIV3Schema":{"type":"object",
			"properties":{%s}}}}`, name, name == stored, fields)
	}
	return fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
		"metadata":{"name":"hosts.stable.example.com"},"spec":{"group":"stable.example.com","scope":"Namespaced",
		"names":{"plural":"hosts","kind":"Host"},"versions":[%s,%s],"conversion":{"strategy":"Webhook","webhook":{
		"clientConfig":%s,"conversionReviewVersions":%s}}}}`, version("v1", `"hostPort":{"type":"string"}`),
		version("v2", `"host":{"type":"string"},"port":{"type":"string"}`), clientConfig, reviews)
}

// A converter is a conversion webhook that listens on loopback. Its certificate is that of the Service hooks, too.
type converter struct {
	*httptest.Server
	ca string // in base64

	mu      sync.Mutex
	reviews []string // the version of each, and the conversion
}

func newConverter(t *testing.T) *converter {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		DNSNames: []string{"hooks.default.svc"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	c := &converter{ca: base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))}
	c.Server = httptest.NewUnstartedServer(c)
	c.Config.Handler = c
	c.Config.ErrorLog = log.New(io.Discard, "", 0)
	c.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	c.StartTLS()
	t.Cleanup(c.Close)
	return c
}

// url is a clientConfig with the URL of the webhook.
func (c *converter) url() string {
	return fmt.Sprintf(`{"url":%q,"caBundle":%q}`, c.URL+"/convert", c.ca)
}

// service is a clientConfig with a Service.
func (c *converter) service() string {
	_, port, _ := net.SplitHostPort(c.Listener.Addr().String())
	return fmt.Sprintf(`{"service":{"name":"hooks","namespace":"default","path":"/convert","port":%s},"caBundle":%q}`,
		port, c.ca)
}

func (c *converter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var review struct {
		Kind       string         `json:"kind"`
		APIVersion string         `json:"apiVersion"`
		Request    map[string]any `json:"request,omitempty"`
		Response   map[string]any `json:"response"`
	}
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil || r.URL.Path != "/convert" {
		http.Error(w, "not a review", http.StatusBadRequest)
		return
	}
	want := object.GetString(review.Request, "desiredAPIVersion")
	var converted []any
	for _, value := range object.GetList(review.Request, "objects") {
		obj := value.(map[string]any)
		c.mu.Lock()
		c.reviews = append(c.reviews, strings.TrimPrefix(review.APIVersion, "apiextensions.k8s.io/")+": "+
			object.Name(obj)+" "+object.APIVersion(obj)+" to "+want)
		c.mu.Unlock()
		if both, ok := obj["hostPort"].(string); ok {
			obj["host"], obj["port"], _ = strings.Cut(both, ":")
			delete(obj, "hostPort")
		} else if host, ok := obj["host"].(string); ok {
			obj["hostPort"] = fmt.Sprint(host, ":", obj["port"])
			delete(obj, "host")
			delete(obj, "port")
		}
		obj["apiVersion"] = want
		converted = append(converted, obj)
	}
	review.Response = map[string]any{"uid": review.Request["uid"], "result": map[string]any{"status": "Success"},
		"convertedObjects": converted}
	review.Request = nil
	_ = json.NewEncoder(w).Encode(review)
}

// taken returns the reviews since it was last called.
func (c *converter) taken() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := c.reviews
	c.reviews = nil
	return taken
}

// defined starts a cluster with a definition of hosts that is served.
func defined(t *testing.T, o core.Options, definition string) http.Handler {
	t.Helper()
	o.Rand, o.Controllers = rand.Reader, true
	if o.Clock == nil {
		o.Clock = clock.Real()
	}
	if o.Webhooks == nil {
		o.Webhooks = new(webhookClient).call
	}
	cluster, err := core.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cluster.Close() })
	apitest.Must(t, cluster, 201, "POST", "/api/v1/namespaces/default/services", `{"metadata":{"name":"hooks"},
		"spec":{"type":"ExternalName","externalName":"localhost"}}`)
	apitest.Must(t, cluster, 201, "POST", apitest.Definitions, definition)
	apitest.Condition(t, cluster, "hosts", "Established", "True")
	return cluster
}

// host is a host in v1.
func host(name string) string {
	return fmt.Sprintf(`{"apiVersion":"stable.example.com/v1","kind":"Host","metadata":{"name":%q},
		"hostPort":"localhost:8080"}`, name)
}

// is returns the error of an object that is not a host in a version with that version's fields alone.
func is(obj map[string]any, version string) error {
	fields := map[string]map[string]any{
		"v1": {"hostPort": "localhost:8080", "host": nil, "port": nil},
		"v2": {"hostPort": nil, "host": "localhost", "port": "8080"},
	}[version]
	for name, want := range fields {
		if obj[name] != want {
			return fmt.Errorf("%s is %v, not %v: %v", name, obj[name], want, obj)
		}
	}
	if object.APIVersion(obj) != "stable.example.com/"+version {
		return fmt.Errorf("not in %s: %v", version, obj)
	}
	return nil
}

// A webhook converts over TLS, given by its URL or by a Service, in both versions of its reviews.
func TestConversionOverTLS(t *testing.T) {
	c, stranger := newConverter(t), newConverter(t)
	unknown := "tls: failed to verify certificate: x509: certificate signed by unknown authority"
	for name, test := range map[string]struct{ clientConfig, reviews, want string }{
		"URL":      {c.url(), `["v1","v1beta1"]`, "v1: a stable.example.com/v1 to stable.example.com/v2"},
		"v1beta1":  {c.url(), `["v1beta1"]`, "v1beta1: a stable.example.com/v1 to stable.example.com/v2"},
		"Service":  {c.service(), `["v1"]`, "v1: a stable.example.com/v1 to stable.example.com/v2"},
		"no CA":    {fmt.Sprintf(`{"url":%q}`, c.URL+"/convert"), `["v1"]`, unknown},
		"other CA": {strings.Replace(c.url(), c.ca, stranger.ca, 1), `["v1"]`, unknown},
		"other name": {strings.Replace(c.url(), "127.0.0.1", "localhost", 1), `["v1"]`,
			"tls: failed to verify certificate: x509: certificate is valid for hooks.default.svc, not localhost"},
		"no Service": {strings.Replace(c.service(), "hooks", "none", 1), `["v1"]`, `service "none" not found`},
		"other path": {strings.Replace(c.url(), "/convert", "/other", 1), `["v1"]`,
			"the server rejected our request for an unknown reason"},
	} {
		cluster := defined(t, core.Options{}, hosts("v1", test.clientConfig, test.reviews))
		apitest.Must(t, cluster, 201, "POST", hostsV1, host("a"))
		if got := c.taken(); got != nil {
			t.Errorf("%s: called for the stored version: %q", name, got)
		}
		code, got := apitest.Object(t, cluster, "GET", hostsV2+"/a", "")
		reviews := strings.Join(c.taken(), ", ")
		switch {
		case code == 200 && reviews == test.want && is(got, "v2") == nil:
		case code == 500 && reviews == "" && strings.Contains(fmt.Sprint(got["message"]), test.want):
		default:
			t.Errorf("%s: %d %v %q", name, code, got, reviews)
		}
	}
}

// A call that takes more than 30 seconds of the host's clock fails.
func TestConversionTimeout(t *testing.T) {
	at := clock.NewManual(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	early := false
	cluster := defined(t, core.Options{Clock: at, Webhooks: func(ctx context.Context, _ *webhooks.Call) (*webhooks.Reply,
		error) {
		at.Advance(30*time.Second - 1)
		early = ctx.Err() != nil
		at.Advance(1)
		<-ctx.Done()
		return nil, ctx.Err()
	}}, hosts("v1", `{"url":"https://127.0.0.1:9443/convert"}`, `["v1"]`))
	apitest.Must(t, cluster, 201, "POST", hostsV1, host("a"))
	want := `conversion webhook for stable.example.com/v1, Kind=Host failed: ` +
		`Post "https://127.0.0.1:9443/convert?timeout=30s": context deadline exceeded`
	if code, got := apitest.Object(t, cluster, "GET", hostsV2+"/a", ""); code != 500 || got["message"] != want || early {
		t.Errorf("%d %v, too early: %v", code, got, early)
	}
}

// An object that was created in one version is read in the other, as a conformance test of Kubernetes has it. As there,
// the webhook is known to work when an object in the other version has been created and deleted.
func TestConversionOfOne(t *testing.T) {
	c := newConverter(t)
	cluster := defined(t, core.Options{}, hosts("v1", c.service(), `["v1","v1beta1"]`))
	apitest.Must(t, cluster, 201, "POST", hostsV2,
		`{"apiVersion":"stable.example.com/v2","kind":"Host","metadata":{"name":"try"}}`)
	apitest.Must(t, cluster, 200, "DELETE", hostsV2+"/try", "")
	apitest.Must(t, cluster, 201, "POST", hostsV1, host("one"))
	if err := is(apitest.Must(t, cluster, 200, "GET", hostsV2+"/one", ""), "v2"); err != nil {
		t.Error(err)
	}
}

// Objects that are stored in different versions are in one list, in each version, as another of these tests has it.
func TestConversionOfMixedList(t *testing.T) {
	c := newConverter(t)
	cluster := defined(t, core.Options{}, hosts("v1", c.service(), `["v1","v1beta1"]`))
	apitest.Must(t, cluster, 201, "POST", hostsV1, host("one"))
	const name = apitest.Definitions + "/hosts.stable.example.com"
	crd := apitest.Must(t, cluster, 200, "GET", name, "")
	for _, v := range object.GetList(crd, "spec", "versions") {
		v := v.(map[string]any)
		v["storage"] = v["name"] == "v2"
	}
	changed := apitest.Must(t, cluster, 200, "PUT", name, string(object.EncodeAny(nil, crd)))
	if got := object.GetStrings(changed, "status", "storedVersions"); strings.Join(got, " ") != "v1 v2" {
		t.Error(got)
	}
	c.taken()
	apitest.Must(t, cluster, 201, "POST", hostsV1, host("two")) // which is stored in v2
	if got := c.taken(); len(got) == 0 || got[0] != "v1: two stable.example.com/v1 to stable.example.com/v2" {
		t.Errorf("%q", got)
	}
	for version, path := range map[string]string{"v1": hostsV1, "v2": hostsV2} {
		c.taken()
		for range 2 {
			items := object.GetList(apitest.Must(t, cluster, 200, "GET", path, ""), "items")
			if len(items) != 2 {
				t.Fatalf("%s: %v", version, items)
			}
			for i, item := range items {
				obj := item.(map[string]any)
				if err := is(obj, version); err != nil || object.Name(obj) != []string{"one", "two"}[i] {
					t.Errorf("%v %v", err, obj)
				}
			}
		}
		want := map[string]string{"v1": "v1: two stable.example.com/v2 to stable.example.com/v1",
			"v2": "v1: one stable.example.com/v1 to stable.example.com/v2"}[version]
		if got := c.taken(); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, want %q once", version, got, want)
		}
	}
}
