package app

import (
	"encoding/json"
	"strings"

	"github.com/tabernetes/tabernetes/web/tap"
)

// ContentType returns the header that says what a body is.
func ContentType(v string) []tap.Field { return []tap.Field{{Name: "Content-Type", Value: v}} }

// Message returns the message of a Status, or "" if body is not a Status.
func Message(body string) string {
	var s struct {
		Message string `json:"message"`
	}
	json.Unmarshal([]byte(body), &s)
	return s.Message
}

// RefKey returns the key of the shared selection for an object's "namespace/name".
func RefKey(key string) string {
	if strings.HasPrefix(key, "/") {
		return "_" + key
	}
	return key
}
