package apiserver

import (
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
)

// served are the media types of single objects and lists, the default first.
var served = []mediaType{mediaJSON, mediaYAML, mediaProtobuf}

// A codec is what is known of a media type. Everything is JSON first: that is how
// it is stored.
type codec struct {
	// document makes a document of a JSON one. Nil: it is JSON.
	document func(json []byte) ([]byte, error)
	// event adds a frame of a watch, with an object that document has made. Nil:
	// watches cannot be answered.
	event func(dst []byte, kind string, object []byte) []byte
	// stream is the Content-Type of watches.
	stream string
	// tables says whether Tables can be asked for.
	tables bool
}

var codecs = map[mediaType]codec{
	mediaJSON: {event: appendEvent, stream: string(mediaJSON), tables: true},
	mediaYAML: {document: yaml.JSONToYAML, tables: true},
	mediaProtobuf: {
		document: protobuf.FromJSON, stream: string(mediaProtobuf) + ";stream=watch",
		event: func(dst []byte, kind string, object []byte) []byte {
			return protobuf.AppendFrame(dst, protobuf.WatchEvent(kind, object))
		},
	},
}

// streams says whether watches can be answered in a media type.
func (t mediaType) streams() bool { return codecs[t].event != nil }

// streamed are the media types of watches, as they are asked for.
func streamed() (types []mediaType) {
	for _, t := range served {
		if t.streams() {
			types = append(types, t+";stream=watch")
		}
	}
	return types
}

// converts says whether objects can be shown so in a media type.
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
