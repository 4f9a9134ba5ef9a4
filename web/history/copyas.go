package history

import (
	"encoding/json"
	"strings"

	"github.com/tabernetes/tabernetes/web/tap"
)

// Call is a request as it is made again elsewhere.
type Call struct {
	Method string
	URL    string // path and query
	Header []tap.Field
	Body   string
}

// CallOf returns an entry's request.
func CallOf(e *tap.Exchange) Call { return Call{e.Method, e.URL, e.Header, e.Body} }

// headers returns those that the request needs: what every client sends by itself
// is left out.
func (c Call) headers() []tap.Field {
	var out []tap.Field
	for _, f := range c.Header {
		switch strings.ToLower(f.Name) {
		case "user-agent", "content-length", "accept-encoding", "host", "connection", "origin", "referer":
		case "accept":
			if f.Value != "*/*" {
				out = append(out, f)
			}
		default:
			out = append(out, f)
		}
	}
	return out
}

// A Server is where a copied command sends its request.
type Server struct {
	Origin string // as in http://127.0.0.1:8080
	// InTab says that the request itself went to the cluster in a browser tab, which
	// no command reaches: Origin is another cluster's.
	InTab bool
}

// note returns the comment above a command that asks another cluster.
func (s Server) note(tool string) string {
	if !s.InTab {
		return ""
	}
	return "# The request went to the cluster inside a browser tab, which " + tool +
		" cannot reach. This asks a devserver's cluster.\n"
}

// Curl returns a shell command that makes the request.
func (c Call) Curl(server Server) string { return server.note("curl") + c.curl(server.Origin) }

func (c Call) curl(server string) string {
	var b strings.Builder
	b.WriteString("curl")
	if tap.Classify(c.Method, c.URL).Verb == "watch" {
		b.WriteString(" -N")
	}
	if c.Method != "GET" && !(c.Method == "POST" && c.Body != "") {
		b.WriteString(" -X " + shell(c.Method))
	}
	b.WriteString(" " + shell(server+c.URL))
	for _, f := range c.headers() {
		b.WriteString(" \\\n  -H " + shell(f.Name+": "+f.Value))
	}
	if c.Body != "" {
		b.WriteString(" \\\n  --data-binary " + shell(c.Body))
	}
	return b.String()
}

// Fetch returns a JavaScript expression that makes the request in this page.
func (c Call) Fetch() string {
	var b strings.Builder
	b.WriteString("await fetch(" + quote(c.URL))
	headers := c.headers()
	if c.Method != "GET" || c.Body != "" || len(headers) > 0 {
		b.WriteString(", {\n")
		if c.Method != "GET" {
			b.WriteString("  method: " + quote(c.Method) + ",\n")
		}
		if len(headers) > 0 {
			b.WriteString("  headers: {\n")
			for _, f := range headers {
				b.WriteString("    " + quote(f.Name) + ": " + quote(f.Value) + ",\n")
			}
			b.WriteString("  },\n")
		}
		if c.Body != "" {
			b.WriteString("  body: " + quote(c.Body) + ",\n")
		}
		b.WriteString("}")
	}
	b.WriteString(")")
	return b.String()
}

// Kubectl returns the kubectl command for the request. Where kubectl has a command
// that asks for the same it is that one, otherwise the request as it is with
// --raw, or a command that comes close, with a comment that says so.
func (c Call) Kubectl(server Server) string { return server.note("kubectl") + c.kubectl(server.Origin) }

func (c Call) kubectl(server string) string {
	base := "kubectl --server " + shell(server)
	i := tap.Classify(c.Method, c.URL)
	what := i.GroupResource()
	if i.Name != "" {
		what += "/" + i.Name
	}
	where := ""
	switch {
	case i.Namespace != "":
		where = " -n " + shell(i.Namespace)
	case i.Resource != "" && i.Name == "" && !clusterScoped(i.Resource):
		where = " -A"
	}
	input := func(command string) string {
		return command + " -f - <<'EOF'\n" + strings.TrimSuffix(c.Body, "\n") + "\nEOF"
	}
	raw := shell(c.URL)
	if i.Resource != "" && i.Subresource == "" {
		switch i.Verb {
		case "get":
			if len(i.Query) == 0 {
				return base + " get " + shell(what) + where + " -o json"
			}
		case "list":
			if flags, all := selectorFlags(i); all {
				return base + " get " + shell(what) + where + flags
			}
		case "delete":
			if len(i.Query) == 0 && c.Body == "" {
				return base + " delete " + shell(what) + where
			}
		case "deletecollection":
			if flags, all := selectorFlags(i); all && c.Body == "" && where != " -A" {
				if flags == "" {
					flags = " --all"
				}
				return base + " delete " + shell(what) + where + flags
			}
		}
	}
	switch i.Verb {
	case "get", "list", "watch":
		return base + " get --raw " + raw
	case "create", "post":
		if c.Body == "" {
			return base + " create --raw " + raw + " -f /dev/null"
		}
		return input(base + " create --raw " + raw)
	case "update", "put":
		return input(base + " replace --raw " + raw)
	case "delete", "deletecollection":
		if c.Body == "" {
			return base + " delete --raw " + raw
		}
		return input(base + " delete --raw " + raw)
	case "patch":
		kind, flags := "merge", ""
		if manager := i.Query.Get("fieldManager"); manager != "" {
			flags = " --field-manager " + shell(manager)
		}
		if i.Query.Get("dryRun") != "" {
			flags += " --dry-run=server"
		}
		switch content := tap.Get(c.Header, "content-type"); {
		case strings.Contains(content, "json-patch+json"):
			kind = "json"
		case strings.Contains(content, "strategic"):
			kind = "strategic"
		case strings.Contains(content, "apply-patch"):
			apply := base + " apply --server-side" + where + flags
			if force := i.Query.Get("force"); force == "true" || force == "1" {
				apply += " --force-conflicts"
			}
			return input(apply)
		}
		sub := ""
		if i.Subresource != "" {
			sub = " --subresource " + shell(i.Subresource)
		}
		return base + " patch " + shell(what) + where + sub + flags + " --type " + kind + " -p " + shell(c.Body)
	}
	return "# kubectl cannot send " + c.Method + " " + c.URL + "\n" + c.curl(server)
}

// selectorFlags writes a list's parameters as kubectl's flags; all is false
// when it has some that kubectl has no flag for.
func selectorFlags(i tap.Info) (flags string, all bool) {
	for _, p := range [...][2]string{{"labelSelector", " -l "}, {"fieldSelector", " --field-selector "},
		{"limit", " --chunk-size "}} {
		if v := i.Query.Get(p[0]); v != "" {
			flags += p[1] + shell(v)
		}
	}
	for name := range i.Query {
		switch name {
		case "labelSelector", "fieldSelector":
		case "limit":
			if i.Verb != "list" {
				return "", false
			}
		default:
			return "", false
		}
	}
	return flags, true
}

// clusterScoped knows the built-in resources without a namespace: it only keeps
// a needless -A out of a command.
func clusterScoped(resource string) bool {
	switch resource {
	case "namespaces", "nodes", "persistentvolumes", "componentstatuses", "apiservices", "customresourcedefinitions",
		"clusterroles", "clusterrolebindings", "storageclasses", "volumeattachments", "csidrivers", "csinodes",
		"priorityclasses",
		"ingressclasses", "runtimeclasses", "flowschemas", "prioritylevelconfigurations", "mutatingwebhookconfigurations",
		"validatingwebhookconfigurations", "validatingadmissionpolicies", "validatingadmissionpolicybindings",
		"certificatesigningrequests", "deviceclasses", "resourceslices", "ipaddresses", "servicecidrs", "controlplanes":
		return true
	}
	return false
}

// shell quotes s for a POSIX shell, if it needs it.
func shell(s string) string {
	plain := s != ""
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
			strings.IndexByte("-_./:,@%+=", c) >= 0) {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// quote returns a JavaScript string. JSON's are, once < is escaped for safety in a page.
func quote(s string) string {
	b, _ := json.Marshal(s)
	out := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(b))
	return out
}
