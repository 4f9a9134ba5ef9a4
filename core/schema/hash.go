package schema

import (
	"crypto/sha256"
	"encoding/base64"
)

// StorageVersionHash returns what discovery shows for a resource whose objects are stored
// in that version: clients compare it to learn that the stored form has changed.
func StorageVersionHash(group, version, kind string) string {
	sum := sha256.Sum256([]byte(group + "/" + version + "/" + kind))
	return base64.StdEncoding.EncodeToString(sum[:8])
}
