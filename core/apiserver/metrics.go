package apiserver

import (
	"fmt"
	"net/http"
)

// mediaMetrics is the Content-Type of metrics.
const mediaMetrics = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores"

// metrics answers /metrics, with a single metric: the server's version.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Content-Type", mediaMetrics)
	if r.Method == http.MethodHead {
		return nil
	}
	_, err := fmt.Fprintf(w, "# HELP kubernetes_build_info Which release the server behaves as, "+
		"and what it was built with.\n"+
		"# TYPE kubernetes_build_info gauge\n"+
		"kubernetes_build_info{build_date=%q,compiler=%q,git_commit=%q,git_tree_state=%q,git_version=%q,go_version=%q,"+
		"major=%q,minor=%q,platform=%q} 1\n",
		s.Version.BuildDate, s.Version.Compiler, s.Version.GitCommit, s.Version.GitTreeState, s.Version.GitVersion,
		s.Version.GoVersion, s.Version.Major, s.Version.Minor, s.Version.Platform)
	return err
}
