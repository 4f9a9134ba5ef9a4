package apiserver

import (
	"fmt"
	"net/http"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/status"
)

// evict answers a POST of an Eviction to a pod. The options of the request and the Eviction's
// deleteOptions have to agree.
func (s *Server) evict(w *answer, r *http.Request, i *info) error {
	want := expect("policy", "v1", "Eviction")
	want.also = "policy/v1beta1" // which old clients send
	eviction, o, err := s.readWrite(w, r, i, want)
	if err != nil {
		return err
	}
	if err := s.Registry.CheckEviction(r.Context(), i.Target, eviction); err != nil {
		return err
	}
	options := object.GetMap(eviction, "deleteOptions")
	if object.GetBool(options, "ignoreStoreReadErrorWithClusterBreakingPotential") {
		return status.NewInvalid(status.GroupKind{Group: "policy", Kind: "Eviction"}, i.Name, field.ErrorList{
			field.Invalid("deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential", true,
				"can not be set for pod eviction, try after removing the option")})
	}
	asked, inside := r.URL.Query()["dryRun"], object.GetList(options, "dryRun")
	if len(asked) > 0 && len(inside) > 0 && fmt.Sprint(asked) != fmt.Sprint(inside) {
		//nolint:staticcheck // the real server's text
		return fmt.Errorf("Non-matching dry-run options in request and content: %v and %v", asked, inside)
	}
	deletion, err := parseDeletion(options)
	if err != nil {
		return err
	}
	o.DryRun = o.DryRun || deletion.DryRun
	deletion.WriteOptions = o
	if err := s.Registry.Evict(r.Context(), i.Target, eviction, deletion.DeleteOptions); err != nil {
		return err
	}
	w.send(http.StatusCreated, status.Created().JSON())
	return nil
}
