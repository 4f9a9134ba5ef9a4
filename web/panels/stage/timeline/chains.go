package timeline

import (
	"strconv"
	"time"

	"github.com/tabernetes/tabernetes/web/tap"
)

const (
	keptChains      = 6
	keptLaterWrites = 20_000
)

// A Page is one answer of a chunked list.
type Page struct {
	Req          int
	From, To     int64 // the items' places, counted from 1; 0 if the page is empty
	First, Last  string
	Rev          int64
	At           time.Time
	Inconsistent bool // from another moment than the pages before
}

// Ref names the page's request and revision in a data-ref attribute.
func (p Page) Ref() string {
	return "req-" + strconv.Itoa(p.Req) + " rev-" + strconv.FormatInt(p.Rev, 10)
}

// A Chain is one list that is read in pages.
type Chain struct {
	Num    int // p1, p2, …
	Target tap.Info
	Limit  int64
	Origin string // who made the first request, as the tap says

	Pages    []Page
	Midway   bool  // the first request seen had a token already: earlier pages are unknown
	Snapshot int64 // the revision that the pages come from
	Taken    time.Time

	Token     string // for the next page; empty when the list is whole
	Inside    tap.Token
	Opaque    bool // the token could not be read
	Remaining int64

	// Gone is the 410 answer to the token, Fresh the token it offered.
	Gone  string
	Fresh string

	Later Series // writes to the collection after the snapshot of the newest page
	Since Series // the same, after the snapshot of the first page
	Busy  bool   // a page is under way
}

// ID returns how the chain is called: p1.
func (c *Chain) ID() string { return "p" + strconv.Itoa(c.Num) }

// Done reports whether the list is whole.
func (c *Chain) Done() bool { return c.Token == "" && c.Gone == "" && len(c.Pages) > 0 }

// Inconsistent reports whether the pages come from different moments.
func (c *Chain) Inconsistent() bool {
	for _, p := range c.Pages {
		if p.Inconsistent {
			return true
		}
	}
	return false
}

// Items returns how many items the pages hold together.
func (c *Chain) Items() int64 {
	var n int64
	for _, p := range c.Pages {
		n = max(n, p.To)
	}
	return n
}

// Expired reports whether the token's revision is older than the oldest one at which a list is answered.
func (c *Chain) Expired(oldest int64) bool {
	return c.Gone != "" || c.Token != "" && !c.Opaque && !c.Inside.Inconsistent() && c.Inside.Rev < oldest
}

// NextURL returns the request for the next page, or "" if no page follows.
func (c *Chain) NextURL() string {
	if c.Token == "" || c.Gone != "" {
		return ""
	}
	return c.Target.With("limit", c.limit(), "continue", c.Token)
}

// FirstURL starts the list again.
func (c *Chain) FirstURL() string { return c.Target.With("limit", c.limit()) }

// FreshURL continues with the token that the 410 offered.
func (c *Chain) FreshURL() string {
	if c.Fresh == "" {
		return ""
	}
	return c.Target.With("limit", c.limit(), "continue", c.Fresh)
}

func (c *Chain) limit() string {
	if c.Limit <= 0 {
		return ""
	}
	return strconv.FormatInt(c.Limit, 10)
}

// place says where a page goes: into which chain, after how many of its pages.
type place struct {
	chain *Chain
	after int
}

// Chains has the lists that are read in pages, from the tap's events.
type Chains struct {
	List []*Chain // newest first

	tokens  map[string]place // every token given out by a chain that is kept
	numbers int
}

// tap takes an event of an exchange. It returns the chain that the event changed, and whether it is a new one.
func (cs *Chains) tap(e tap.Event, x *tap.Exchange) (c *Chain, fresh bool) {
	if x.Method != "GET" || x.Info.Verb != "list" || x.Info.Resource == "" || token(x) == "" && limit(x) <= 0 {
		return nil, false
	}
	at, known := cs.tokens[token(x)]
	switch e.Type {
	case tap.Request, tap.End, tap.Fail:
		if known {
			at.chain.Busy = e.Type == tap.Request
		}
		if e.Type == tap.End {
			c, fresh = cs.answer(x, at, known)
		}
		if c == nil {
			c = at.chain
		}
	}
	return c, fresh
}

// token and limit return what a list asks for.
func token(x *tap.Exchange) string { return x.Info.Query.Get("continue") }

func limit(x *tap.Exchange) int64 {
	n, _ := strconv.ParseInt(x.Info.Query.Get("limit"), 10, 64)
	return n
}

// answer takes a whole answer to the token of a place, if that is known, and returns the chain that it belongs to; nil
// if it changes none.
func (cs *Chains) answer(x *tap.Exchange, at place, known bool) (*Chain, bool) {
	a, err := x.List(nil)
	if cs.tokens == nil {
		cs.tokens = map[string]place{}
	}
	switch {
	case err != nil || token(x) == "" && x.Status != 200:
		return nil, false
	case x.Status == 410 && known:
		c := at.chain
		c.Gone, c.Fresh = a.Message, a.Continue
		if c.Fresh != "" {
			cs.tokens[c.Fresh] = place{c, at.after}
		}
		return c, false
	case x.Status != 200:
		return nil, false
	}
	fresh := !known || token(x) == ""
	if fresh {
		at = place{cs.begin(x), 0}
	}
	c := at.chain
	page := Page{Req: x.ID, First: a.First, Last: a.Last, Rev: a.Rev, At: x.Ended}
	c.Pages = c.Pages[:min(at.after, len(c.Pages))] // a token used again replaces what came after it
	base := c.Items()
	if a.Count > 0 {
		page.From, page.To = base+1, base+a.Count
	}
	if len(c.Pages) > 0 {
		last := c.Pages[len(c.Pages)-1]
		page.Inconsistent = last.Inconsistent || page.Rev != last.Rev
	}
	if len(c.Pages) == 0 || page.Rev != c.Snapshot {
		c.Snapshot, c.Taken = page.Rev, x.Ended
		c.Later = NewSeries(keptLaterWrites)
		fresh = true // its later writes have to be searched again
	}
	if len(c.Pages) == 0 {
		c.Since = NewSeries(keptLaterWrites)
	}
	c.Pages = append(c.Pages, page)
	c.Gone, c.Fresh = "", ""
	if n := limit(x); n > 0 {
		c.Limit = n
	}
	c.Token, c.Remaining = a.Continue, a.Remaining
	c.Inside, c.Opaque = tap.Token{}, false
	if c.Token != "" {
		c.Inside, err = tap.DecodeToken(c.Token)
		c.Opaque = err != nil
		cs.tokens[c.Token] = place{c, len(c.Pages)}
	}
	return c, fresh
}

func (cs *Chains) begin(x *tap.Exchange) *Chain {
	cs.numbers++
	c := &Chain{Num: cs.numbers, Target: x.Info, Limit: limit(x), Origin: x.Origin, Midway: token(x) != "", Remaining: -1}
	cs.List = append([]*Chain{c}, cs.List...)
	if len(cs.List) > keptChains {
		cs.drop(len(cs.List) - 1)
	}
	return c
}

func (cs *Chains) drop(i int) {
	gone := cs.List[i]
	cs.List = append(cs.List[:i], cs.List[i+1:]...)
	for t, at := range cs.tokens {
		if at.chain == gone {
			delete(cs.tokens, t)
		}
	}
}

// ByID finds a chain by its name.
func (cs *Chains) ByID(id string) *Chain {
	for _, c := range cs.List {
		if c.ID() == id {
			return c
		}
	}
	return nil
}

// Drop forgets the chains of which f reports true.
func (cs *Chains) Drop(f func(*Chain) bool) {
	for i := len(cs.List) - 1; i >= 0; i-- {
		if f(cs.List[i]) {
			cs.drop(i)
		}
	}
}

// said returns the announcement of the chain's newest answer, for screen readers.
func (c *Chain) said() (say, alert string) {
	if c.Gone != "" {
		return "", "List " + c.ID() + ": the continue token has expired, error 410"
	}
	if len(c.Pages) == 0 {
		return "", ""
	}
	p := c.Pages[len(c.Pages)-1]
	say = "List " + c.ID() + " of " + c.Target.Short() + ": items " + itoa(p.From) + " to " + itoa(p.To)
	switch {
	case c.Token == "":
		say += ", the list is whole"
	case c.Remaining >= 0:
		say += ", " + itoa(c.Remaining) + " remain"
	}
	return say, ""
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
