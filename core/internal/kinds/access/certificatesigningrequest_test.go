package access

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

const (
	approved = `{"type":"Approved","status":"True","reason":"r","lastUpdateTime":"2026-01-01T00:00:00Z",
		"lastTransitionTime":"2026-01-01T00:00:00Z"}`
	denied = `{"type":"Denied","status":"True"}`
	failed = `{"type":"Failed","status":"True"}`
)

func TestCertificateSigningRequests(t *testing.T) {
	noCertificate := base64.StdEncoding.EncodeToString([]byte("-----BEGIN KEY-----\n-----END KEY-----\n"))
	res := schema.Builtin().Resource("certificates.k8s.io", "v1", "certificatesigningrequests")
	for name, c := range map[string]struct{ subresource, old, obj, want, then string }{
		"approve": {"approval", ``, `"conditions":[{"type":"Approved","status":"True"}]`, "",
			`"lastTransitionTime":"2026-11-20T12:00:00Z"`},
		"approve again": {"approval", `"conditions":[` + approved + `]`,
			`"conditions":[{"type":"Approved","status":"True"}]`, "", `"lastTransitionTime":"2026-01-01T00:00:00Z"`},
		"deny too": {"approval", `"conditions":[` + approved + `]`,
			`"conditions":[` + approved + `,` + denied + `]`,
			`status.conditions: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive`, ""},
		"approve no more": {"approval", `"conditions":[` + approved + `]`, ``,
			`status.conditions: Forbidden: updates may not remove a condition of type "Approved"`, ""},
		"approve not": {"approval", ``, `"conditions":[{"type":"Approved","status":"False"}]`,
			`status.conditions[0].status: Unsupported value: "False": supported values: "True"`, ""},
		"no type": {"approval", ``, `"conditions":[{"type":"","status":"True"}]`,
			`status.conditions[0].type: Required value`, ""},
		"twice": {"approval", ``, `"conditions":[` + failed + `,` + failed + `]`,
			`status.conditions[1].type: Duplicate value: "Failed"`, ""},
		"certificate stays": {"approval", `"certificate":"YQ=="`, `"certificate":"Yg=="`, "", `"certificate":"YQ=="`},
		"approve by status": {"status", ``, `"conditions":[` + approved + `]`,
			`updates may not add a condition of type "Approved"`, ""},
		"change by status": {"status", `"conditions":[` + approved + `]`,
			`"conditions":[{"type":"Approved","status":"True","reason":"other"}]`, "", `"reason":"r"`},
		"fail": {"status", ``, `"conditions":[` + failed + `]`, "", `"lastUpdateTime":"2026-11-20T12:00:00Z"`},
		"fail no more": {"status", `"conditions":[` + failed + `]`, ``,
			`updates may not remove a condition of type "Failed"`, ""},
		"not a certificate": {"status", ``, `"certificate":"YQ=="`,
			`status.certificate: Invalid value: "<certificate data>": must contain at least one CERTIFICATE PEM block`, ""},
		"a key": {"status", ``, `"certificate":"` + noCertificate + `"`,
			`only CERTIFICATE PEM blocks are allowed, found "KEY"`, ""},
		"another one": {"status", `"certificate":"YQ=="`, `"certificate":"Yg=="`,
			"updates may not modify existing certificate content", ""},
		"as bad as before": {"status", `"certificate":"YQ=="`, `"certificate":"YQ==","conditions":[` + failed + `]`, "",
			`"certificate":"YQ=="`},
		"the spec is fixed":  {"approval", ``, ``, "", `"signerName":"a.example.com/x"`},
		"as well for status": {"status", ``, ``, "", `"signerName":"a.example.com/x"`},
	} {
		t.Run(name, func(t *testing.T) {
			decode := func(signer, status string) map[string]any {
				obj, _, err := object.Decode([]byte(`{"metadata":{"name":"n","uid":"u","resourceVersion":"7"},
					"spec":{"signerName":"`+signer+`"},"status":{`+status+`}}`), res.Type())
				if err != nil {
					t.Fatal(err)
				}
				return obj
			}
			obj, old := decode("b.example.com/x", c.obj), decode("a.example.com/x", c.old)
			ctx := &strategy.Context{Now: func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }}
			errs, message := CertificateSigningRequest.UpdateSubresource(ctx, res, c.subresource, obj, old), ""
			if len(errs) > 0 {
				message = errs.Message()
			}
			if (c.want == "") != (message == "") || !strings.Contains(message, c.want) {
				t.Fatalf("got %q, want %q", message, c.want)
			}
			if text := string(object.Encode(nil, obj, res.Type())); !strings.Contains(text, c.then) {
				t.Errorf("got %s, want %s", text, c.then)
			}
		})
	}
}
