package kubectl

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// descriptions returns the descriptions of Kubernetes' types, as a build of the site has them.
func descriptions(context.Context) ([]byte, error) { return generate() }

var generate = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "descriptions")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "descriptions.txt")
	gen := exec.Command("go", "run", "github.com/tabernetes/tabernetes/core/internal/generate", "-descriptions", file)
	if out, err := gen.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	return os.ReadFile(file)
})
