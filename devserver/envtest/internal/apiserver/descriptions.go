package apiserver

import (
	"context"
	"errors"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/devserver/internal/site"
	"github.com/tabernetes/tabernetes/devserver/internal/site/embedded"
)

// descriptions loads the descriptions of Kubernetes' types from the site that is in the program. A program that was
// built from sources has none: making them takes a download.
func descriptions() func(context.Context) ([]byte, error) {
	files := embedded.Site()
	if files == nil {
		return nil
	}
	return func(context.Context) ([]byte, error) {
		text, err := site.ReadAsset(files, wellknown.DescriptionsFile)
		if err != nil {
			return nil, errors.Join(errors.New("the descriptions of types"), err)
		}
		return text, nil
	}
}
