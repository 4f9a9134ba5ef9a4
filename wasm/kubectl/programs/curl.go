package programs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// CommandHeader says which command of a terminal a request belongs to. The host takes it off.
const CommandHeader = "Tabernetes-Command"

// Exit statuses of curl.
const (
	curlUsage   = 2
	curlResolve = 6
	curlConnect = 7
	curlFailed  = 22
	curlWrite   = 23
	curlRead    = 26
	curlTimeout = 28
)

// A curler is one run of curl.
type curler struct {
	*Call
	o    options
	base *url.URL // the cluster's
}

// A curlError is an error with the exit status that curl has for it.
type curlError struct {
	status int
	text   string
}

func (e curlError) Error() string { return fmt.Sprintf("(%d) %s", e.status, e.text) }

// curl sends requests to the cluster.
func curl(c *Call) int {
	o, ok := c.options("X: request=X d: data=d data-ascii=d data-raw: data-binary: data-urlencode: H: header=H " +
		"i include=i show-headers=i s silent=s S show-error=S v verbose=v N no-buffer=N o: output=o O remote-name=O " +
		"k insecure=k L location=L json: I head=I w: write-out=w G get=G f fail=f fail-with-body url-query: url: " +
		"m: max-time=m connect-timeout: A: user-agent=A u: user=u oauth2-bearer: T: upload-file=T cacert: cert: E=cert " +
		"key: compressed no-progress-meter # progress-bar http1.1 http2")
	if !ok {
		return curlUsage
	}
	urls := append(o.values["url"], o.rest...)
	if len(urls) == 0 {
		return c.curlFail(curlError{curlUsage, "no URL specified: curl /api/v1/pods asks the cluster for its pods"},
			false)
	}
	g := &curler{Call: c, o: o}
	var err error
	if g.base, err = url.Parse(c.getenv("KUBERNETES_MASTER")); err != nil || g.base.Host == "" {
		return c.curlFail(curlError{curlConnect, "KUBERNETES_MASTER does not say where the cluster is"}, false)
	}
	status := 0
	for _, u := range urls {
		if err := g.send(u); err != nil {
			status = c.curlFail(err, o.has("s") && !o.has("S"))
		}
	}
	return status
}

// curlFail says why curl fails, and returns its exit status.
func (c *Call) curlFail(err error, silent bool) int {
	failed := curlError{status: 1, text: err.Error()}
	_ = errors.As(err, &failed)
	if !silent {
		c.complain("%v", failed)
	}
	return failed.status
}

// own are names by which people reach a cluster: here they all mean the one of the tab.
var own = []string{"localhost", "127.0.0.1", "::1", "kubernetes", "kubernetes.default", "kubernetes.default.svc",
	"kubernetes.default.svc.cluster.local"}

// target returns the URL that a request goes to: a path alone is one of the cluster.
func (g *curler) target(text string) (*url.URL, error) {
	if !strings.HasPrefix(text, "/") && !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, curlError{3, "URL rejected: " + err.Error()}
	}
	if u.Host != "" && u.Host != g.base.Host && !slices.Contains(own, u.Hostname()) {
		return nil, curlError{curlResolve, "Could not resolve host: " + u.Hostname() +
			": from here only the cluster of the page can be reached, by its paths (curl /api) or as localhost"}
	}
	u.Scheme, u.Host, u.User = g.base.Scheme, g.base.Host, nil
	if u.Path == "" {
		u.Path = "/"
	}
	for _, pair := range g.o.values["url-query"] {
		addQuery(u, escapedPair(pair))
	}
	return u, nil
}

// addQuery adds a part to a URL's query.
func addQuery(u *url.URL, part string) {
	if u.RawQuery != "" {
		u.RawQuery += "&"
	}
	u.RawQuery += part
}

// escapedPair returns "name=value" with the value escaped, as --data-urlencode has it.
func escapedPair(pair string) string {
	if name, value, ok := strings.Cut(pair, "="); ok {
		return strings.TrimPrefix(name+"="+url.QueryEscape(value), "=")
	}
	return url.QueryEscape(pair)
}

// send sends one request, and prints the answer.
func (g *curler) send(text string) error {
	u, err := g.target(text)
	if err != nil {
		return err
	}
	request, err := g.request(u)
	if err != nil {
		return err
	}
	ctx := g.ctx
	if g.o.has("m") {
		seconds, err := strconv.ParseFloat(g.o.value("m", ""), 64)
		if err != nil {
			return curlError{curlUsage, "option -m: expected a number"}
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(seconds*float64(time.Second)))
		defer cancel()
	}
	start := time.Now()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if g.o.has("L") {
		client.CheckRedirect = nil
	}
	g.verboseRequest(request)
	answer, err := client.Do(request.WithContext(ctx))
	if err != nil {
		return connectError(ctx, g.ctx, u, err)
	}
	// Closing the body ends a read of it; that the context ends does not, in a browser.
	stop := context.AfterFunc(ctx, func() { _ = answer.Body.Close() })
	defer stop()
	defer func() { _ = answer.Body.Close() }()
	g.verboseAnswer(answer)
	written, err := g.answer(u, answer)
	if err == nil && ctx.Err() != nil && g.ctx.Err() == nil {
		err = curlError{curlTimeout, "Operation timed out"}
	}
	if format := g.o.value("w", ""); format != "" {
		g.printf("%s", writeOut(format, map[string]string{
			"http_code": fmt.Sprintf("%03d", answer.StatusCode), "response_code": fmt.Sprintf("%03d",
				answer.StatusCode),
			"content_type": answer.Header.Get("Content-Type"), "size_download": strconv.FormatInt(written, 10),
			"url_effective": u.String(), "url": text, "method": request.Method,
			"time_total": fmt.Sprintf("%.6f", time.Since(start).Seconds()),
		}))
	}
	return err
}

// connectError says why there is no answer.
func connectError(ctx, whole context.Context, u *url.URL, err error) error {
	switch {
	case whole.Err() != nil:
		return curlError{interrupted, "interrupted"}
	case ctx.Err() != nil:
		return curlError{curlTimeout, "Operation timed out"}
	}
	var failed *url.Error
	if errors.As(err, &failed) {
		err = failed.Err
	}
	return curlError{curlConnect, fmt.Sprintf("Failed to connect to %s: %v", u.Host, err)}
}

// request makes the request that the flags say.
func (g *curler) request(u *url.URL) (*http.Request, error) {
	o := g.o
	data, given, kind, err := g.data()
	if err != nil {
		return nil, err
	}
	method := http.MethodGet
	switch {
	case o.has("I"):
		method = http.MethodHead
	case o.has("T"):
		method = http.MethodPut
	case given && o.has("G"):
		addQuery(u, string(data))
		data, given, kind = nil, false, ""
	case given:
		method = http.MethodPost
	}
	request, err := http.NewRequest(o.value("X", method), u.String(), nil)
	if err != nil {
		return nil, curlError{curlUsage, err.Error()}
	}
	if given {
		request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
	}
	header := request.Header
	header.Set("Accept", "*/*")
	if o.has("json") {
		header.Set("Accept", "application/json")
	}
	if kind != "" {
		header.Set("Content-Type", kind)
	}
	if token := o.value("oauth2-bearer", ""); token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	if user := o.value("u", ""); user != "" {
		name, password, _ := strings.Cut(user, ":")
		request.SetBasicAuth(name, password)
	}
	if agent := o.value("A", ""); agent != "" {
		header.Set("User-Agent", agent)
	}
	for _, line := range o.values["H"] {
		name, value, ok := strings.Cut(line, ":")
		if value = strings.TrimSpace(value); !ok || value == "" {
			header.Del(strings.TrimSuffix(name, ";"))
		} else {
			header.Set(strings.TrimSpace(name), value)
		}
	}
	if n, k := g.getenv("TABERNETES_SESSION"), g.getenv("TABERNETES_COMMAND"); n != "" && k != "" {
		header.Set(CommandHeader, n+"/"+k)
	}
	return request, nil
}

// data returns the body that the flags give, and its type.
func (g *curler) data() (data []byte, given bool, kind string, err error) {
	var parts []string
	add := func(flag string, convert func(string) (string, error)) {
		for _, value := range g.o.values[flag] {
			part, failed := convert(value)
			err = errors.Join(err, failed)
			parts, given = append(parts, part), true
		}
	}
	read := func(name string) (string, error) {
		r, err := g.open(name)
		if err != nil {
			return "", curlError{curlRead, "Failed to open " + name + ": " + Reason(err)}
		}
		defer func() { _ = r.Close() }()
		text, err := io.ReadAll(r)
		return string(text), err
	}
	whole := func(value string) (string, error) {
		if name, ok := strings.CutPrefix(value, "@"); ok {
			return read(name)
		}
		return value, nil
	}
	add("d", func(value string) (string, error) {
		text, err := whole(value)
		if strings.HasPrefix(value, "@") {
			text = strings.NewReplacer("\n", "", "\r", "").Replace(text)
		}
		return text, err
	})
	add("data-binary", whole)
	add("data-raw", func(value string) (string, error) { return value, nil })
	add("data-urlencode", func(value string) (string, error) { return escapedPair(value), nil })
	kind = "application/x-www-form-urlencoded"
	text := strings.Join(parts, "&")
	if g.o.has("json") {
		parts = nil
		add("json", whole)
		text, kind = text+strings.Join(parts, ""), "application/json"
	}
	if name := g.o.value("T", ""); name != "" {
		text, err = read(name)
		given, kind = true, ""
	}
	if !given {
		kind = ""
	}
	return []byte(text), given, kind, err
}
