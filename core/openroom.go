package core

import (
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/room"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// firstTeacher is the name of the first Member of a room.
const firstTeacher = "teacher"

// openRoom creates the missing initial objects of a room. A new room has one teacher.
func (i *instance) openRoom() error {
	if i.room == nil {
		return nil
	}
	objects := room.Objects()
	_, err := i.registry.Get(i.ctx, registry.Target{Resource: room.Rooms, Name: room.Name})
	if status.Is(err, status.NotFound) && i.cluster.current.Load() == nil {
		objects = append(objects, room.MemberObject(firstTeacher, "Teacher", room.Teacher),
			room.TokenObject(i.cluster.options.Room.TeacherToken, firstTeacher, ""))
	} else if err != nil && !status.Is(err, status.NotFound) {
		return err
	}
	for _, obj := range objects {
		if err := i.ensure(obj); err != nil {
			return err
		}
	}
	return nil
}

// inheritRoom gives the instance exactly the members and tokens of the instance that it replaces, which
// commits nothing meanwhile: nobody who has joined is lost, and no token comes back.
func (i *instance) inheritRoom(old *instance) error {
	if i.room == nil {
		return nil
	}
	for _, row := range room.Resources() {
		if err := i.takeOver(row, old); err != nil {
			return err
		}
	}
	return nil
}

// takeOver replaces the objects of a type by those of another instance.
func (i *instance) takeOver(row *schema.Resource, old *instance) error {
	theirs, err := old.store.Range(row.Bucket(), mvcc.Query{})
	if err != nil {
		return err
	}
	kept := map[string]string{}
	for _, item := range theirs.Items {
		kept[item.Key] = string(item.Value)
	}
	mine, err := i.store.Range(row.Bucket(), mvcc.Query{})
	if err != nil {
		return err
	}
	for _, item := range mine.Items {
		if kept[item.Key] == string(item.Value) {
			continue
		}
		_, _, err := i.registry.Delete(i.ctx, registry.Target{Resource: row, Name: item.Key}, registry.DeleteOptions{})
		if err != nil {
			return err
		}
	}
	for _, item := range theirs.Items {
		obj, _, err := object.Decode(item.Value, row.Type())
		if err != nil {
			return err
		}
		again := map[string]any{
			"apiVersion": row.APIVersion(), "kind": row.Kind, "metadata": map[string]any{"name": object.Name(obj)},
			"spec": obj["spec"],
		}
		if err := i.ensure(again); err != nil {
			return err
		}
	}
	return nil
}
