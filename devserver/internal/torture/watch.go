package torture

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
)

var (
	// errExpired is the error of a watch that cannot continue from its revision.
	errExpired = errors.New("410")
	// errWrong is an answer that no server may give.
	errWrong = errors.New("wrong")
)

// An event is an event of a watch.
type event struct {
	Type string
	Version
	// ends reports whether a bookmark ends the initial events.
	ends bool
}

// watch passes the events of a watch to f, until it ends or f returns an error.
func (s *Server) watch(ctx context.Context, query url.Values, f func(event) error) error {
	query.Set("watch", "1")
	query.Set("allowWatchBookmarks", "true")
	request, err := http.NewRequestWithContext(ctx, "GET", s.URL+collection+"?"+query.Encode(), nil)
	if err != nil {
		return err
	}
	response, err := s.Client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusGone {
		return errExpired
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%w: a watch is answered %s", errStatus, response.Status)
	}
	lines := json.NewDecoder(response.Body)
	for {
		var line struct {
			Type   string
			Object json.RawMessage
		}
		if err := lines.Decode(&line); err != nil {
			return err
		}
		e, err := readEvent(line.Type, line.Object)
		if err != nil {
			return err
		}
		if err := f(e); err != nil {
			return err
		}
	}
}

func readEvent(kind string, object []byte) (e event, err error) {
	e.Type = kind
	switch kind {
	case "ERROR":
		var status struct{ Code int }
		if err := json.Unmarshal(object, &status); err == nil && status.Code == http.StatusGone {
			return e, errExpired
		}
		return e, fmt.Errorf("%w: a watch says %s", errStatus, object)
	case "BOOKMARK":
		var mark struct {
			Metadata struct {
				ResourceVersion string
				Annotations     map[string]string
			}
		}
		if err := json.Unmarshal(object, &mark); err != nil {
			return e, err
		}
		e.ends = mark.Metadata.Annotations["k8s.io/initial-events-end"] == "true"
		e.Revision, err = strconv.ParseInt(mark.Metadata.ResourceVersion, 10, 64)
		return e, err
	case "ADDED", "MODIFIED", "DELETED":
		e.Version, err = parse(object)
		e.Deleted = kind == "DELETED"
		return e, err
	}
	return e, fmt.Errorf("%w: an event of type %q", errWrong, kind)
}
