package app

import (
	"encoding/json"
	"strings"

	"github.com/tabernetes/tabernetes/web/tap"
)

// ContentType returns the header that says what a body is.
func ContentType(v string) []tap.Field { return []tap.Field{{Name: "Content-Type", Value: v}} }

// Message returns a Status' message, empty where body is no Status.
func Message(body string) string {
	var s struct {
		Message string `json:"message"`
	}
	json.Unmarshal([]byte(body), &s)
	return s.Message
}

// RefKey makes of an object's "namespace/name" the key of the shared selection.
func RefKey(key string) string {
	if strings.HasPrefix(key, "/") {
		return "_" + key
	}
	return key
}
