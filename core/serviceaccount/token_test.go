package serviceaccount

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/auth"
)

const issuer = "https://kubernetes.default.svc.cluster.local"

var start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// newIssuer returns an issuer with the clock that the pointer is for.
func newIssuer(seed string, now *time.Time) *Issuer {
	ids := 0
	return &Issuer{
		URL: issuer, Seed: func() []byte { return []byte(seed) }, Now: func() time.Time { return *now },
		NewID: func() string { ids++; return fmt.Sprint("id-", ids) },
	}
}

func issue(t *testing.T, i *Issuer, c Claims) string {
	t.Helper()
	return i.Issue(c, time.Hour)
}

var robot = Claims{Namespace: "ns", Account: Ref{"robot", "u1"}, Audiences: []string{issuer}}

func TestClaimsMatchKubeAPIServer(t *testing.T) {
	now := start
	bound := robot
	bound.Pod, bound.Node, bound.WarnAfterSeconds = &Ref{"p", "u2"}, &Ref{"n", ""}, 60
	token := issue(t, newIssuer("seed", &now), bound)
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
	if err != nil {
		t.Fatal(err)
	}
	want := `{"aud":["` + issuer + `"],"exp":1795179600,"iat":1795176000,"iss":"` + issuer + `","jti":"id-1",` +
		`"kubernetes.io":{"namespace":"ns","node":{"name":"n"},"pod":{"name":"p","uid":"u2"},` +
		`"serviceaccount":{"name":"robot","uid":"u1"},"warnafter":1795176060},` +
		`"nbf":1795176000,"sub":"system:serviceaccount:ns:robot"}`
	if string(payload) != want {
		t.Errorf("got  %s\nwant %s", payload, want)
	}
}

func TestTokensSurviveAReload(t *testing.T) {
	now := start
	token := issue(t, newIssuer("seed", &now), robot)
	c, err := newIssuer("seed", &now).Verify(token)
	if err != nil || c == nil || c.Account != robot.Account || c.Namespace != "ns" || c.ID != "id-1" {
		t.Errorf("an issuer of the same seed says %+v, %v", c, err)
	}
	if c, err := newIssuer("other", &now).Verify(token); c != nil || err != errSignature {
		t.Errorf("an issuer of another seed says %+v, %v", c, err)
	}
}

func TestInvalidTokens(t *testing.T) {
	now := start
	i := newIssuer("seed", &now)
	token := issue(t, i, robot)
	part := strings.Split(token, ".")
	enc := base64.RawURLEncoding.EncodeToString
	payload, _ := base64.RawURLEncoding.DecodeString(part[1])
	forged := enc([]byte(strings.Replace(string(payload), "robot", "admin", 1)))
	elsewhere := newIssuer("seed", &now)
	elsewhere.URL = "https://other.example.com"
	for name, c := range map[string]struct {
		token string
		at    time.Duration
		want  error
		known bool // the token is one of the issuer's
	}{
		"good":            {token, 0, nil, true},
		"at its end":      {token, time.Hour + 59*time.Second, nil, true},
		"expired":         {token, time.Hour + 61*time.Second, errExpired, false},
		"a minute early":  {token, -59 * time.Second, nil, true},
		"from the future": {token, -2 * time.Minute, errEarly, false},
		"other claims":    {part[0] + "." + forged + "." + part[2], 0, errSignature, false},
		"no algorithm":    {enc([]byte(`{"alg":"none"}`)) + "." + part[1] + ".", 0, errSignature, false},
		"cut":             {token[:len(token)-4], 0, errSignature, false},
		"other issuer":    {issue(t, elsewhere, robot), 0, nil, false},
		"no token":        {"abc", 0, nil, false},
		"three words":     {"a.b.c", 0, nil, false},
	} {
		now = start.Add(c.at)
		claims, err := i.Verify(c.token)
		if err != c.want || (claims != nil) != c.known {
			t.Errorf("%s: %+v, %v", name, claims, err)
		}
	}
}

func TestVerifierChecksBoundObjects(t *testing.T) {
	now := start
	i := newIssuer("seed", &now)
	obj := func(uid, deleted string) map[string]any {
		return map[string]any{"metadata": map[string]any{"uid": uid, "deletionTimestamp": deleted}}
	}
	account := obj("u1", "")
	pod, node, secret := robot, robot, robot
	pod.Pod, pod.Node = &Ref{"p", "u2"}, &Ref{"n", "u3"}
	node.Node, secret.Secret = &Ref{"n", "u3"}, &Ref{"s", "u4"}
	for name, c := range map[string]struct {
		claims Claims
		there  map[string]map[string]any
		want   string
	}{
		"unbound":    {robot, map[string]map[string]any{"serviceaccounts/ns/robot": account}, ""},
		"no account": {robot, nil, `serviceaccounts "robot" not found`},
		"another account": {robot, map[string]map[string]any{"serviceaccounts/ns/robot": obj("u9", "")},
			"service account UID (u9) does not match claim (u1)"},
		"account deleted": {robot, map[string]map[string]any{"serviceaccounts/ns/robot": obj("u1", "2026-11-20T11:00:00Z")},
			"service account ns/robot has been deleted"},
		"account just left": {robot, map[string]map[string]any{"serviceaccounts/ns/robot": obj("u1", "2026-11-20T11:59:30Z")},
			""},
		"pod": {pod, map[string]map[string]any{"serviceaccounts/ns/robot": account, "pods/ns/p": obj("u2", "")},
			""},
		"no pod": {pod, map[string]map[string]any{"serviceaccounts/ns/robot": account},
			"service account token has been invalidated"},
		"another pod": {pod, map[string]map[string]any{"serviceaccounts/ns/robot": account, "pods/ns/p": obj("u9", "")},
			"pod UID (u9) does not match service account pod ref claim (u2)"},
		"no node": {node, map[string]map[string]any{"serviceaccounts/ns/robot": account},
			"service account token has been invalidated"},
		"secret deleted": {secret, map[string]map[string]any{"serviceaccounts/ns/robot": account,
			"secrets/ns/s": obj("u4", "2026-11-20T11:00:00Z")}, "service account token has been invalidated"},
	} {
		v := Verifier{Issuer: i, Lookup: func(resource, namespace, name string) map[string]any {
			return c.there[resource+"/"+namespace+"/"+name]
		}}
		u, audiences, err := v.Verify(issue(t, i, c.claims))
		if c.want != "" {
			if err == nil || err.Error() != c.want || u != nil {
				t.Errorf("%s: %v, %v; want %q", name, u, err, c.want)
			}
			continue
		}
		if err != nil || u == nil || u.Name != "system:serviceaccount:ns:robot" || u.UID != "u1" ||
			fmt.Sprint(audiences) != "["+issuer+"]" ||
			fmt.Sprint(u.Groups) != fmt.Sprint(auth.ServiceAccountGroups("ns")) {
			t.Errorf("%s: %+v, %v, %v", name, u, audiences, err)
		}
		if c.claims.Pod != nil && fmt.Sprint(u.Extra["authentication.kubernetes.io/pod-name"]) != "[p]" {
			t.Errorf("%s: the user's extra is %v", name, u.Extra)
		}
	}
}
