// Package patch applies PATCH requests to JSON documents: JSON patches (RFC 6902) and merge patches
// (RFC 7386). A strategic merge patch is applied to a tree, according to its type.
//
// Where kube-apiserver differs from the RFCs, this package does what kube-apiserver does: replacing
// a missing key adds it, copying from a missing key or adding without a value gives null, indices
// may be negative, and nulls within the new lists of a merge patch are dropped. Only the parts of a
// document that a patch refers to are decoded; the others keep their text and so their order of
// fields, which shows in the answers to refused patches. A decoded object is written with sorted
// keys.
//
// A merge patch costs the lengths of document and patch, an operation the objects and lists on its
// path. A JSON patch is limited to MaxOperations operations, and its copies to MaxCopied bytes; patches and what they
// make, to object.MaxDepth levels and object.MaxValues values.
package patch

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tabernetes/tabernetes/core/object"
)

// The bounds of a JSON patch.
const (
	MaxOperations = 10000
	MaxCopied     = 3 << 20 // bytes
)

// Reason is the class of an Error, which determines its Status.
type Reason int

// The reasons of an Error.
const (
	// BadRequest: the patch cannot be read. Status 400 with the message.
	BadRequest Reason = iota
	// TooLarge: the patch has too many operations, or it or what it makes has too many values. Status 413 with the
	// message.
	TooLarge
	// Rejected: the patch cannot be applied to this document. Status 422 with empty details and without
	// the message, which is for logs.
	Rejected
)

// An Error is the reason why a patch was not applied.
type Error struct {
	Reason  Reason
	Message string
}

func (e *Error) Error() string { return e.Message }

func badRequest(err error) error { return &Error{BadRequest, err.Error()} }

func rejected(format string, args ...any) error {
	return &Error{Rejected, fmt.Errorf(format, args...).Error()}
}

// operation is one step of a JSON patch.
type operation map[string]*json.RawMessage

type operations []operation

// jsonPatchOp has the members of an operation.
type jsonPatchOp struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	From  string `json:"from"`
	Value any    `json:"value"`
}

// JSON applies a JSON patch to doc. With check, problems lists the unknown and duplicate members of
// the patch, for field validation.
func JSON(doc, patch []byte, check bool) (patched []byte, problems []string, err error) {
	if err := object.Check(patch); err != nil {
		return nil, nil, refused(err)
	}
	defer refuseDepth(&err)
	if check {
		var ops []jsonPatchOp
		if err := json.Unmarshal(patch, &ops); err != nil {
			return nil, nil, badRequest(fmt.Errorf("error decoding patch: %w", typeNames(err)))
		}
		for _, p := range strictProblems(patch, true) {
			problems = append(problems, "json patch "+p)
		}
	}
	var ops operations
	if err := json.Unmarshal(patch, &ops); err != nil {
		return nil, nil, badRequest(typeNames(err))
	}
	if len(ops) > MaxOperations {
		return nil, nil, &Error{TooLarge, fmt.Sprintf(
			"The allowed maximum operations in a JSON patch is %d, got %d", MaxOperations, len(ops))}
	}
	run := &run{root: newNode(doc)}
	if !run.root.object() && !run.root.list() {
		return nil, nil, rejected("the document is neither object nor list")
	}
	for _, op := range ops {
		if err := run.do(op); err != nil {
			return nil, nil, err
		}
	}
	return checked(run.root.encode(), problems)
}

// checked returns the result of a patch, or the error for one that nests too deep or has too many values: operations
// may move values, and add to those that there are.
func checked(patched []byte, problems []string) ([]byte, []string, error) {
	switch err := object.Check(patched); {
	case errors.Is(err, object.ErrTooDeep):
		return nil, nil, errDeep
	case err != nil:
		return nil, nil, refused(err)
	}
	return patched, problems, nil
}

// refused returns the error for what is beyond a limit of object.Check.
func refused(err error) error {
	if errors.Is(err, object.ErrTooMany) {
		return &Error{TooLarge, err.Error()}
	}
	return badRequest(err)
}

// Merge applies a merge patch to doc. With check, problems lists the duplicate members of the
// patch.
func Merge(doc, patch []byte, check bool) (patched []byte, problems []string, err error) {
	if err := object.Check(patch); err != nil {
		return nil, nil, refused(err)
	}
	defer refuseDepth(&err)
	if check {
		var fields map[string]any
		if err := json.Unmarshal(patch, &fields); err != nil {
			return nil, nil, badRequest(fmt.Errorf("error decoding patch: %w", typeNames(err)))
		}
		problems = strictProblems(patch, false)
	}
	if !json.Valid(patch) {
		return nil, nil, &Error{BadRequest, "Invalid JSON Patch"}
	}
	change := newNode(patch)
	switch {
	case change.object():
		target := newNode(doc)
		if !target.object() {
			return nil, nil, rejected("the document is not an object")
		}
		merge(target, change)
		return checked(target.encode(), problems)
	case change.list():
		change.dropNulls()
		return checked(change.encode(), problems)
	}
	return nil, nil, &Error{BadRequest, "Invalid JSON Patch"}
}

// typeNames replaces the names of types in decoding errors by those that clients know.
func typeNames(err error) error {
	if !errors.As(err, new(*json.UnmarshalTypeError)) {
		return err
	}
	return errors.New(strings.NewReplacer(
		"patch.jsonPatchOp", "handlers.jsonPatchOp",
		"patch.operations", "jsonpatch.Patch",
		"patch.operation", "jsonpatch.Operation",
		"map[string]any", "map[string]interface {}",
	).Replace(err.Error()))
}
