package console

import (
	"net/url"
	"strings"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/catalog"
)

// isPath reports whether the API server answers a path, which may have a query.
func isPath(path string) bool {
	path, _, _ = strings.Cut(path, "?")
	return wellknown.IsAPI(path)
}

// example is the offer where nothing is known of what was meant.
func example() *app.Request {
	return &app.Request{Method: "GET", Path: "/api/v1/namespaces/default/pods"}
}

// understand reads typed text as the path of a request. If the text is not a path, it returns words that say what to
// type, and an offer of the request that may have been meant.
func understand(typed string, c *catalog.Catalog) (path, words string, offer *app.Request) {
	typed = strings.TrimSpace(typed)
	switch {
	case typed == "":
		return "", "Type the path of a request, such as:", example()
	case typed == "kubectl" || strings.HasPrefix(typed, "kubectl ") || strings.HasPrefix(typed, "k "):
		_, args, _ := strings.Cut(typed, " ")
		if r, ok := translate(strings.Fields(args), c); ok {
			return "", "This console sends requests, not kubectl commands. What kubectl would send:", r
		}
		return "", "This console sends requests, not kubectl commands: type a path, such as:", example()
	case strings.Contains(typed, "://"):
		u, err := url.Parse(typed)
		if err == nil && isPath(u.Path) {
			return "", "Requests go to the cluster that is chosen above: leave out scheme and host.",
				&app.Request{Method: "GET", Path: u.RequestURI()}
		}
		return "", "That is not an API server’s address: type a path, such as:", example()
	}
	if isPath(typed) {
		return typed, "", nil
	}
	if isPath("/" + typed) {
		return "/" + typed, "", nil
	}
	name, query, has := strings.Cut(typed, "?")
	if r, ok := translate(append([]string{"get"}, strings.Split(strings.Trim(name, "/"), "/")...), c); ok {
		if has {
			r.Path += "?" + query
		}
		return "", "The API server answers paths that begin with /api or /apis.", r
	}
	return "", "The API server answers paths that begin with /api or /apis, such as:", example()
}

// translate returns the request that a kubectl command line would send, if one request is enough. It reports false for
// what it does not know.
func translate(args []string, c *catalog.Catalog) (*app.Request, bool) {
	if c == nil {
		return nil, false
	}
	method := "GET"
	namespace, all, watch := "default", false, false
	query := url.Values{}
	var words []string
	for i := 0; i < len(args); i++ {
		flag, value, inline := strings.Cut(args[i], "=")
		next := func() string {
			if !inline && i+1 < len(args) {
				i++
				return args[i]
			}
			return value
		}
		switch flag {
		case "-n", "--namespace":
			namespace = next()
		case "-A", "--all-namespaces":
			all = true
		case "-w", "--watch":
			watch = true
		case "-l", "--selector":
			query.Set("labelSelector", next())
		case "--field-selector":
			query.Set("fieldSelector", next())
		case "-o", "--output", "--chunk-size", "--sort-by":
			next()
		default:
			if strings.HasPrefix(flag, "-") {
				return nil, false
			}
			words = append(words, args[i])
		}
	}
	if len(words) == 0 {
		return nil, false
	}
	switch words[0] {
	case "get", "describe":
	case "delete":
		method = "DELETE"
	case "api-resources", "api-versions":
		return &app.Request{Method: "GET", Path: "/apis"}, true
	case "version":
		return &app.Request{Method: "GET", Path: "/version"}, true
	default:
		return nil, false
	}
	if words = words[1:]; len(words) == 0 {
		return nil, false
	}
	kind, name, _ := strings.Cut(words[0], "/")
	if len(words) > 1 {
		name = words[1]
	}
	r := c.Named(kind)
	if r == nil {
		return nil, false
	}
	if all {
		namespace = ""
	}
	path := r.Collection(namespace)
	switch {
	case name != "" && watch:
		query.Set("fieldSelector", "metadata.name="+name)
		query.Set("watch", "1")
	case name != "":
		path = r.Object(namespace, name)
	case method == "DELETE":
		return nil, false // of a whole collection nobody meant so
	case watch:
		query.Set("watch", "1")
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return &app.Request{Method: method, Path: path}, true
}
