package cluster

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/admission/webhooks"
	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/clock"
)

// A webhook is called over TLS, with HTTP/2 on this machine, and only if the
// certificates of its configuration have signed its own.
func TestWebhooks(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/hang":
			<-r.Context().Done()
			return
		case "/moved":
			http.Redirect(w, r, "/", http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, "%s %s %s %s", r.Proto, r.Method, r.Header.Get("User-Agent"), body)
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = nil
	server.StartTLS()
	defer server.Close()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	port := func() string { u, _ := url.Parse(server.URL); return u.Port() }()

	closed := httptest.NewServer(nil)
	closed.Close()
	ended, end := context.WithCancel(context.Background())
	end()

	var w webhookClient
	for name, test := range map[string]struct {
		ctx  context.Context
		call webhooks.Call
		want string // the reply, or what the error begins with
	}{
		"answer": {nil, webhooks.Call{URL: server.URL, CABundle: ca},
			"201 application/json HTTP/2.0 POST agent question"},
		"no CA": {nil, webhooks.Call{URL: server.URL},
			"error tls: failed to verify certificate: x509: certificate signed by unknown authority"},
		"bad CA": {nil, webhooks.Call{URL: server.URL, CABundle: []byte("x")},
			"error unable to load root certificates: "},
		"redirect": {nil, webhooks.Call{URL: server.URL + "/moved", CABundle: ca},
			"201 application/json HTTP/2.0 GET agent "},
		"refused": {nil, webhooks.Call{URL: strings.Replace(closed.URL, "http:", "https:", 1)}, "error dial tcp " +
			closed.Listener.Addr().String() + ": connect: connection refused"},
		"given up": {ended, webhooks.Call{URL: server.URL + "/hang", CABundle: ca}, "error context canceled"},
		"service": {nil, webhooks.Call{URL: "https://example.com:443/", CABundle: ca, Service: true,
			Address: "localhost:" + port}, "201 application/json HTTP/1.1 POST agent question"},
		"service's IP": {nil, webhooks.Call{URL: "https://s.ns.svc:443/", CABundle: ca, Service: true,
			Address: "10.96.0.9:443"}, "error dial tcp 10.96.0.9:443: connect: network is unreachable"},
	} {
		test.call.Header, test.call.Body = http.Header{"User-Agent": {"agent"}}, []byte("question")
		ctx := test.ctx
		if ctx == nil {
			ctx = context.Background()
		}
		reply, err := w.call(ctx, &test.call)
		got := ""
		if err != nil {
			got = "error " + err.Error()
			if errors.Is(err, context.Canceled) {
				got = "error context canceled"
			}
		} else {
			got = fmt.Sprintf("%d %s %s", reply.Code, reply.ContentType, reply.Body)
		}
		if !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// A cluster of the devserver asks a webhook that listens.
func TestClusterCallsWebhook(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review struct {
			Request struct{ UID, Name string }
		}
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			t.Error(err)
		}
		fmt.Fprintf(w, `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":%q,"allowed":%v}}`,
			review.Request.UID, review.Request.Name == "good")
	}))
	defer server.Close()
	cluster, err := core.New(core.Options{Clock: clock.Real(), Rand: rand.Reader, Webhooks: new(webhookClient).call})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	post := func(path, body string) int { return apitest.Do(cluster, "POST", path, body).Code }
	configuration := fmt.Sprintf(`{"metadata":{"name":"x"},"webhooks":[{
		"name":"a.example.com","admissionReviewVersions":["v1"],"sideEffects":"None",
		"clientConfig":{"url":%q,"caBundle":%q},
		"rules":[{"apiGroups":[""],"apiVersions":["v1"],"resources":["configmaps"],"operations":["CREATE"]}]}]}`,
		server.URL, base64.StdEncoding.EncodeToString(ca))
	if code := post("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", configuration); code != 201 {
		t.Fatal(code)
	}
	for name, want := range map[string]int{"good": 201, "bad": 400} {
		if code := post("/api/v1/namespaces/default/configmaps",
			fmt.Sprintf(`{"metadata":{"name":%q}}`, name)); code != want {
			t.Errorf("%s: %d", name, code)
		}
	}
}
