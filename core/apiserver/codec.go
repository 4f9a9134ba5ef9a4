package apiserver

import (
	"fmt"

	"github.com/tabernetes/tabernetes/core/cbor"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/protobuf"
	"sigs.k8s.io/yaml"
)

// mediaType is a way to write objects down.
type mediaType string

const (
	mediaJSON mediaType = "application/json"
	mediaYAML mediaType = "application/yaml"
	// mediaProtobuf is for the objects that have messages: all but custom ones.
	mediaProtobuf mediaType = "application/vnd.kubernetes.protobuf"
	// mediaCBOR is served if the server is told to.
	mediaCBOR    mediaType = "application/cbor"
	mediaCBORSeq mediaType = "application/cbor-seq"
)

// served are the media types of single objects and lists, the default first.
var served = []mediaType{mediaJSON, mediaYAML, mediaProtobuf}

// served returns the media types of what is in the groups, the default first.
func (s *Server) served() []mediaType {
	types := served
	if s.cbor() {
		types = append(types[:len(types):len(types)], mediaCBOR)
	}
	return types
}

func (s *Server) cbor() bool { return s.CBOR != nil && s.CBOR() }

// A codec is what is known of a media type. Everything is JSON first: that is how
// it is stored.
type codec struct {
	// document makes a document of a JSON one. Nil: it is JSON.
	document func(json []byte) ([]byte, error)
	// event adds a frame of a watch, with an object that document has made. Nil:
	// watches cannot be answered.
	event func(dst []byte, kind string, object []byte) []byte
	// stream is the Content-Type of watches, and asked what is asked for to get it.
	stream string
	asked  mediaType
	// tables says whether Tables can be asked for.
	tables bool
	// read makes a JSON document of a body. Nil: it is JSON. With an error there may
	// be a document: what it says that it is counts then, and it cannot be that.
	read func(body []byte, want expected) ([]byte, error)
	// strict says what is wrong with a body that was read. Nil: nothing.
	strict func(body []byte) error
}

var codecs = map[mediaType]codec{
	mediaJSON: {event: appendEvent, stream: string(mediaJSON), asked: mediaJSON + ";stream=watch", tables: true},
	mediaYAML: {
		document: yaml.JSONToYAML, tables: true, strict: object.YAMLProblem,
		read: func(body []byte, _ expected) ([]byte, error) { return object.YAMLToJSON(body) },
	},
	mediaProtobuf: {
		document: protobuf.FromJSON, stream: string(mediaProtobuf) + ";stream=watch", asked: mediaProtobuf + ";stream=watch",
		event: func(dst []byte, kind string, object []byte) []byte {
			return protobuf.AppendFrame(dst, protobuf.WatchEvent(kind, object))
		},
		read: func(body []byte, want expected) ([]byte, error) {
			return protobuf.ToJSON(body, want.groupVersion(), want.kind)
		},
	},
	mediaCBOR: {
		document: cbor.FromJSON, event: cbor.AppendEvent, stream: string(mediaCBORSeq), asked: mediaCBORSeq,
		read: func(body []byte, _ expected) ([]byte, error) {
			document, err := cbor.ToJSON(body, "v1.TypeMeta")
			if err != nil && document == nil {
				err = fmt.Errorf("unable to determine group/version/kind: %w", err)
			}
			return document, err
		},
	},
}

// streams reports whether watches can be answered in a media type.
func (t mediaType) streams() bool { return codecs[t].event != nil }

// streamed returns the media types of watches, as they are asked for.
func streamed(served []mediaType) (types []mediaType) {
	for _, t := range served {
		if t.streams() {
			types = append(types, codecs[t].asked)
		}
	}
	return types
}

// converts reports whether objects can be shown so in a media type.
func (t mediaType) converts(c conversion) bool {
	known, codec := codecs[t]
	return codec && c.known() && (c.kind != kindTable || known.tables)
}

// encode makes a document of a JSON one; false if it stays JSON.
func (t mediaType) encode(document []byte) (encoded []byte, ok bool) {
	encode := codecs[t].document
	if encode == nil {
		return nil, false
	}
	encoded, err := encode(document)
	return encoded, err == nil
}
