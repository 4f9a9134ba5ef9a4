package core

import (
	"context"
	"errors"
)

// TeacherToken returns a new token of a teacher of the room, for whoever runs the host. If there is no teacher,
// there is one then.
func (c *Cluster) TeacherToken(ctx context.Context) (string, error) {
	i := c.current.Load()
	if i.room == nil {
		return "", errors.New("core: the cluster is no room")
	}
	return i.room.TeacherToken(ctx)
}
