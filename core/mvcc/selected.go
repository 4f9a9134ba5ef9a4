package mvcc

// selected calls f with the versions of the keys that may match a query by its Terms, from the key from on,
// until f returns false or the page is full; then with the first key after it. It returns false, and does
// nothing, if to look at all keys of the query is as good.
func (w *walk) selected(q *Query, from string, page *Page, f func(string, *Version) bool) bool {
	keys, ok := w.choose(q)
	if !ok {
		return false
	}
	end := ""
	if q.Group != "" {
		end = afterGroup(q.Group)
	}
	full := false
	w.under(keys, q, from, end, func(h *history) bool {
		w.passed++
		v := h.at(w.rev)
		if v == nil {
			return true
		}
		goOn := f(h.key, v)
		full = goOn && q.Limit > 0 && len(page.Items) == q.Limit
		return goOn && !full
	})
	if full {
		w.ascend(q.Group, page.Items[q.Limit-1].Key+"\x00", -1, f)
	}
	return true
}

// choose returns the keys under the terms of the list that the fewest keys are under; false if that is no
// better than to look at all keys.
func (w *walk) choose(q *Query) (keys []*termKeys, ok bool) {
	if q.Match == nil || len(q.Terms) == 0 {
		return nil, false
	}
	events := 0
	if !w.present {
		events = len(w.since(q.Group))
	}
	cost := func(terms []Term) int {
		now, past := len(terms), 0
		for _, t := range terms {
			if k := w.terms.get(t); k != nil {
				now, past = now+k.now.len(), past+k.past.len()
			}
		}
		return now + min(past, events)
	}
	best, least := q.Terms[0], cost(q.Terms[0])
	for _, terms := range q.Terms[1:] {
		if n := cost(terms); n < least {
			best, least = terms, n
		}
	}
	if q.Group != "" { // only the keys of the group are looked at, and those are not counted
		least = len(best)
	}
	if least > w.size(q.Group, w.rev)/2 {
		return nil, false
	}
	for _, t := range best {
		if k := w.terms.get(t); k != nil {
			keys = append(keys, k)
		}
	}
	return keys, true
}

// under calls f with the keys from one on and before end, unless that is empty, in order, until f returns
// false: all that are under one of the terms at the walk's revision and match the query, and some others.
func (w *walk) under(keys []*termKeys, q *Query, from, end string, f func(*history) bool) {
	var lists []*sortedKeys
	past := 0
	for _, k := range keys {
		lists = append(lists, k.now.from(from, end))
		past += k.past.len()
	}
	if !w.present && past > 0 {
		if since := w.since(q.Group); len(since) < past {
			lists = append(lists, w.replaced(since, q, from, end))
		} else {
			for _, k := range keys {
				lists = append(lists, k.past.from(from, end))
			}
		}
	}
	merge(lists).each(f)
}

// since returns the events of a group after the walk's revision.
func (w *walk) since(group string) []*Event {
	if group == "" {
		return w.feed.after(w.rev)
	}
	if f := w.groups.get(group); f != nil {
		return f.after(w.rev)
	}
	return nil
}

// replaced returns the keys from one on and before end, unless that is empty, whose version at the walk's
// revision matches a query and was replaced by one of the events since.
func (w *walk) replaced(since []*Event, q *Query, from, end string) *sortedKeys {
	var keys []*history
	for _, e := range since {
		if v := e.Prev; v != nil && v.Revision <= w.rev && e.Key >= from && (end == "" || e.Key < end) && q.Match(e.Key, v) {
			keys = append(keys, w.find(e.Key))
		}
	}
	return sorted(keys)
}
