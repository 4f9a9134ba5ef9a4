package check

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/status"
	"github.com/tabernetes/tabernetes/devserver/internal/cluster"
	"github.com/tabernetes/tabernetes/devserver/internal/seed"
)

// query is that of kubectl apply --server-side.
var query = queryOf("")

// queryOf returns the query of a field manager; an empty one is kubectl.
func queryOf(manager string) string {
	return "fieldManager=" + url.QueryEscape(cmp.Or(manager, "kubectl")) + "&fieldValidation=Strict"
}

const (
	// settleTime is how long the server may take to serve what a definition defines, and interval how long to wait
	// before asking again.
	settleTime = 10 * time.Second
	interval   = time.Millisecond
)

// A server is what manifests are applied to.
type server struct {
	seed.Client
	cluster *core.Cluster
	// skip is whether custom resources without a definition are skipped.
	skip bool
	// dry is whether what send sends changes nothing.
	dry bool
	// refused are the definitions and namespaces that were.
	refused []*manifest
	// kinds are the versions in which each kind is served, as of the first that was not.
	kinds map[string][]string
}

func newServer() (*server, error) {
	c, err := cluster.Open(cluster.Options{Controllers: true, Build: "check"})
	if err != nil {
		return nil, err
	}
	return &server{Client: seed.Client{API: c}, cluster: c}, nil
}

// apply applies a manifest, and returns what is wrong with it.
func (s *server) apply(ctx context.Context, m *manifest) (Outcome, []Finding, error) {
	t, err := s.Find(ctx, m.APIVersion, m.Kind)
	if err != nil {
		return "", nil, err
	}
	if t == nil {
		return s.unknown(ctx, m)
	}
	dry := calls[m.kind()]
	d := m.definition
	convert := d != nil && d.Spec.Conversion.Strategy == "Webhook"
	a, err := s.write(ctx, t, m, m.body, dry || convert)
	if err != nil {
		return "", nil, err
	}
	findings := warnings(m, a)
	if a.Code >= http.StatusBadRequest {
		refusals, err := s.allUnknown(ctx, t, m, s.refusals(m, a))
		if err != nil {
			return "", nil, err
		}
		findings = append(findings, refusals...)
		m.refused = true
		if d != nil || m.is("", "Namespace") {
			s.refused = append(s.refused, m)
		}
		return Refused, findings, nil
	}
	if convert {
		if _, err := s.write(ctx, t, m, withoutConversion(m.body), false); err != nil {
			return "", nil, err
		}
	}
	if d != nil || m.is("", "ResourceQuota") {
		wrong, err := s.settle(ctx, t, m)
		if wrong != "" {
			m.refused = true
			s.refused = append(s.refused, m)
			return Refused, append(findings, m.finding(Error, "spec.names", wrong)), err
		}
		return Accepted, findings, err
	}
	return Accepted, findings, nil
}

// write applies or creates an object.
func (s *server) write(ctx context.Context, t *seed.ResourceType, m *manifest, body []byte, dry bool) (
	*cluster.Answer, error) {
	method, name := http.MethodPatch, m.Name
	if m.created {
		method, name = http.MethodPost, ""
	}
	path := t.Path(m.APIVersion, cmp.Or(m.Namespace, "default"), name) + "?" + query
	if dry {
		path += "&dryRun=All"
	}
	return s.Do(ctx, method, path, body)
}

// allUnknown returns findings with all the fields that a type does not have: server-side apply reports one of
// several, a different one each time, and a create reports them all.
func (s *server) allUnknown(ctx context.Context, t *seed.ResourceType, m *manifest, findings []Finding) (
	[]Finding, error) {
	one := slices.IndexFunc(findings, func(f Finding) bool { return f.Message == undeclared })
	if one < 0 {
		return findings, nil
	}
	path := t.Path(m.APIVersion, cmp.Or(m.Namespace, "default"), "") + "?" + query + "&dryRun=All"
	a, err := s.Do(ctx, http.MethodPost, path, m.body)
	if err != nil {
		return nil, err
	}
	var unknown []Finding
	for _, f := range s.refusals(m, a) {
		if strings.HasPrefix(f.Message, "unknown field") {
			f.Reason, f.Code = findings[one].Reason, findings[one].Code
			unknown = append(unknown, f)
		}
	}
	if len(unknown) == 0 {
		return findings, nil
	}
	findings = slices.DeleteFunc(findings, func(f Finding) bool { return f.Message == undeclared })
	return append(findings, unknown...), nil
}

// drop deletes the object of a manifest, so that another one of its name, from a separate environment perhaps, is
// checked by itself. What others need stays.
func (s *server) drop(ctx context.Context, m *manifest) error {
	t, err := s.Find(ctx, m.APIVersion, m.Kind)
	if err != nil || t == nil || m.definition != nil || m.is("", "Namespace") {
		return err
	}
	path := t.Path(m.APIVersion, cmp.Or(m.Namespace, "default"), m.Name)
	body := strings.NewReader(`{"metadata":{"finalizers":null}}`)
	r, err := http.NewRequestWithContext(ctx, http.MethodPatch, path, body)
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/merge-patch+json")
	if cluster.Ask(s.API, r).Code == http.StatusNotFound {
		return nil
	}
	_, err = s.Do(ctx, http.MethodDelete, path+"?gracePeriodSeconds=0&propagationPolicy=Background", nil)
	return err
}

// withoutConversion returns a definition that does not call a webhook.
func withoutConversion(body []byte) []byte {
	var d map[string]any
	if json.Unmarshal(body, &d) != nil {
		return body // which was a definition
	}
	if spec, ok := d["spec"].(map[string]any); ok {
		delete(spec, "conversion")
	}
	text, err := json.Marshal(d)
	if err != nil {
		return body // which has come from JSON
	}
	return text
}

// settle waits until what a definition defines is served, or a quota is measured. It returns why that will not
// happen, or "".
func (s *server) settle(ctx context.Context, t *seed.ResourceType, m *manifest) (wrong string, err error) {
	for deadline := time.Now().Add(settleTime); time.Now().Before(deadline); {
		a, err := s.Do(ctx, http.MethodGet, t.Path(m.APIVersion, cmp.Or(m.Namespace, "default"), m.Name), nil)
		if err != nil {
			return "", err
		}
		var o struct {
			Spec struct {
				Hard map[string]any
			}
			Status struct {
				Hard       map[string]any
				Conditions []struct{ Type, Status, Message string }
			}
		}
		if err := json.Unmarshal(a.Body.Bytes(), &o); err != nil {
			return "", err
		}
		if m.Kind == "ResourceQuota" && len(o.Status.Hard) == len(o.Spec.Hard) {
			return "", nil
		}
		for _, c := range o.Status.Conditions {
			switch {
			case c.Type == "NamesAccepted" && c.Status == "False":
				return c.Message, nil
			case c.Type == "Established" && c.Status == "True":
				return "", nil
			}
		}
		if err := clock.Sleep(ctx, clock.Real(), interval); err != nil {
			return "", err
		}
	}
	return "", fmt.Errorf("%s:%d: %s: the server did not put it into effect within %v", m.in.file, m.line(""), m.Object,
		settleTime)
}

// unknown returns what is wrong with a manifest whose kind is not served.
func (s *server) unknown(ctx context.Context, m *manifest) (Outcome, []Finding, error) {
	m.refused = true
	f := m.finding(Error, "", fmt.Sprintf("no matches for kind %q in version %q", m.Kind, m.APIVersion))
	f.Line, f.Reason, f.Code = m.line("apiVersion"), string(status.NotFound), http.StatusNotFound
	for _, r := range s.refused {
		if d := r.definition; d != nil && d.Spec.Group == m.group() && d.Spec.Names.Kind == m.Kind {
			f.Message += fmt.Sprintf("; its definition is refused (%s:%d)", r.in.file, r.line(""))
			return Refused, []Finding{f}, nil
		}
	}
	if err := s.discover(ctx); err != nil {
		return "", nil, err
	}
	switch versions := s.kinds[m.Kind]; {
	case len(versions) > 0:
		f.Message += "; it is served in " + strings.Join(versions, ", ")
	case !strings.Contains(m.group(), "."):
	case s.skip:
		return Skipped, nil, nil
	default:
		f.Message += "; if a definition has it, name its file or directory by --crds"
	}
	return Refused, []Finding{f}, nil
}

// discover fills in kinds.
func (s *server) discover(ctx context.Context) error {
	if s.kinds != nil {
		return nil
	}
	s.kinds = map[string][]string{}
	for _, root := range []string{"/api", "/apis"} {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, root, nil)
		if err != nil {
			return err
		}
		r.Header.Set("Accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
		var all struct {
			Items []struct {
				Metadata struct{ Name string }
				Versions []struct {
					Version   string
					Resources []struct{ ResponseKind struct{ Kind string } }
				}
			}
		}
		if err := json.Unmarshal(cluster.Ask(s.API, r).Body.Bytes(), &all); err != nil {
			return err
		}
		for _, group := range all.Items {
			for _, v := range group.Versions {
				version := strings.TrimPrefix(group.Metadata.Name+"/"+v.Version, "/")
				for _, resource := range v.Resources {
					if name := resource.ResponseKind.Kind; !slices.Contains(s.kinds[name], version) {
						s.kinds[name] = append(s.kinds[name], version)
					}
				}
			}
		}
	}
	return nil
}

// refusals returns what an answer says is wrong with a manifest.
func (s *server) refusals(m *manifest, a *cluster.Answer) []Finding {
	var answer status.Status
	if json.Unmarshal(a.Body.Bytes(), &answer) != nil || answer.Message == "" {
		answer = status.Status{Message: strings.TrimSpace(a.Body.String()), Code: a.Code}
	}
	all := problems(m, &answer)
	for i := range all {
		all[i].Reason, all[i].Code = string(answer.Reason), a.Code
	}
	if answer.Reason != status.NotFound || answer.Details == nil || answer.Details.Kind != "namespaces" {
		return all
	}
	all[0].Line = m.line("metadata.namespace")
	for _, r := range s.refused {
		if r.Kind == "Namespace" && r.Name == m.Namespace {
			all[0].Message += fmt.Sprintf("; it is refused (%s:%d)", r.in.file, r.line(""))
		}
	}
	return all
}

// warnings returns what the server warns of.
func warnings(m *manifest, a *cluster.Answer) (all []Finding) {
	for _, header := range a.Header().Values("Warning") {
		// As in: 299 - "text"
		if _, quoted, ok := strings.Cut(header, " - "); ok {
			if text, err := strconv.Unquote(quoted); err == nil {
				header = text
			}
		}
		field, message := split(header)
		all = append(all, m.finding(Warning, field, message))
	}
	return all
}
