package controlplane

import (
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/access"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/object"
)

// maxTokens is the maximum number of bearer tokens.
const maxTokens = 1000

// tokensSetting is the last of the settings of access, and applies all of them.
var tokensSetting = setting{
	path: "authentication.tokens",
	parse: func(in section, name string, s *Settings) {
		in.list(name, 0, maxTokens, func(tokens []section) {
			s.Access.Tokens = make([]access.Token, len(tokens))
			seen := map[string]bool{}
			for i, t := range tokens {
				t.token(&s.Access.Tokens[i], seen)
			}
		})
	},
	show: func(s *Settings) any {
		list := make([]any, len(s.Access.Tokens))
		for i, t := range s.Access.Tokens {
			list[i] = map[string]any{
				"token": t.Token, "user": t.User, "uid": t.UID, "groups": object.ListOf(t.Groups),
			}
		}
		return list
	},
	apply: func(p *ControlPlane, s *Settings, _ int64) { p.Access.Set(s.Access) },
}

// token reads a token that is not among those seen.
func (s section) token(into *access.Token, seen map[string]bool) {
	s.only("token", "user", "uid", "groups")
	s.text("token", true, &into.Token)
	s.text("user", true, &into.User)
	s.text("uid", false, &into.UID)
	s.words("groups", &into.Groups)
	switch at := s.at.Child("token"); {
	case strings.ContainsAny(into.Token, " \t\r\n"):
		s.invalid(at, into.Token, "must not contain white space")
	case into.Token != "" && seen[into.Token]:
		s.errs.Add(field.Duplicate(at, into.Token))
	}
	seen[into.Token] = true
}
