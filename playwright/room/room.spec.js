// A class in a room: a teacher and three learners, each in their own browser.
import { expect } from "@playwright/test";
import { expectNoViolations } from "../axe.js";
import { test } from "./class.js";

const MAPS = "/api/v1/namespaces/default/configmaps";
const MEMBERS = "/apis/sandbox.tabernetes.dev/v1/members";

// Four pages start at once, each with its own API server.

/** Writes a config map. */
const write = (who, name, data = {}) =>
  who.fetch(MAPS, { method: "POST", body: { metadata: { name }, data } });

/** The buttons of time travel. */
const oldest = (who) => who.timeline.bar.getByRole("button", { name: /^Travel to the oldest/ });
const live = (who) => who.timeline.bar.getByRole("button", { name: "Back to live" });

/** The objects of the events in somebody's lanes. */
const received = async (who) => (await who.timeline.events()).map((e) => e.object);

/** Whether the end of a lane, where it continues, can be seen. */
const inView = (who, lane) => who.page.locator(`#st-plot-${lane} .st-arrow`).evaluateAll((arrows) =>
  arrows.some((arrow) => {
    const plot = arrow.closest("svg")?.getBoundingClientRect(); // it may just have been drawn again
    const box = arrow.getBoundingClientRect();
    return plot && box.width > 0 && box.right > plot.left && box.left < plot.right;
  }));

/** Applies a config map as a field manager. */
const apply = (who, name, manager, data) =>
  who.fetch(`${MAPS}/${name}?fieldManager=${manager}`, { method: "PATCH",
    headers: { "Content-Type": "application/apply-patch+yaml" },
    body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data } });

test("a class: who is here, each other's writes, 409, a conflict, a 403", async ({ people }) => {
  const [teacher, ada, bob, cleo] = people;
  await expect.poll(() => teacher.people()).toEqual([
    "Ada learner, here", "Bob learner, here", "Cleo learner, here", "Ms Hopper (you) teacher, here"]);
  await teacher.closeColumn();
  for (const { page } of people) expect(page.url()).not.toMatch(/token|room=/);

  // One's write arrives in another's watch, and says who has made it.
  await bob.timeline.watch(MAPS);
  await expect(bob.timeline.words("w1")).toHaveAccessibleName(/open/);
  const made = await write(ada, "shared", { a: "1" });
  expect(made.status).toBe(201);
  const revision = Number(made.body.metadata.resourceVersion);
  await bob.timeline.showTables();
  await expect.poll(() => received(bob)).toContain("configmaps default/shared");
  const written = bob.timeline.tables.getByRole("row").filter({ hasText: "configmaps default/shared" });
  await expect(written.filter({ hasText: "by Ada" })).not.toHaveCount(0);
  await bob.timeline.tables.getByRole("button", { name: String(revision), exact: true }).first().click();
  await expect(bob.lab.response).toContainText("By Ada with");

  // Two who update the same object: the second gets a real 409.
  const old = (await bob.fetch(`${MAPS}/shared`)).body;
  const mine = (await cleo.fetch(`${MAPS}/shared`)).body;
  expect((await bob.fetch(`${MAPS}/shared`, { method: "PUT", body: { ...old, data: { a: "bob" } } })).status).toBe(200);
  const late = await cleo.fetch(`${MAPS}/shared`, { method: "PUT", body: { ...mine, data: { a: "cleo" } } });
  expect(late.body).toMatchObject({ code: 409, reason: "Conflict" });

  // Two field managers: a real conflict.
  expect((await apply(ada, "applied", "ada", { size: "1" })).status).toBe(201);
  const conflict = await apply(bob, "applied", "bob", { size: "2" });
  expect(conflict.status).toBe(409);
  expect(conflict.body.message).toContain('conflict with "ada"');

  // A learner may not do what a teacher may.
  const forbidden = await ada.fetch("/apis/rbac.authorization.k8s.io/v1/clusterroles", { method: "POST",
    body: { metadata: { name: "mine" }, rules: [] } });
  expect(forbidden.body).toMatchObject({ code: 403, reason: "Forbidden" });
  expect(forbidden.body.message).toMatch(/User "member:ada-\w+" cannot create resource "clusterroles"/);
  await ada.openColumn();
  await expect(ada.column.getByRole("button", { name: "Freeze writes" })).toHaveCount(0);
});

test("follow me, wander off, hand over", { tag: "@long" }, async ({ people }) => {
  const [teacher, ada, bob] = people;
  const first = Number((await write(teacher, "one")).body.metadata.resourceVersion);
  const second = Number((await write(teacher, "two")).body.metadata.resourceVersion);
  await teacher.press("Follow me");
  await teacher.closeColumn();
  await expect(teacher.line).toContainText("Everyone follows you");
  await expect(ada.line).toContainText("Following Ms Hopper");

  // The page of a learner goes where the teacher's goes: playhead and panel.
  await ada.timeline.watch(MAPS);
  await expect(ada.timeline.words("w1")).toHaveAccessibleName(/open/);
  await teacher.timeline.showTables();
  await teacher.timeline.tables.getByRole("button", { name: String(second), exact: true }).first().click();
  for (const learner of [ada, bob]) {
    await expect(learner.lab.response).toContainText(`${second} created the ConfigMap two`);
  }
  await teacher.lab.showTab("Objects");
  await expect(ada.lab.objects).toBeVisible();
  await oldest(teacher).click();
  await expect.poll(() => teacher.timeline.revision()).toBeLessThan(first);
  const at = await teacher.timeline.revision();
  for (const learner of [ada, bob]) await expect.poll(() => learner.timeline.revision()).toBe(at);
  // The lanes stay in view beside it.
  await expect.poll(() => inView(ada, "w1")).toBe(true);

  // A lesson's step.
  await teacher.page.evaluate(() => (location.hash = "#lesson-addresses-where-are-the-deployments"));
  const lesson = ada.page.getByRole("region", { name: "Lesson", exact: true });
  await expect(lesson.locator(".lesson[data-open] [data-shown]")).toContainText("Where are the Deployments?");
  await live(teacher).click();
  await expect.poll(() => ada.timeline.revision()).toBeGreaterThanOrEqual(second);

  // Who moves the playhead stays behind, until it is wanted again.
  await oldest(ada).click();
  await expect(ada.line.getByRole("button", { name: "Follow Ms Hopper again" })).toBeVisible();
  await expect.poll(() => ada.timeline.revision()).toBeLessThan(first);
  await expect(bob.line).toContainText("Following Ms Hopper");
  await ada.line.getByRole("button", { name: "Follow Ms Hopper again" }).click();
  await expect.poll(() => ada.timeline.revision()).toBeGreaterThanOrEqual(second);

  // The lead passes to a learner, and comes back.
  await teacher.act("Bob", "Hand over to Bob");
  await expect(bob.line).not.toContainText("Following");
  await bob.press("Follow me");
  await bob.closeColumn();
  // The teacher's column has a button more then, above the people.
  for (const person of [ada, teacher]) await expect(person.line).toContainText("Following Bob");
  await teacher.act("Bob", "Take back the lead from Bob");
  await expect(ada.line).not.toContainText("Following");
});

test("the past leaves out what a learner may not read, and says nothing of it", { tag: "@long" }, async ({ pair }) => {
  const [teacher, ada] = pair;
  expect((await write(teacher, "one")).status).toBe(201);
  expect((await ada.fetch("/apis/rbac.authorization.k8s.io/v1/clusterroles")).status).toBe(403);
  for (const who of [ada, teacher]) {
    await who.lab.showTab("Objects");
    await oldest(who).click();
    await expect(who.lab.objects).toContainText(/Objects as of \d+/);
    await expect(who.lab.objects).toContainText("by exact reads");
    await expect(who.lab.objects).not.toContainText("cannot be read as of");
  }
});

test("progress is shown to teachers by those who want it", { tag: "@long" }, async ({ pair }) => {
  const [teacher, ada] = pair;
  const column = await teacher.openColumn();
  await expect(column.getByRole("row").filter({ hasText: "Ada" })).toContainText(/step 1 of \d+/);
  for (const colorScheme of ["light", "dark"]) {
    await teacher.page.emulateMedia({ colorScheme });
    await expectNoViolations(teacher.page, `a teacher's menu, ${colorScheme}`);
  }
  await expect(column.getByRole("row").filter({ hasText: "Bob" })).toHaveCount(0);
  await (await ada.openColumn()).getByRole("checkbox", { name: /^Teachers see/ }).uncheck();
  await expect(column.getByRole("row").filter({ hasText: "Ada" })).toHaveCount(0);
});

test("a teacher freezes writes, resets, and takes that back", { tag: "@long" }, async ({ pair }) => {
  const [teacher, ada] = pair;
  await teacher.press("Freeze writes");
  await expect(ada.line).toContainText("Writes are frozen");
  const refused = await write(ada, "frozen");
  expect(refused.status).toBe(403);
  expect((await write(teacher, "thawed")).status).toBe(201);
  await teacher.press("Freeze writes");
  await expect(ada.line).not.toContainText("frozen");
  expect((await write(ada, "frozen")).status).toBe(201);

  // A reset takes the objects and leaves the people; undoing it brings the objects back.
  await teacher.press("Reset the room");
  await teacher.column.getByRole("button", { name: "Press again to delete all objects" }).click();
  await expect.poll(async () => (await ada.fetch(`${MAPS}/frozen`)).status).toBe(404);
  await expect.poll(() => teacher.people()).toEqual(["Ada learner, here", "Ms Hopper (you) teacher, here"]);
  await teacher.closeColumn();
  await teacher.page.getByRole("button", { name: /^Undo/ }).click();
  await expect.poll(async () => (await ada.fetch(`${MAPS}/frozen`)).status).toBe(200);
});

test("a learner copies the room into the own tab, and comes back", { tag: "@long" }, async ({ pair }) => {
  const [, ada] = pair;
  await write(ada, "kept", { a: "1" });
  await ada.press("Copy the room into my tab");
  await expect(ada.line).toContainText("Your own cluster");
  await ada.lab.says(/\d+ objects copied/);
  expect((await ada.fetch(`${MAPS}/kept`)).body.data).toEqual({ a: "1" });
  expect((await ada.fetch(`${MAPS}/kept`, { method: "DELETE" })).status).toBe(200);
  await ada.line.getByRole("button", { name: "Back to the room" }).click();
  await expect(ada.line).not.toContainText("Your own cluster");
  expect((await ada.fetch(`${MAPS}/kept`)).status).toBe(200);
});

test("the server is restarted: all resume, and nothing is lost", { tag: "@long" }, async ({ people, host }) => {
  const [teacher, ada, bob, cleo] = people;
  await bob.timeline.watch(MAPS);
  await expect(bob.timeline.words("w1")).toHaveAccessibleName(/open/);
  await teacher.press("Follow me");
  await teacher.closeColumn();
  const acknowledged = new Map();
  const note = ({ status, body }) => {
    expect(status).toBe(201);
    acknowledged.set(body.metadata.name, body.metadata.resourceVersion);
  };
  for (const [who, name] of [[ada, "a"], [bob, "b"], [cleo, "c"], [teacher, "t"]]) note(await write(who, name));

  await host.stop();
  for (const who of people) await expect(who.line).toContainText("Connection lost");
  await host.start();
  for (const who of people) await expect(who.line).not.toContainText("lost");
  await ada.inside();

  note(await write(ada, "after"));
  for (const who of people) {
    const { body } = await who.fetch(MAPS);
    const found = new Map(body.items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
    for (const [name, revision] of acknowledged) expect(found.get(name), name).toBe(revision);
  }
  // The watch has continued where it was, and the stage has every write.
  await expect(bob.timeline.words("w1")).toHaveAccessibleName(/open/);
  await bob.timeline.showTables();
  await expect.poll(() => received(bob)).toContain("configmaps default/after");
  await expect.poll(() => bob.timeline.revision()).toBe(Number(acknowledged.get("after")));
  await expect(ada.line).toContainText("Following Ms Hopper");
});

test("links that lead nowhere, lessons, and leaving", { tag: "@long" }, async ({ pair, person, host }) => {
  const [teacher, ada] = pair;
  const stranger = await person();
  await stranger.lab.open("/?nosw#room=0123456789&token=AAAAAAAAAAAAAAAAAAAAAA");
  await expect(stranger.column.getByRole("alert")).toContainText("there is no such room");
  await stranger.page.evaluate(() => (location.hash = "#room=https://other.example/rooms/x/&token=a"));
  await expect(stranger.column.getByRole("alert")).toContainText("on another server");
  const link = await teacher.invite("Spectators");
  await stranger.page.goto(`${host.url}/?nosw#rooms`);
  const paste = stranger.column.getByRole("textbox", { name: /paste an invitation link/ });
  await paste.fill(link.replace(/token=.*/, "token=AAAAAAAAAAAAAAAAAAAAAA"));
  await stranger.column.getByRole("button", { name: "Continue" }).click();
  await expect(stranger.column.getByRole("alert")).toContainText("no longer valid");
  await paste.fill(link);
  await stranger.column.getByRole("button", { name: "Continue" }).click();
  await expect(stranger.column).toContainText("Your role there: spectator");
  await stranger.column.getByRole("button", { name: "Cancel" }).click();
  await expect(stranger.column.getByRole("button", { name: "Open a room" })).toBeVisible();

  // A learner's lesson does not run in the room.
  await ada.page.keyboard.press("r");
  const lesson = ada.page.getByRole("region", { name: "Lesson", exact: true });
  await expect(lesson).toContainText("Lessons run in your own cluster");
  await lesson.getByRole("button", { name: "Go to my tab" }).click();
  await expect(ada.line).toContainText("Your own cluster");

  await ada.press("Leave the room");
  await expect(ada.column).toContainText("Only your link back would bring you in again");
  await ada.column.getByRole("button", { name: "Leave", exact: true }).click();
  await expect(ada.button).toHaveText("Room");
  const kept = await ada.page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));
  expect(kept).not.toContain('token\\"');
  await expect.poll(() => teacher.people()).toContain("Ada learner, away");

  // A person whom a teacher removes gets a message.
  const guest = await person();
  await guest.join(await teacher.invite("Learners"), "Dora");
  const name = (await teacher.fetch(`${MEMBERS}`)).body.items.find((m) => m.spec.displayName === "Dora").metadata.name;
  expect((await teacher.fetch(`${MEMBERS}/${name}`, { method: "DELETE" })).status).toBe(200);
  await expect(guest.line).toContainText("A teacher removed you");
  await expect(await guest.openColumn()).toContainText("Another invitation lets you in again");
});

test("a page whose server has no rooms says what has them", { tag: "@long" }, async ({ person }) => {
  const visitor = await person();
  await visitor.page.route("**/rooms", (route) => route.fulfill({ status: 404, body: "not found" }));
  await visitor.lab.open("/?nosw#rooms");
  await visitor.column.getByRole("button", { name: "Open a room" }).click();
  await expect(visitor.column).toContainText("go run ./devserver --rooms");
});
