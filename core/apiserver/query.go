package apiserver

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/gates"
	"github.com/tabernetes/tabernetes/core/internal/selector"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/status"
)

// query returns the parameters of a request's URL, nil without any.
func query(r *http.Request) url.Values {
	if r.URL.RawQuery == "" {
		return nil
	}
	return r.URL.Query()
}

// queryWith returns the parameters of a request's URL, or nil if one is not among them, which is found out without
// parsing them. A name that is encoded may be any.
func queryWith(r *http.Request, name string) url.Values {
	if r.URL.RawQuery == "" {
		return nil
	}
	for part := range strings.SplitSeq(r.URL.RawQuery, "&") {
		if is, _, _ := strings.Cut(part, "="); is == name || strings.Contains(is, "%") {
			return r.URL.Query()
		}
	}
	return nil
}

// boolParam parses a bool as the API does: everything except "false" and "0" is true, also a name
// without a value.
func boolParam(q url.Values, name string) bool {
	if !q.Has(name) {
		return false
	}
	text := strings.ToLower(q.Get(name))
	return text != "false" && text != "0"
}

func intParam(q url.Values, name string) (int64, error) {
	if !q.Has(name) {
		return 0, nil
	}
	n, err := strconv.ParseInt(q.Get(name), 10, 64)
	if err != nil {
		return 0, status.NewBadRequest(err.Error())
	}
	return n, nil
}

// listOptions parses the options of list, watch and deletecollection, as far as the API server that
// answers knows them.
func listOptions(r *http.Request, i *info, reader registry.Reader) (o registry.ListOptions, err error) {
	q := query(r)
	seconds, err := intParam(q, "timeoutSeconds")
	if err != nil {
		return o, err
	}
	o.Timeout = time.Duration(max(-1, min(seconds, 1<<32))) * time.Second
	ignored := reader.Compatibility()
	if o.Limit, err = intParam(q, "limit"); err != nil && !ignored.IgnoreLimit {
		return o, err
	}
	if o.Labels, err = selector.ParseLabels(q.Get("labelSelector")); err != nil {
		return o, status.NewBadRequest(err.Error())
	}
	if o.Fields, err = selector.ParseFields(q.Get("fieldSelector")); err != nil {
		return o, status.NewBadRequest(err.Error())
	}
	// A path with /watch/ does not make it a watch as far as options are concerned.
	o.Watch = i.verb == "watch" && boolParam(q, "watch")
	o.AllowWatchBookmarks = boolParam(q, "allowWatchBookmarks")
	o.ResourceVersion = q.Get("resourceVersion")
	o.ResourceVersionMatch = q.Get("resourceVersionMatch")
	o.Continue = q.Get("continue")
	if q.Has("sendInitialEvents") {
		send := boolParam(q, "sendInitialEvents")
		o.SendInitialEvents = &send
	}
	on := reader.Settings().Gates
	o = o.Without(ignored, on)
	if err := o.Validate(r.Context(), on); err != nil {
		return o, err
	}
	if o.Fields, err = o.Fields.Transform(registry.FieldsOf(i.Resource).Convert); err != nil {
		return o, status.NewBadRequest(err.Error())
	}
	if text := q.Get("shardSelector"); text != "" && on.Enabled(gates.ShardedListAndWatch) {
		if o.Shard, err = selector.ParseShard(text); err != nil {
			return o, fmt.Errorf("invalid shard selector: %w", err)
		}
	}
	return o, nil
}

const warningPrefix = `299 - "`

// warning returns a Warning header's value (RFC 7234, section 5.5).
func warning(text string) string {
	return warningPrefix + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
