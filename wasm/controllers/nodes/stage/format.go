package stage

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// Group and Kind of the API objects that Stages are; their version is v1alpha1.
const (
	APIVersion = "kwok.x-k8s.io/v1alpha1"
	Kind       = "Stage"
)

// Object is a Stage as it is written.
type Object struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              Spec `json:"spec"`
}

// Spec says which objects a Stage selects, when it is played, and what it does.
type Spec struct {
	ResourceRef Reference `json:"resourceRef"`
	// Selector selects objects. A Stage without one is never played.
	Selector *Selector `json:"selector,omitempty"`
	// Weight is how likely this Stage is chosen among several that select the object.
	Weight     int64       `json:"weight,omitempty"`
	WeightFrom *Expression `json:"weightFrom,omitempty"`
	Delay      *Delay      `json:"delay,omitempty"`
	// Next is what the Stage does, in a fixed order. It is ignored if there are Steps.
	Next *Next `json:"next,omitempty"`
	// ImmediateNextStage chooses the next Stage at once, even if nothing has changed.
	ImmediateNextStage bool   `json:"immediateNextStage,omitempty"`
	Steps              []Step `json:"steps,omitempty"`
}

// Reference is the type of the objects.
type Reference struct {
	// APIGroup is a group and version, such as apps/v1; empty: v1.
	APIGroup string `json:"apiGroup,omitempty"`
	Kind     string `json:"kind"`
}

// Selector selects an object if all of its parts do.
type Selector struct {
	MatchLabels      map[string]string `json:"matchLabels,omitempty"`
	MatchAnnotations map[string]string `json:"matchAnnotations,omitempty"`
	MatchExpressions []Match           `json:"matchExpressions,omitempty"`
}

// Match compares the outputs of a jq expression with values.
type Match struct {
	Query `json:",inline"`
	JQ    *Query `json:"jq,omitempty"`
	CEL   any    `json:"cel,omitempty"`
}

// Query is a jq expression with an operator: In, NotIn, Exists or DoesNotExist.
type Query struct {
	Key      string   `json:"key,omitempty"`
	Operator string   `json:"operator,omitempty"`
	Values   []string `json:"values,omitempty"`
}

// Expression is a jq expression whose first output is a value.
type Expression struct {
	ExpressionFrom string `json:"expressionFrom,omitempty"`
	JQ             *struct {
		Expression string `json:"expression,omitempty"`
	} `json:"jq,omitempty"`
	CEL any `json:"cel,omitempty"`
}

// Delay is how long an object is in a Stage before it is played: a random time between two. Either may be an
// expression, whose value is a duration such as 1.5s or a time.
type Delay struct {
	DurationMilliseconds       *int64      `json:"durationMilliseconds,omitempty"`
	DurationFrom               *Expression `json:"durationFrom,omitempty"`
	JitterDurationMilliseconds *int64      `json:"jitterDurationMilliseconds,omitempty"`
	JitterDurationFrom         *Expression `json:"jitterDurationFrom,omitempty"`
}

// Next is what a Stage does.
type Next struct {
	Event             *Event      `json:"event,omitempty"`
	Finalizers        *Finalizers `json:"finalizers,omitempty"`
	Delete            bool        `json:"delete,omitempty"`
	Patches           []Patch     `json:"patches,omitempty"`
	StatusTemplate    string      `json:"statusTemplate,omitempty"`
	StatusSubresource *string     `json:"statusSubresource,omitempty"`
	StatusPatchAs     any         `json:"statusPatchAs,omitempty"`
}

// Step is a part of what a Stage does.
type Step struct {
	Patch      *Patch      `json:"patch,omitempty"`
	Event      *Event      `json:"event,omitempty"`
	Finalizers *Finalizers `json:"finalizers,omitempty"`
	Delete     bool        `json:"delete,omitempty"`
	Apply      any         `json:"apply,omitempty"`
}

// Patch is a patch whose body is what a template writes.
type Patch struct {
	Subresource string `json:"subresource,omitempty"`
	// Root is the field that the template's output is the value of.
	Root     string `json:"root,omitempty"`
	Template string `json:"template,omitempty"`
	// Type is json, merge or strategic; nil: strategic for Pods and Nodes, otherwise merge.
	Type          *string `json:"type,omitempty"`
	Impersonation any     `json:"impersonation,omitempty"`
}

// Event is an Event about the object.
type Event struct {
	Type    string `json:"type,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
}

// Finalizers are changes of the object's finalizers.
type Finalizers struct {
	Add    []Finalizer `json:"add,omitempty"`
	Remove []Finalizer `json:"remove,omitempty"`
	Empty  bool        `json:"empty,omitempty"`
}

// Finalizer is one of them.
type Finalizer struct {
	Value string `json:"value,omitempty"`
}

// Read reads Stages from YAML or JSON, one or more documents. Other objects are errors.
func Read(text []byte) ([]*Object, error) {
	var all []*Object
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		o := &Object{}
		if err := decoder.Decode(o); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		if o.APIVersion == "" && o.Kind == "" && o.Name == "" {
			continue // an empty document
		}
		if o.APIVersion != APIVersion || o.Kind != Kind {
			return nil, fmt.Errorf("%s %s %q is no %s %s", o.APIVersion, o.Kind, o.Name, APIVersion, Kind)
		}
		all = append(all, o)
	}
}

// steps returns what the Stage does in the order in which it is done.
func (s *Spec) steps() []Step {
	if len(s.Steps) > 0 || s.Next == nil {
		return s.Steps
	}
	n := s.Next
	var all []Step
	if n.Event != nil {
		all = append(all, Step{Event: n.Event})
	}
	if n.Finalizers != nil {
		all = append(all, Step{Finalizers: n.Finalizers})
	}
	for i := range n.Patches {
		all = append(all, Step{Patch: &n.Patches[i]})
	}
	if len(n.Patches) == 0 && n.StatusTemplate != "" {
		p := &Patch{Subresource: "status", Root: "status", Template: n.StatusTemplate, Impersonation: n.StatusPatchAs}
		if n.StatusSubresource != nil {
			p.Subresource = *n.StatusSubresource
		}
		all = append(all, Step{Patch: p})
	}
	if n.Delete {
		all = append(all, Step{Delete: true})
	}
	return all
}
