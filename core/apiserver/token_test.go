package apiserver

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/serviceaccount"
)

const accountsPath = "/api/v1/namespaces/default/serviceaccounts"

// newTokenServer returns a server with the service account robot, and a pod, secret
// and node of the name x.
func newTokenServer(t *testing.T) *Server {
	s := newServer(t)
	s.Tokens = &serviceaccount.Issuer{
		URL: "https://kubernetes.default.svc.cluster.local", Seed: func() []byte { return []byte("seed") },
		Now: s.Registry.Clock.Now, NewID: s.Registry.NewUID,
	}
	setUp(t, s,
		exchange{method: "POST", path: accountsPath, body: `{"metadata":{"name":"robot"}}`},
		exchange{method: "POST", path: podsPath,
			body: `{"metadata":{"name":"x"},"spec":{"serviceAccountName":"robot","nodeName":"x","containers":[{"name":"c",` +
				`"image":"x:1"}]}}`},
		exchange{method: "POST", path: "/api/v1/namespaces/default/secrets", body: `{"metadata":{"name":"x"}}`},
		exchange{method: "POST", path: "/api/v1/nodes", body: `{"metadata":{"name":"x"}}`},
	)
	return s
}

func tokenRequest(account, spec string, code int, want string) exchange {
	return exchange{method: "POST", path: accountsPath + "/" + account + "/token", body: `{"spec":` + spec + `}`,
		code: code, want: want}
}

func TestTokenRequests(t *testing.T) {
	s := newTokenServer(t)
	ref := func(kind, more string) string {
		return `{"boundObjectRef":{"apiVersion":"v1","kind":"` + kind + `","name":"x"` + more + `}}`
	}
	named := tokenRequest("robot", "{}", 422,
		`TokenRequest.authentication.k8s.io \"robot\" is invalid: metadata.name: Invalid value: \"other\": must match `+
			`the service account name if specified`)
	named.body = `{"metadata":{"name":"other"}}`
	uid := tokenRequest("robot", "{}", 409,
		`Operation cannot be fulfilled on TokenRequest.authentication.k8s.io \"robot\": the UID in the token request (u) `+
			`does not match the UID of the service account (`)
	uid.body = `{"metadata":{"uid":"u"}}`
	namespace := tokenRequest("robot", "{}", 400,
		"the namespace of the provided object does not match the namespace sent on the request")
	namespace.body = `{"metadata":{"namespace":"other"}}`
	elsewhere := tokenRequest("robot", "{}", 404, `namespaces \"nowhere\" not found`)
	elsewhere.path = strings.Replace(elsewhere.path, "default", "nowhere", 1)
	run(t, s, []exchange{
		tokenRequest("robot", `{}`, 201,
			`"audiences":["https://kubernetes.default.svc.cluster.local"],"expirationSeconds":3600,"boundObjectRef":null}`),
		tokenRequest("robot", `{}`, 201, `"expirationTimestamp":"2026-11-20T13:00:00Z"`),
		tokenRequest("robot", `{"expirationSeconds":600,"audiences":["vault"]}`, 201,
			`"audiences":["vault"],"expirationSeconds":600`),
		tokenRequest("robot", `{}`, 201, `"managedFields":[{"manager":"unknown","operation":"Update",`+
			`"apiVersion":"authentication.k8s.io/v1","time":"2026-11-20T12:00:00Z","fieldsType":"FieldsV1",`+
			`"fieldsV1":{"f:spec":{"f:expirationSeconds":{}}},"subresource":"token"}]`),
		tokenRequest("robot", `{"audiences":["vault"]}`, 201, `{"f:spec":{"f:audiences":{},"f:expirationSeconds":{}}}`),
		tokenRequest("robot", `{"expirationSeconds":599}`, 422,
			`TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: Invalid value: 599: may not `+
				`specify a duration less than 10 minutes`),
		tokenRequest("robot", `{"expirationSeconds":4294967297}`, 422, "may not specify a duration larger than 2^32 seconds"),
		tokenRequest("nobody", `{}`, 404, `serviceaccounts \"nobody\" not found`),
		tokenRequest("robot", ref("Pod", ""), 201, `"token":"`),
		tokenRequest("robot", ref("Secret", ""), 201, `"token":"`),
		tokenRequest("robot", ref("Node", ""), 201, `"token":"`),
		tokenRequest("robot", ref("ConfigMap", ""), 400, "cannot bind token to object of type /v1, Kind=ConfigMap"),
		tokenRequest("robot", ref("Pod", `,"uid":"u"`), 409,
			`Operation cannot be fulfilled on Pod \"x\": the UID in the bound object reference (u) does not match the UID `+
				`in record.`),
		tokenRequest("robot", `{"boundObjectRef":{"apiVersion":"v1","kind":"Pod","name":"y"}}`, 404, `pods \"y\" not found`),
		named, uid, namespace, elsewhere,
		{method: "GET", path: accountsPath + "/robot/token", code: 405},
	})
	setUp(t, s, exchange{method: "POST", path: accountsPath, body: `{"metadata":{"name":"other"}}`})
	run(t, s, []exchange{tokenRequest("other", ref("Pod", ""), 400,
		`cannot bind token for serviceaccount \"other\" to pod running with different serviceaccount name.`)})
}

func TestTokensAreVerified(t *testing.T) {
	s := newTokenServer(t)
	v := serviceaccount.Verifier{Issuer: s.Tokens, Lookup: s.Registry.Lookup}
	w := tokenRequest("robot", `{"expirationSeconds":3607,"boundObjectRef":{"apiVersion":"v1","kind":"Pod","name":"x"}}`,
		0, "").do(s)
	var answer struct {
		Status struct{ Token, ExpirationTimestamp string }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusCreated {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if at := answer.Status.ExpirationTimestamp; at != "2026-11-20T13:00:07Z" {
		t.Errorf("the token says that it expires at %s", at)
	}
	u, _, err := v.Verify(answer.Status.Token)
	if err != nil || u.Name != "system:serviceaccount:default:robot" ||
		u.Extra["authentication.kubernetes.io/node-uid"] == nil {
		t.Errorf("%+v, %v", u, err)
	}
	if c, _ := s.Tokens.Verify(answer.Status.Token); c == nil || c.Expires.Sub(c.Issued).Hours() != 365*24 {
		t.Errorf("a token as volumes have it is %+v", c)
	}
	setUp(t, s, exchange{method: "DELETE", path: podsPath + "/x?gracePeriodSeconds=0"})
	if _, _, err := v.Verify(answer.Status.Token); err == nil {
		t.Error("the token outlives its pod")
	}
}
