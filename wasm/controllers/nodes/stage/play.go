package stage

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// maxOutput is how many bytes a template may write: more than any object may have.
const maxOutput = 4 << 20

// An Action is one thing to do when a Stage is played: what is set of it. The actions of a Stage are done in their
// order; after a deletion only Events are left.
type Action struct {
	Event  *Event
	Patch  *Body
	Delete bool
}

// Body is a patch to send.
type Body struct {
	Type        types.PatchType
	Subresource string
	Data        []byte
}

// step is a compiled Step.
type step struct {
	event      *Event
	message    *template.Template // of the Event, if that is a template
	finalizers *Finalizers
	delete     bool
	patch      *Patch
	template   *template.Template
}

func parseStep(given *Step, funcs template.FuncMap) (s step, err error) {
	s = step{event: given.Event, finalizers: given.Finalizers, delete: given.Delete, patch: given.Patch}
	if given.Apply != nil {
		return s, errors.New("apply: other objects cannot be applied here")
	}
	parse := func(text string) (*template.Template, error) {
		return template.New("template").Funcs(functions).Funcs(funcs).Parse(text)
	}
	if s.event != nil && strings.Contains(s.event.Message, "{{") {
		if s.message, err = parse(s.event.Message); err != nil {
			return s, err
		}
	}
	if s.patch == nil {
		return s, nil
	}
	if s.patch.Impersonation != nil {
		return s, errors.New("impersonation is not possible here")
	}
	if t := s.patch.Type; t != nil && *t != "" && patchTypes[*t] == "" {
		return s, fmt.Errorf("patch type %q is not one of json, merge, strategic", *t)
	}
	s.template, err = parse(s.patch.Template)
	return s, err
}

var patchTypes = map[string]types.PatchType{
	"json": types.JSONPatchType, "merge": types.MergePatchType, "strategic": types.StrategicMergePatchType,
}

// Play returns what there is to do for an object. otherwise is the type of patches that do not say theirs.
func (s *Stage) Play(object map[string]any, otherwise types.PatchType) ([]Action, error) {
	var all []Action
	var deleted bool
	for i, step := range s.steps {
		if step.event != nil {
			e, err := step.says(object)
			if err != nil {
				return nil, fmt.Errorf("Stage %s: step %d: %w", s.Name, i, err)
			}
			all = append(all, Action{Event: e})
		}
		if deleted {
			continue
		}
		if step.finalizers != nil {
			if data := step.finalizers.patch(finalizersOf(object)); data != nil {
				all = append(all, Action{Patch: &Body{Type: types.JSONPatchType, Data: data}})
			}
		}
		if step.delete {
			deleted = true
			all = append(all, Action{Delete: true})
			continue
		}
		if step.patch != nil {
			body, err := step.render(object, otherwise)
			if err != nil {
				return nil, fmt.Errorf("Stage %s: step %d: %w", s.Name, i, err)
			}
			all = append(all, Action{Patch: body})
		}
	}
	return all, nil
}

// says returns the step's Event. A message may be a template, which it is not with kwok.
func (s *step) says(object map[string]any) (*Event, error) {
	if s.message == nil {
		return s.event, nil
	}
	out := &limited{}
	if err := s.message.Execute(out, object); err != nil {
		return nil, err
	}
	e := *s.event
	e.Message = out.String()
	return &e, nil
}

// render writes a patch.
func (s *step) render(object map[string]any, otherwise types.PatchType) (*Body, error) {
	out := &limited{}
	if err := s.template.Execute(out, object); err != nil {
		return nil, err
	}
	data, err := yaml.YAMLToJSON(out.Bytes())
	if err != nil {
		return nil, fmt.Errorf("the template's output is no YAML: %w", err)
	}
	b := &Body{Type: otherwise, Subresource: s.patch.Subresource, Data: data}
	if s.patch.Type != nil && *s.patch.Type != "" {
		b.Type = patchTypes[*s.patch.Type]
	}
	if root := s.patch.Root; root != "" && b.Type == types.JSONPatchType {
		b.Data, err = below(root, data)
	} else if root != "" {
		b.Data, err = json.Marshal(map[string]json.RawMessage{root: data})
	}
	return b, err
}

// below returns a JSON patch whose paths are below a field.
func below(root string, patch []byte) ([]byte, error) {
	var operations []map[string]any
	if err := json.Unmarshal(patch, &operations); err != nil {
		return nil, fmt.Errorf("the template's output is no JSON patch: %w", err)
	}
	for _, o := range operations {
		o["path"] = fmt.Sprint("/", root, o["path"])
	}
	return json.Marshal(operations)
}

func finalizersOf(object map[string]any) []string {
	metadata, _ := object["metadata"].(map[string]any)
	list, _ := metadata["finalizers"].([]any)
	all := make([]string, len(list))
	for i, v := range list {
		all[i], _ = v.(string)
	}
	return all
}

type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// patch returns the JSON patch that makes the changes to an object that has these finalizers; nil if nothing changes.
func (f *Finalizers) patch(has []string) []byte {
	const path = "/metadata/finalizers"
	var all []operation
	removes := func(name string) bool {
		return slices.ContainsFunc(f.Remove, func(r Finalizer) bool { return r.Value == name })
	}
	empty := f.Empty || len(f.Remove) > 0 && !slices.ContainsFunc(has, func(n string) bool { return !removes(n) })
	left := has
	if empty {
		if len(has) > 0 {
			all = append(all, operation{Op: "remove", Path: path})
		}
		left = nil
	} else {
		for i, name := range slices.Backward(has) {
			if removes(name) {
				all = append(all, operation{Op: "remove", Path: path + "/" + strconv.Itoa(i)})
			}
		}
	}
	if len(left) == 0 && len(f.Add) > 0 {
		names := make([]string, len(f.Add))
		for i, a := range f.Add {
			names[i] = a.Value
		}
		all = append(all, operation{"add", path, names})
	} else {
		for _, a := range f.Add {
			if !slices.Contains(left, a.Value) {
				all = append(all, operation{"add", path + "/-", a.Value})
			}
		}
	}
	if all == nil {
		return nil
	}
	data, _ := json.Marshal(all) // strings only
	return data
}

// limited is a buffer that takes no more than maxOutput.
type limited struct{ bytes.Buffer }

func (l *limited) Write(b []byte) (int, error) {
	if l.Len()+len(b) > maxOutput {
		return 0, fmt.Errorf("the template writes more than %d bytes", maxOutput)
	}
	return l.Buffer.Write(b)
}
