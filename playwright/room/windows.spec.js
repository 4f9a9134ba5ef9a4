// What ends the past in a room: its lanes show what the room's API servers remember, to learners too.
import { expect } from "@playwright/test";
import { CONTROL_PLANE } from "../../core/wellknown/wellknown.js";
import { test } from "./class.js";

const MAPS = "/api/v1/namespaces/default/configmaps";

/** Writes a config map, and returns the revision. */
async function write(who, name) {
  const { status, body } = await who.fetch(MAPS, { method: "POST", body: { metadata: { name } } });
  expect(status).toBe(201);
  return Number(body.metadata.resourceVersion);
}

test("what ends the past in a room, and what does not", { tag: "@long" }, async ({ pair }) => {
  const [teacher, ada] = pair;
  const settings = await teacher.fetch(CONTROL_PLANE, { method: "PATCH",
    headers: { "Content-Type": "application/merge-patch+json" },
    body: { spec: { cache: { capacity: { least: 4, most: 4 } } } } });
  expect(settings.status).toBe(200);
  const act = async (name, body) =>
    expect((await teacher.fetch(`${CONTROL_PLANE}/${name}`, { method: "POST", body })).status).toBe(201);
  const words = ada.timeline.words("w1");
  await ada.timeline.watch(MAPS, "head");
  const seen = await write(teacher, "seen");
  await expect(words).toHaveAccessibleName(new RegExp(`open, .*resume after ${seen};`));

  // Etcd forgets, and the caches do not.
  await act("compact", { forgets: "etcd" });
  await expect(ada.timeline.head).toContainText(`etcd from ${seen}`);
  await act("disconnect", {});
  await expect(words).toHaveAccessibleName(/(ended|broken off), /);
  const missed = await write(teacher, "missed");
  await expect(words).not.toHaveAccessibleName(/gone/);
  await ada.timeline.resume("w1");
  await expect(words).toHaveAccessibleName(new RegExp(`open, .*resume after ${missed};`));

  // Others' events push out what Ada needs next.
  await act("disconnect", {});
  for (const name of ["a", "b", "c", "d", "e"]) await write(teacher, name);
  await expect(words).toHaveAccessibleName(
    /which is gone; buffer starts at \d+, 4 of 4, each event pushes one out$/);
  await ada.timeline.resume("w1");
  await expect(ada.timeline.lane("w1")).toContainText("410: pushed out");

  // A restart, which the teacher sees as well.
  await teacher.timeline.watch(MAPS, "head");
  await act("restart", {});
  await write(teacher, "after");
  for (const one of [ada, teacher]) {
    await expect(one.timeline.words("w1")).toHaveAccessibleName(/buffer starts at \d+, 1 of 4, the server restarted$/);
  }
});
