package edge

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tabernetes/tabernetes/core/room/roomhost"
)

// Deploy writes what wrangler needs to put the rooms on an account: its configuration beside the scripts, and the list
// of the site's files that are not to be uploaded.
func (e *Engine) Deploy() error {
	files, err := filepath.Rel(e.Dir, e.Site)
	if err != nil {
		files = e.Site
	}
	text := fmt.Sprintf(`# Written by the devserver: wrangler deploy, in this folder, puts the rooms on an account.
name = "tabernetes-rooms"
main = "main.js"
compatibility_date = %q
no_bundle = true
find_additional_modules = true
rules = [
  { type = "CompiledWasm", globs = ["tabernetes.wasm", "front.wasm"] },
  { type = "ESModule", globs = ["wasm_exec.js"] },
]

[assets]
directory = %q
binding = "ASSETS"
run_worker_first = ["/rooms", "/rooms/*"]

[vars]
# Origins of pages from elsewhere that may use the rooms, with spaces between them.
ALLOWED_ORIGINS = %q

[[durable_objects.bindings]]
name = "ROOMS"
class_name = "Room"

# How many rooms each client may open in so many seconds. The id is any that the account has no other limit under.
[[ratelimits]]
name = "OPENINGS"
namespace_id = "1001"
simple = { limit = %d, period = %d }

[[migrations]]
tag = "v1"
new_sqlite_classes = ["Room"]
`, compatibilityDate, filepath.ToSlash(files), strings.Join(e.AllowedOrigins, " "),
		roomhost.Opens, roomhost.OpensSeconds)
	if err := os.WriteFile(filepath.Join(e.Dir, "wrangler.toml"), []byte(text), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(e.Site, ".assetsignore"), []byte("*.br\n*.map\nassets.json\n"), 0o644)
}
