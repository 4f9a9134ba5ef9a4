package kubetest

import (
	"errors"
	"testing"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/trial"
	"github.com/tabernetes/tabernetes/devserver/internal/check"
)

// Tables runs tests of policies, those of files and of directories, which devserver/README.md describes: each with a
// copy of the server, and as a test below t. Conditions of policies that were not both true and false are logged.
func (s *Server) Tables(t *testing.T, paths ...string) {
	t.Helper()
	report, err := check.Test(t.Context(), check.TestOptions{Paths: paths, Token: adminToken, Fork: s.forkTable})
	if err != nil {
		t.Fatalf("kubetest: %v", err)
	}
	for _, f := range report.Findings {
		if f.Severity == check.Note {
			t.Log(f)
		}
	}
	for _, result := range report.Results {
		t.Run(result.Name, func(t *testing.T) {
			for _, f := range report.Findings {
				if f.File == result.File && f.Object != nil && *f.Object == result.Object {
					t.Error(f)
				}
			}
		})
	}
	t.Log(report.Summary())
}

// forkTable returns a copy of the server for a table, or of that one for a test.
func (s *Server) forkTable(from *core.Cluster, authorization string, cel expression.Evaluator) (*core.Cluster, error) {
	if authorization == "RBAC" && !s.config.rbac {
		return nil, errors.New("a table asks for authorization by RBAC: the server has to have the option RBAC()")
	}
	o, err := s.core(cel)
	if err != nil {
		return nil, err
	}
	o.Extensions = append(o.Extensions, trial.Trials{})
	if from == nil {
		from = s.cluster
	}
	return from.Fork(o)
}
