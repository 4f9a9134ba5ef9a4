// Package gates has the feature gates of kube-apiserver v1.36 as far as they are known here: those that a client can
// see in lists, watches, patches and deletions, and the names of the others, which cannot be set because they would
// have no effect. README lists these, with the reasons.
//
// A Set is a number: looking up a gate costs nothing.
package gates

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A Gate is a feature gate with an effect.
type Gate uint8

// The gates, in the order of their names.
const (
	AllowUnsafeMalformedObjectDeletion Gate = iota
	BtreeWatchCache
	CBORServingAndStorage
	CRDValidationRatcheting
	ConsistentListFromCache
	CustomResourceFieldSelectors
	ListFromCacheSnapshot
	OrderedNamespaceDeletion
	ResilientWatchCacheInitialization
	RetryGenerateName
	SeparateCacheWatchRPC
	ShardedListAndWatch
	StreamingCollectionEncodingToJSON
	StreamingCollectionEncodingToProtobuf
	WatchList
)

// The stages of features.
const (
	Alpha      = "ALPHA"
	Beta       = "BETA"
	GA         = ""
	Deprecated = "DEPRECATED"
)

// A Spec is what is known of a gate.
type Spec struct {
	Name  string
	Stage string
	// Default is whether it is on unless it is set. A Locked one cannot be set to anything else.
	Default, Locked bool
}

// specs are the gates; GA is the zero stage.
var specs = []Spec{
	AllowUnsafeMalformedObjectDeletion:    {Name: "AllowUnsafeMalformedObjectDeletion", Stage: Alpha},
	BtreeWatchCache:                       {Name: "BtreeWatchCache", Default: true, Locked: true},
	CBORServingAndStorage:                 {Name: "CBORServingAndStorage", Stage: Alpha},
	CRDValidationRatcheting:               {Name: "CRDValidationRatcheting", Default: true, Locked: true},
	ConsistentListFromCache:               {Name: "ConsistentListFromCache", Default: true, Locked: true},
	CustomResourceFieldSelectors:          {Name: "CustomResourceFieldSelectors", Default: true, Locked: true},
	ListFromCacheSnapshot:                 {Name: "ListFromCacheSnapshot", Stage: Beta, Default: true},
	OrderedNamespaceDeletion:              {Name: "OrderedNamespaceDeletion", Default: true, Locked: true},
	ResilientWatchCacheInitialization:     {Name: "ResilientWatchCacheInitialization", Default: true, Locked: true},
	RetryGenerateName:                     {Name: "RetryGenerateName", Default: true, Locked: true},
	SeparateCacheWatchRPC:                 {Name: "SeparateCacheWatchRPC", Stage: Deprecated, Locked: true},
	ShardedListAndWatch:                   {Name: "ShardedListAndWatch", Stage: Alpha},
	StreamingCollectionEncodingToJSON:     {Name: "StreamingCollectionEncodingToJSON", Default: true, Locked: true},
	StreamingCollectionEncodingToProtobuf: {Name: "StreamingCollectionEncodingToProtobuf", Default: true, Locked: true},
	WatchList:                             {Name: "WatchList", Stage: Beta, Default: true},
}

// others are the gates of the API server without an effect here.
const others = ` APIResponseCompression APIServerIdentity APIServerTracing APIServingWithRoutine
 AggregatedDiscoveryRemoveBetaType AllowParsingUserUIDFromCertAuth AnonymousAuthConfigurableEndpoints
 AuthorizeWithSelectors CRDObservedGenerationTracking ConcurrentWatchObjectDecode ConstrainedImpersonation
 CoordinatedLeaderElection DeclarativeValidation DeclarativeValidationBeta DeclarativeValidationTakeover
 DetectCacheInconsistency KMSv1 ManifestBasedAdmissionControlConfig MutatingAdmissionPolicy OpenAPIEnums
 RemoteRequestHeaderUID SizeBasedListCostEstimate StorageNamespaceIndex StorageVersionAPI StorageVersionHash
 StructuredAuthenticationConfiguration StructuredAuthenticationConfigurationEgressSelector
 StructuredAuthenticationConfigurationJWKSMetrics TokenRequestServiceAccountUIDValidation
 UnauthenticatedHTTP2DOSMitigation UnknownVersionInteroperabilityProxy WatchCacheInitializationPostStartHook `

// Others returns the names of the gates of the API server that have no effect here.
func Others() []string { return strings.Fields(others) }

// all sets all gates of a stage that are not set themselves.
var all = map[string]string{"AllAlpha": Alpha, "AllBeta": Beta}

// Specs returns the gates, in the order of their names.
func Specs() []Spec { return slices.Clone(specs) }

// String returns the gate's name.
func (g Gate) String() string { return specs[g].Name }

// A Set says which gates are on. The zero Set has the defaults.
type Set struct{ changed uint32 }

// Enabled reports whether a gate is on.
func (s Set) Enabled(g Gate) bool { return specs[g].Default != (s.changed&(1<<g) != 0) }

// With returns the set with some gates set, by their names. A refused one has an error, in the words of the real
// server, and stays as it is.
func (s Set) With(values map[string]bool) (Set, map[string]error) {
	errs := map[string]error{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value := values[name]
		if stage, ok := all[name]; ok {
			for g, spec := range specs {
				if _, set := values[spec.Name]; !set && spec.Stage == stage && !spec.Locked {
					s = s.set(Gate(g), value)
				}
			}
			continue
		}
		g := slices.IndexFunc(specs, func(spec Spec) bool { return spec.Name == name })
		switch {
		case g < 0 && slices.Contains(Others(), name):
			errs[name] = fmt.Errorf("feature gate %s has no effect here", name)
		case g < 0:
			errs[name] = fmt.Errorf("unrecognized feature gate: %s", name)
		case specs[g].Locked && value != specs[g].Default:
			errs[name] = fmt.Errorf("cannot set feature gate %s to %t, feature is locked to %t", name, value, specs[g].Default)
		default:
			s = s.set(Gate(g), value)
		}
	}
	return s, errs
}

func (s Set) set(g Gate, on bool) Set {
	if s.changed &^= 1 << g; on != specs[g].Default {
		s.changed |= 1 << g
	}
	return s
}

// Settable returns the gates that can be set, and whether they are on.
func (s Set) Settable() map[string]bool {
	values := map[string]bool{}
	for g, spec := range specs {
		if !spec.Locked {
			values[spec.Name] = s.Enabled(Gate(g))
		}
	}
	return values
}

// Parse reads the value of the flag --feature-gates: "A=true,B=false".
func Parse(text string) (Set, error) {
	values := map[string]bool{}
	for part := range strings.SplitSeq(text, ",") {
		if part == "" {
			continue
		}
		name, value, ok := strings.Cut(part, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok {
			return Set{}, fmt.Errorf("missing bool value for %s", name)
		}
		on, err := strconv.ParseBool(value)
		if err != nil {
			return Set{}, fmt.Errorf("invalid value of %s=%s, err: %v", name, value, err)
		}
		values[name] = on
	}
	s, errs := Set{}.With(values)
	for _, name := range slices.Sorted(maps.Keys(errs)) {
		return Set{}, errs[name]
	}
	return s, nil
}
