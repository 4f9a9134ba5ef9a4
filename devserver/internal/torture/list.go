package torture

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
)

// list reads the collection in pages of a size, 0 for all at once, at the revision
// that query asks for.
func (s *Server) list(size int, query url.Values) (revision int64, state State, err error) {
	if query == nil {
		query = url.Values{}
	}
	if size > 0 {
		query.Set("limit", strconv.Itoa(size))
	}
	state = State{}
	for {
		body, err := s.get(collection + "?" + query.Encode())
		if err != nil {
			return 0, nil, err
		}
		var page struct {
			Metadata struct{ ResourceVersion, Continue string }
			Items    []json.RawMessage
		}
		if err := json.Unmarshal(body, &page); err != nil {
			return 0, nil, err
		}
		at, err := strconv.ParseInt(page.Metadata.ResourceVersion, 10, 64)
		if err != nil {
			return 0, nil, err
		}
		if revision != 0 && at != revision {
			return 0, nil, fmt.Errorf("%w: a list has a page at revision %d and the next at %d", errWrong, revision, at)
		}
		revision = at
		for _, item := range page.Items {
			v, err := parse(item)
			if err != nil {
				return 0, nil, err
			}
			state[v.Key] = v
		}
		if page.Metadata.Continue == "" {
			return revision, state, nil
		}
		query = url.Values{"limit": {strconv.Itoa(size)}, "continue": {page.Metadata.Continue}}
	}
}

// exactly asks for a list at a revision.
func exactly(revision int64) url.Values {
	return url.Values{"resourceVersion": {strconv.FormatInt(revision, 10)}, "resourceVersionMatch": {"Exact"}}
}
