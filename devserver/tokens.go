package main

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
	authorizationAlwaysAllow = "AlwaysAllow"
	authorizationRBAC        = "RBAC"
)

// withoutCredentials returns the user that a request without credentials is made by.
func (o *options) withoutCredentials() string {
	switch {
	case o.room != nil:
		return "" // what a room begins with
	case o.authorization == authorizationRBAC:
		return "Anonymous"
	}
	return "Admin"
}

// readTokens checks the flags of authorization and reads the tokens.
func (o *options) readTokens() error {
	if o.authorization != authorizationAlwaysAllow && o.authorization != authorizationRBAC {
		return fmt.Errorf("--authorization is %s or %s, not %q", authorizationAlwaysAllow, authorizationRBAC, o.authorization)
	}
	if o.tokenFile != "" {
		f, err := os.Open(o.tokenFile)
		if err != nil {
			return err
		}
		defer f.Close()
		if o.tokens, err = parseTokens(f); err != nil {
			return fmt.Errorf("%s: %w", o.tokenFile, err)
		}
	}
	if o.authorization == authorizationRBAC && o.administratorsToken() == "" {
		return errors.New("with --authorization RBAC nobody may do anything at first but a member of system:masters: " +
			`give one a token with --token-auth-file, by a line like secret,root,1,system:masters`)
	}
	return nil
}

// administratorsToken returns the first token of a member of system:masters; empty if
// there is none.
func (o *options) administratorsToken() string {
	for _, t := range o.tokens {
		if slices.Contains(t.Groups, "system:masters") {
			return t.Token
		}
	}
	return ""
}

// parseTokens reads the format of kube-apiserver's --token-auth-file: CSV with a
// token, a user's name and uid, and perhaps groups, joined by commas, on each
// line. Of two lines with a token the last counts; one without a token does not.
func parseTokens(r io.Reader) ([]core.Token, error) {
	lines := csv.NewReader(r)
	lines.FieldsPerRecord = -1
	var tokens []core.Token
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
