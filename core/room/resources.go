package room

import (
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

const (
	group      = wellknown.Group
	version    = "v1"
	apiVersion = group + "/" + version
	prefix     = "/registry/" + group + "/"
)

// The resource types.
var (
	// Rooms has the room itself, of the name Name.
	Rooms = &schema.Resource{
		Group: group, Version: version,
		Plural: "rooms", Singular: "room", Kind: "Room", ListKind: "RoomList",
		Verbs: []string{"get", "list", "patch", "update", "watch"},
		Subresources: []schema.Subresource{
			{Name: "follow", Group: group, Version: version, Kind: "Room", Verbs: []string{"get"}},
			{Name: "invite", Group: group, Version: version, Kind: "Room", Verbs: []string{"create"}},
			{Name: "join", Group: group, Version: version, Kind: "Room", Verbs: []string{"create"}},
			{Name: "purge", Group: group, Version: version, Kind: "Room", Verbs: []string{"create"}},
			{Name: "relay", Group: group, Version: version, Kind: "Room", Verbs: []string{"get"}, Numbers: []string{"since"}},
			{Name: "report", Group: group, Version: version, Kind: "Room", Verbs: []string{"create"}},
			{Name: "show", Group: group, Version: version, Kind: "Room", Verbs: []string{"create"}},
			{Name: "usage", Group: group, Version: version, Kind: "Room", Verbs: []string{"get"}},
		},
		Columns: []schema.Column{
			{Name: "Frozen", Type: "boolean", JSONPath: ".spec.frozen",
				Description: "Whether only teachers may write."},
			{Name: "Leader", Type: "string", JSONPath: ".spec.leader",
				Description: "Whose view the others follow."},
			{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp",
				Description: schema.CreationDescription()},
		},
		StoragePrefix: prefix + "rooms",
		Behaviour:     schema.Behaviour{UnconditionalUpdate: true},
	}
	// Members has the people and programs.
	Members = &schema.Resource{
		Group: group, Version: version,
		Plural: "members", Singular: "member", Kind: "Member", ListKind: "MemberList",
		Verbs: allVerbs,
		Subresources: []schema.Subresource{
			{Name: "leave", Group: group, Version: version, Kind: "Member", Verbs: []string{"create"}},
			{Name: "rename", Group: group, Version: version, Kind: "Member", Verbs: []string{"create"}},
			{Name: "token", Group: group, Version: version, Kind: "Member", Verbs: []string{"create"}},
		},
		Columns: []schema.Column{
			{Name: "Display-Name", Type: "string", JSONPath: ".spec.displayName",
				Description: "What the member is called."},
			{Name: "Role", Type: "string", JSONPath: ".spec.role",
				Description: "What the member may do: teacher, learner, spectator or program."},
			{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp",
				Description: schema.CreationDescription()},
		},
		StoragePrefix: prefix + "members",
		Behaviour:     schema.Behaviour{UnconditionalUpdate: true},
	}
	// RoomTokens has the hashes of tokens.
	RoomTokens = &schema.Resource{
		Group: group, Version: version,
		Plural: "roomtokens", Singular: "roomtoken", Kind: "RoomToken", ListKind: "RoomTokenList",
		Verbs: allVerbs,
		Columns: []schema.Column{
			{Name: "Member", Type: "string", JSONPath: ".spec.member",
				Description: "Whose token it is."},
			{Name: "Invites", Type: "string", JSONPath: ".spec.invites",
				Description: "The role of a member who joins with it."},
			{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp",
				Description: schema.CreationDescription()},
		},
		StoragePrefix: prefix + "roomtokens",
		Behaviour:     schema.Behaviour{UnconditionalUpdate: true},
	}
)

var allVerbs = []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}

// Resources returns the resource types that a cluster has as a room.
func Resources() []*schema.Resource { return []*schema.Resource{Rooms, Members, RoomTokens} }

// Name is the name of the Room.
const Name = "default"
