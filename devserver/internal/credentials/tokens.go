package credentials

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core"
)

// The modes of --authorization.
const (
	AlwaysAllow = "AlwaysAllow"
	RBAC        = "RBAC"
)

// Tokens are the bearer tokens that a server knows.
type Tokens []core.Token

// WithoutCredentials returns the user that a request without credentials is made by, in a mode of authorization.
func WithoutCredentials(authorization string) string {
	if authorization == RBAC {
		return "Anonymous"
	}
	return "Admin"
}

// ReadTokens reads the tokens of a file, none if its name is "", and checks that somebody may do something in a mode of
// authorization.
func ReadTokens(file, authorization string) (Tokens, error) {
	if authorization != AlwaysAllow && authorization != RBAC {
		return nil, fmt.Errorf("--authorization is %s or %s, not %q", AlwaysAllow, RBAC, authorization)
	}
	var tokens Tokens
	if file != "" {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if tokens, err = parseTokens(f); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	if authorization == RBAC && tokens.Administrator() == "" {
		return nil, errors.New("with --authorization RBAC only members of system:masters may do anything at first: " +
			`give one a token with --token-auth-file, by a line like secret,root,1,system:masters`)
	}
	return tokens, nil
}

// Administrator returns the first token of a member of system:masters; empty if none exists.
func (all Tokens) Administrator() string {
	for _, t := range all {
		if slices.Contains(t.Groups, "system:masters") {
			return t.Token
		}
	}
	return ""
}

// parseTokens reads the format of kube-apiserver's --token-auth-file: CSV with a
// token, a user's name and uid, and perhaps groups, joined by commas, on each
// line. Of two lines with a token the last counts; one without a token does not.
func parseTokens(r io.Reader) (Tokens, error) {
	lines := csv.NewReader(r)
	lines.FieldsPerRecord = -1
	var tokens Tokens
	for {
		record, err := lines.Read()
		switch {
		case err == io.EOF:
			return tokens, nil
		case err != nil:
			return nil, err
		case len(record) < 3:
			line, _ := lines.FieldPos(0)
			return nil, fmt.Errorf("line %d must have at least 3 columns (token, user name, user uid), found %d", line,
				len(record))
		case record[0] == "":
			continue
		}
		t := core.Token{Token: record[0], User: record[1], UID: record[2]}
		if len(record) > 3 {
			t.Groups = strings.Split(record[3], ",")
		}
		tokens = append(slices.DeleteFunc(tokens, func(o core.Token) bool { return o.Token == t.Token }), t)
	}
}
