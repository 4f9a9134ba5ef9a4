package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/tabernetes/tabernetes/devserver/site"
)

// descriptions loads what Kubernetes says of its types: from the site that is
// served, or else as a build of the site would make it.
func (o options) descriptions(ctx context.Context) ([]byte, error) {
	if !o.apiOnly {
		return os.ReadFile(filepath.Join(o.dir, site.DescriptionsFile))
	}
	root, err := projectRoot()
	if err != nil {
		return nil, err
	}
	return site.Descriptions(ctx, root, filepath.Join(root, ".cache"))
}
