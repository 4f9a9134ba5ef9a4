package serviceaccount

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/auth"
)

// A Ref names an object that a token is bound to.
type Ref struct {
	Name string `json:"name"`
	UID  string `json:"uid"`
}

// Claims are the claims of a token.
type Claims struct {
	// Namespace and Account identify the service account.
	Namespace string
	Account   Ref
	Audiences []string
	// Pod, Secret and Node are the objects that the token is bound to: one of them, or a pod and its
	// node. It is invalid once they are deleted.
	Pod, Secret, Node *Ref
	// ID is the unique id of the token. Issue sets it, and the times.
	ID               string
	Issued, Expires  time.Time
	WarnAfterSeconds int64
}

// An Issuer issues tokens and verifies them. Its fields up to NewID are required. It is safe for concurrent
// use.
type Issuer struct {
	// URL is the issuer claim of its tokens.
	URL string
	// Seed is the seed of the signing key. It is called once, for the first token.
	Seed func() []byte
	// Now is the time of the cluster.
	Now func() time.Time
	// NewID makes a uid.
	NewID func() string
	// Settings are those of the host.
	Settings

	once sync.Once
	own  *secretKey
}

// Issue issues a token that is valid for some time from now.
func (i *Issuer) Issue(c Claims, lifetime time.Duration) string {
	keys := i.keys()
	now := i.Now()
	names := map[string]any{"namespace": c.Namespace, "serviceaccount": c.Account.tree()}
	for name, ref := range map[string]*Ref{"pod": c.Pod, "secret": c.Secret, "node": c.Node} {
		if ref != nil {
			names[name] = ref.tree()
		}
	}
	if c.WarnAfterSeconds != 0 {
		names["warnafter"] = now.Unix() + c.WarnAfterSeconds
	}
	signed := encodePart(map[string]any{"alg": keys.Algorithm(), "kid": keys.ID()}) + "." + encodePart(map[string]any{
		"iss": i.URL, "sub": auth.ServiceAccountName(c.Namespace, c.Account.Name), "aud": c.Audiences, "jti": i.NewID(),
		"iat": now.Unix(), "nbf": now.Unix(), "exp": now.Add(lifetime).Unix(),
		"kubernetes.io": names,
	})
	return signed + "." + base64.RawURLEncoding.EncodeToString(keys.Sign(signed))
}

// tree returns the reference as a claim; a node that does not exist has no uid.
func (r Ref) tree() map[string]any {
	tree := map[string]any{"name": r.Name}
	if r.UID != "" {
		tree["uid"] = r.UID
	}
	return tree
}

// leeway is the allowed difference between the clocks of issuer and verifier.
const leeway = time.Minute

// The errors of kube-apiserver for invalid tokens.
var (
	errSignature = errors.New("go-jose/go-jose: error in cryptographic primitive")
	errExpired   = errors.New("service account token has expired")
	errEarly     = errors.New("service account token is not valid yet")
	errFuture    = errors.New("service account token is issued in the future")
	errVoid      = errors.New("service account token has been invalidated")
)

// Verify verifies a token. Claims are nil if the issuer did not issue it; the error says why one that
// it did issue is not valid at present. It does not check whether the bound objects still exist:
// Verifier does.
func (i *Issuer) Verify(token string) (*Claims, error) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return nil, nil
	}
	var header struct{ Alg string }
	var payload struct {
		Issuer   string   `json:"iss"`
		Audience []string `json:"aud"`
		ID       string   `json:"jti"`
		Expires  int64    `json:"exp"`
		Before   int64    `json:"nbf"`
		Issued   int64    `json:"iat"`
		Names    struct {
			Namespace string `json:"namespace"`
			Account   Ref    `json:"serviceaccount"`
			Pod       *Ref   `json:"pod"`
			Secret    *Ref   `json:"secret"`
			Node      *Ref   `json:"node"`
		} `json:"kubernetes.io"`
	}
	if decodePart(parts[0], &header) != nil || decodePart(parts[1], &payload) != nil || !i.isIssuer(payload.Issuer) {
		return nil, nil
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil || !i.keys().Verify(header.Alg, parts[0]+"."+parts[1], signature) {
		return nil, errSignature
	}
	switch now := i.Now(); {
	case now.Add(leeway).Before(time.Unix(payload.Before, 0)):
		return nil, errEarly
	case now.Add(-leeway).After(time.Unix(payload.Expires, 0)):
		return nil, errExpired
	case now.Add(leeway).Before(time.Unix(payload.Issued, 0)):
		return nil, errFuture
	}
	n := payload.Names
	return &Claims{
		Namespace: n.Namespace, Account: n.Account, Audiences: payload.Audience, Pod: n.Pod, Secret: n.Secret, Node: n.Node,
		ID: payload.ID, Issued: time.Unix(payload.Issued, 0), Expires: time.Unix(payload.Expires, 0),
	}, nil
}

func encodePart(part map[string]any) string {
	text, err := json.Marshal(part)
	if err != nil {
		panic("serviceaccount: " + err.Error()) // texts and numbers only
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

func decodePart(part string, into any) error {
	text, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}
