package core

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/access"
	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/registry"
)

const (
	// maxSeconds bounds the durations of the spec: a day.
	maxSeconds = 24 * 60 * 60
	// maxLag bounds how far a cache may be behind: an hour.
	maxLag = 60 * 60
	// maxTokens bounds the list of bearer tokens.
	maxTokens = 1000
)

// gateCBOR is the feature gate by which a real server reads and writes CBOR.
const gateCBOR = "CBORServingAndStorage"

// parse reads the spec of a ControlPlane. What it does not set is as in s.
func (s spec) parse(obj map[string]any) (spec, field.ErrorList) {
	var faults field.ErrorList
	root := section{tree: obj, faults: &faults}.child("spec")
	root.child("history").seconds("retentionSeconds", 1, maxSeconds, &s.retention)
	root.child("watch").seconds("bookmarkSeconds", 0, maxSeconds, &s.bookmarks)
	root.child("controllers").bool("enabled", &s.controllers)
	root.child("clock").bool("paused", &s.paused)
	readCompatibility(root.child("compatibility"), &s.compatibility)
	for i := range s.servers {
		s.servers[i] = s.compatibility
	}
	readFaults(root, &s.faults)
	s.chaos.read(root.child("chaos"))
	s.chaos.begun(obj)
	gates := root.child("featureGates")
	gates.bool(gateCBOR, &s.cbor)
	gates.only(gateCBOR)
	root.child("cache").list("replicas", 1, registry.MaxReplicas, func(replicas []section) {
		s.replicas = make([]registry.CacheSpec, len(replicas))
		for i, r := range replicas {
			r.seconds("lagSeconds", 0, maxLag, &s.replicas[i].Lag)
			r.bool("frozen", &s.replicas[i].Frozen)
			r.seconds("keepSeconds", 0, maxSeconds, &s.replicas[i].Keep)
			readCompatibility(r.child("compatibility"), &s.servers[i])
		}
	})
	root.child("authorization").word("mode", func(word string) { s.authorization = word }, access.AlwaysAllow, access.RBAC)
	authentication := root.child("authentication")
	authentication.word("withoutCredentials", func(word string) { s.withoutCredentials = word }, access.Admin, access.Anonymous, access.Unauthorized)
	authentication.list("tokens", 0, maxTokens, func(tokens []section) {
		s.tokens = make([]Token, len(tokens))
		seen := map[string]bool{}
		for i, t := range tokens {
			token := &s.tokens[i]
			t.text("token", true, &token.Token)
			t.text("user", true, &token.User)
			t.text("uid", false, &token.UID)
			t.words("groups", &token.Groups)
			switch at := t.at.Child("token"); {
			case strings.ContainsAny(token.Token, " \t\r\n"):
				t.invalid(at, token.Token, "must not contain white space")
			case token.Token != "" && seen[token.Token]:
				faults.Add(field.Duplicate(at, token.Token))
			}
			seen[token.Token] = true
		}
	})
	return s, faults
}

// A section is a part of the spec that is being read. What is not there is left
// as it is; what is wrong is a fault.
type section struct {
	tree   map[string]any
	at     field.Path
	faults *field.ErrorList
}

func (s section) invalid(at field.Path, value any, why string) {
	*s.faults = append(*s.faults, field.Invalid(at, value, why))
}

func (s section) child(name string) section {
	return s.object(s.tree[name], s.at.Child(name))
}

func (s section) object(value any, at field.Path) section {
	tree, ok := value.(map[string]any)
	if value != nil && !ok {
		s.invalid(at, value, "must be an object")
	}
	return section{tree, at, s.faults}
}

func (s section) seconds(name string, least, most int64, into *time.Duration) {
	switch n := s.tree[name].(type) {
	case nil:
	case int64:
		if n < least || n > most {
			s.invalid(s.at.Child(name), n, fmt.Sprintf("must be between %d and %d, inclusive", least, most))
		}
		*into = time.Duration(n) * time.Second
	default:
		s.invalid(s.at.Child(name), n, "must be a whole number of seconds")
	}
}

func (s section) number(name string, least, most int64, into *int64) {
	switch n := s.tree[name].(type) {
	case nil:
	case int64:
		if n < least || n > most {
			s.invalid(s.at.Child(name), n, fmt.Sprintf("must be between %d and %d, inclusive", least, most))
		}
		*into = n
	default:
		s.invalid(s.at.Child(name), n, "must be a whole number")
	}
}

func (s section) bool(name string, into *bool) {
	switch b := s.tree[name].(type) {
	case nil:
	case bool:
		*into = b
	default:
		s.invalid(s.at.Child(name), b, "must be true or false")
	}
}

// only finds fault with names that are not among the known ones.
func (s section) only(known ...string) {
	for _, name := range slices.Sorted(maps.Keys(s.tree)) {
		if !slices.Contains(known, name) {
			*s.faults = append(*s.faults, field.NotSupported(s.at, name, known...))
		}
	}
}

func (s section) text(name string, required bool, into *string) {
	switch text := s.tree[name].(type) {
	case nil, string:
		if *into, _ = text.(string); required && *into == "" {
			*s.faults = append(*s.faults, field.Required(s.at.Child(name), ""))
		}
	default:
		s.invalid(s.at.Child(name), text, "must be a string")
	}
}

func (s section) words(name string, into *[]string) {
	list, ok := s.tree[name].([]any)
	for _, one := range list {
		word, isText := one.(string)
		ok = ok && isText
		*into = append(*into, word)
	}
	if s.tree[name] != nil && !ok {
		s.invalid(s.at.Child(name), s.tree[name], "must be a list of strings")
	}
}

func (s section) word(name string, set func(string), words ...string) {
	value := s.tree[name]
	if value == nil {
		return
	}
	for _, word := range words {
		if value == word {
			set(word)
			return
		}
	}
	*s.faults = append(*s.faults, field.NotSupported(s.at.Child(name), value, words...))
}

func (s section) list(name string, least, most int, set func([]section)) {
	s.values(name, least, most, func(list []any, at field.Path) {
		items := make([]section, len(list))
		for i, item := range list {
			items[i] = s.object(item, at.Index(i))
		}
		set(items)
	})
}

// values are the items of a list, and where it is.
func (s section) values(name string, least, most int, set func([]any, field.Path)) {
	at := s.at.Child(name)
	switch list := s.tree[name].(type) {
	case nil:
	case []any:
		if len(list) < least || len(list) > most {
			s.invalid(at, list, fmt.Sprintf("must have between %d and %d items", least, most))
			return
		}
		set(list, at)
	default:
		s.invalid(at, list, "must be a list")
	}
}
