package apiserver

import (
	"fmt"

	"github.com/tabernetes/tabernetes/core/cbor"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/protobuf"
	"sigs.k8s.io/yaml"
)

// mediaType is the media type of a representation of objects.
type mediaType string

const (
	mediaJSON mediaType = "application/json"
	mediaYAML mediaType = "application/yaml"
	// mediaProtobuf is for objects that have messages: all except custom ones.
	mediaProtobuf mediaType = "application/vnd.kubernetes.protobuf"
	// mediaCBOR is served if it is enabled.
	mediaCBOR    mediaType = "application/cbor"
	mediaCBORSeq mediaType = "application/cbor-seq"
)

// served are the media types of single objects and lists, the default first.
var served = []mediaType{mediaJSON, mediaYAML, mediaProtobuf}

// served returns the media types for objects of some groups, the default first.
func (s *Server) served() []mediaType {
	types := served
	if s.cbor() {
		types = append(types[:len(types):len(types)], mediaCBOR)
	}
	return types
}

func (s *Server) cbor() bool { return s.CBOR != nil && s.CBOR() }

// A codec implements a media type. All documents are JSON first, in which objects are stored.
type codec struct {
	// document encodes a JSON document. Nil: it stays JSON.
	document func(json []byte) ([]byte, error)
	// event appends a frame of a watch up to the object, of size bytes as document has encoded it, and after is
	// what follows the object. Nil: there are no watches in the media type.
	event func(dst []byte, kind string, size int) []byte
	after string
	// stream is the Content-Type of watches, and asked the one in an Accept header.
	stream string
	asked  mediaType
	// tables reports whether Tables are supported.
	tables bool
	// read converts a body to JSON. Nil: it is JSON. With an error there may be a document: then its
	// apiVersion and kind are read for the answer.
	read func(body []byte, want expected) ([]byte, error)
	// strict returns the problems of a body that was read. Nil means none.
	strict func(body []byte) error
}

var codecs = map[mediaType]codec{
	mediaJSON: {
		event: appendEventHead, after: "}\n",
		stream: string(mediaJSON), asked: mediaJSON + ";stream=watch", tables: true,
	},
	mediaYAML: {
		document: yaml.JSONToYAML, tables: true, strict: object.YAMLProblem,
		read: func(body []byte, _ expected) ([]byte, error) { return object.YAMLToJSON(body) },
	},
	mediaProtobuf: {
		document: protobuf.FromJSON, stream: string(mediaProtobuf) + ";stream=watch", asked: mediaProtobuf + ";stream=watch",
		event: protobuf.AppendEventHead,
		read: func(body []byte, want expected) ([]byte, error) {
			return protobuf.ToJSON(body, want.groupVersion(), want.kind)
		},
	},
	mediaCBOR: {
		document: cbor.FromJSON, stream: string(mediaCBORSeq), asked: mediaCBORSeq,
		event: func(dst []byte, kind string, _ int) []byte { return cbor.AppendEvent(dst, kind, nil) },
		read: func(body []byte, _ expected) ([]byte, error) {
			document, err := cbor.ToJSON(body, "v1.TypeMeta")
			if err != nil && document == nil {
				err = fmt.Errorf("unable to determine group/version/kind: %w", err)
			}
			return document, err
		},
	},
}

// streams reports whether a media type supports watches.
func (t mediaType) streams() bool { return codecs[t].event != nil }

// streamed returns the media types of watches, as in Accept headers.
func streamed(served []mediaType) (types []mediaType) {
	for _, t := range served {
		if t.streams() {
			types = append(types, codecs[t].asked)
		}
	}
	return types
}

// converts reports whether a media type supports a conversion.
func (t mediaType) converts(c conversion) bool {
	known, codec := codecs[t]
	return codec && c.known() && (c.kind != kindTable || known.tables)
}

// encode encodes a JSON document; false if it stays JSON.
func (t mediaType) encode(document []byte) (encoded []byte, ok bool) {
	encode := codecs[t].document
	if encode == nil {
		return nil, false
	}
	encoded, err := encode(document)
	return encoded, err == nil
}
