// Rooms, by the mouse and the keyboard: a teacher in one tab, a learner in another.
import assert from "node:assert/strict";
import { configMap, configMaps, headAt, rev, says, watch } from "./parts.js";
import { inside } from "../room/host.js";

/** @typedef {import("../engines/page.js").Page} Page */

const ROOM = "/apis/sandbox.tabernetes.dev/v1/rooms/default";
const line = (more = {}) => ({ css: "#room-line", ...more });

/** Opens the room's column. @param {Page} page */
export async function open(page) {
  const hidden = await page.evaluate(() => document.getElementById("panel-room").hidden);
  if (hidden) await page.click({ css: "#room-button" });
}

/** Presses a button of the room's column. @param {Page} page @param {string} name */
export async function press(page, name) {
  await open(page);
  await page.click({ css: "#panel-room button", name });
}

/** Goes to a link, which another page may have shown. @param {Page} page @param {string} link */
async function follow(page, link) {
  await page.tab.goto(link);
  await page.help();
}

/**
 * A teacher and learners, who have come by the links of members, and as many others who have joined and are away.
 *
 * @param {Pick<import("./parts.js").Around, "page" | "guest" | "serveRooms">} around
 * @param {{here?: string[], away?: string[]}} [names] of the learners, and of the others
 */
export async function classroom({ page: teacher, guest, serveRooms }, { here = ["Ada"], away = [] } = {}) {
  const server = await serveRooms();
  const learners = [];
  for (const _ of here) learners.push(await guest());
  const all = [teacher, ...learners];
  for (const page of all) Object.assign(page, { url: server.url, target: "room" });
  const { id, path, token } = await (await fetch(server.url + "/rooms", { method: "POST" })).json();
  /** Acts of the room with a token. */
  const act = async (token, act, body) => {
    const headers = { "Content-Type": "application/json", Authorization: "Bearer " + token };
    const answer = await fetch(server.url + path + ROOM.slice(1) + act,
      { method: "POST", headers, body: JSON.stringify(body) });
    return (await answer.json()).status.token;
  };
  const invitation = await act(token, "/invite", { role: "learner" });
  const join = (displayName) => act(invitation, "/join", { displayName });
  const tokens = [token];
  for (const name of here) tokens.push(await join(name));
  for (const name of away) await join(name);
  for (const [i, page] of all.entries()) await page.open(`/#room=${id}&token=${tokens[i]}`);
  for (const page of all) await inside(page);
  await teacher.see({ css: "#room-button" }, `Room · ${all.length}`);
  return { teacher, learners, learner: learners[0], server };
}

/** Sends what is written in one line through the console. @param {Page} page @param {string} [body] */
async function send(page, method, path, body, code) {
  await page.send(method, path, body);
  await page.see({ css: "#panel-answer" }, code);
}

/** A body that is soon typed: the path says the kind. */
const manifest = (name, more = {}) => JSON.stringify({ metadata: { name, ...more } });

/** @type {import("./parts.js").Journey[]} */
export default [
  {
    name: "room: opened, joined by an invitation, and each sees what the other writes",
    long: true,
    async run({ page: teacher, guest, serveRooms }) {
      const { url } = await serveRooms();
      const learner = await guest();
      teacher.url = learner.url = url;
      teacher.target = learner.target = "room";
      await teacher.open();
      await teacher.click({ css: "#room-button" });
      await teacher.fill({ css: "#room-teacher" }, "Ms Hopper");
      await teacher.press("Enter");
      await inside(teacher);
      await teacher.click({ css: "#panel-room button", name: "Learners" });
      await teacher.see({ css: "#panel-invite [role=img]" });
      const link = await teacher.text({ css: "#panel-invite .room-link" });
      await teacher.click({ css: "#panel-invite button", name: "Close" });

      await follow(learner, link);
      await learner.see({ css: "#room-join" }, "Your role there: learner");
      await learner.fill({ css: "#room-name" }, "Ada");
      await learner.press("Enter");
      await inside(learner);
      assert.ok(!/token|room=/.test(await learner.evaluate(() => location.href)), "the token is still in the address");
      await open(teacher);
      await teacher.see({ css: ".room-members > li + li" }, /Ada\s+learner, here/);
      await teacher.press("Escape");
      await teacher.see({ css: "#panel-lesson" });

      await watch(teacher, configMaps);
      await says(teacher, "w1", "open");
      await send(learner, "POST", configMaps, manifest("shared"), "201");
      const made = rev(await learner.fetch(configMaps + "/shared"));
      await says(teacher, "w1", `resume after ${made}(;|$)`);
      await teacher.press("Alt+2");
      await teacher.press("ArrowLeft");
      await teacher.press("Enter");
      await teacher.see({ css: "#panel-answer" }, /created the ConfigMap shared.*By Ada with/);
    },
  },
  {
    name: "room: two change the same object, and the second meets a 409",
    long: true,
    async run(around) {
      const { teacher, learner } = await classroom(around);
      await send(learner, "POST", configMaps, manifest("shared"), "201");
      const version = rev(await learner.fetch(configMaps + "/shared"));
      const changed = (by) => manifest("shared", { resourceVersion: String(version), labels: { by } });
      await send(teacher, "PUT", configMaps + "/shared", changed("teacher"), "200");
      await send(learner, "PUT", configMaps + "/shared", changed("ada"), "409");
      await learner.see({ css: "#panel-answer" }, "the object has been modified");
      assert.equal((await teacher.fetch(configMaps + "/shared")).body.metadata.labels.by, "teacher");
    },
  },
  {
    name: "room: follow me, wander off, and follow again",
    long: true,
    async run(around) {
      const { teacher, learner } = await classroom(around);
      await headAt(learner, rev(await teacher.fetch(configMaps, "POST", configMap("one"))));
      await press(teacher, "Follow me");
      await teacher.press("Escape");
      await teacher.see(line(), "Everyone follows you");
      await learner.see(line(), "Following Teacher");
      await teacher.click({ css: "#tab-objects" });
      await learner.see({ css: "#panel-objects" });
      await teacher.click({ css: "#st-bar button", name: /^One revision back/ });
      await teacher.see({ css: "#st-revision" }, "showing revision");
      await learner.see({ css: "#st-revision" }, "showing revision");
      // Who moves the playhead stays where it is put.
      await learner.click({ css: "#st-bar button", name: "Back to live" });
      await learner.gone({ css: "#st-revision", text: /showing revision/ });
      await learner.click({ css: "#room-line button", name: "Follow Teacher again" });
      await learner.see({ css: "#st-revision" }, "showing revision");
      await learner.see(line(), "Following Teacher");
      await teacher.click({ css: "#room-line button", name: "Stop" });
      await learner.gone(line({ text: /Following/ }));
    },
  },
  {
    name: "room: a teacher ends a link, removes objects and a person, and comes back by the own link",
    long: true,
    async run(around) {
      const { teacher, learner } = await classroom(around);
      const made = await learner.fetch(configMaps, "POST", configMap("mine"));
      assert.equal(made.status, 201);
      await open(teacher);
      await teacher.see({ css: ".room-links li" }, "1 joined");
      await teacher.click({ css: "#panel-room button", name: /^End this link/ });
      await teacher.click({ css: "#panel-room button", name: "End it" });
      await teacher.see({ css: ".room-links li.is-ended" }, "ended, 1 joined");

      await teacher.click({ css: ".room-row", name: /^Ada/ });
      await teacher.click({ css: "#panel-room button", name: "Remove 1 object" });
      await teacher.click({ css: "#panel-room button", name: "Remove them" });
      await teacher.poll("the object is gone", async () => (await teacher.fetch(configMaps + "/mine")).status === 404);
      await teacher.click({ css: "#panel-room button", name: "Remove Ada" });
      await teacher.click({ css: "#panel-room button", name: "Remove" });
      await learner.see(line(), "A teacher removed you");
      await teacher.gone({ css: ".room-row", name: /^Ada/ });

      // What is on the clipboard cannot be read by every driver: what is put there can.
      await teacher.evaluate(() => {
        window.copied = "";
        const { clipboard } = navigator;
        if (clipboard) clipboard.writeText = async (text) => void (window.copied = text);
        document.addEventListener("copy",
          () => (window.copied = String(document.activeElement.value ?? getSelection())));
      });
      await teacher.click({ css: "#panel-room button", name: "Copy my link back" });
      await teacher.until("the link was copied", () => /#room=\w+&token=/.test(window.copied));
      const back = await teacher.evaluate(() => window.copied);
      await teacher.press("Escape");
      await teacher.see({ css: "#panel-lesson" });
      await follow(learner, back);
      await learner.see({ css: "#room-button" }, "Room · 1");
      await open(learner);
      await learner.see({ css: ".room-members > li" }, /Teacher\s+\(you\)\s+teacher, here/);
    },
  },
  {
    name: "room: writes are frozen, the connection is lost, and all goes on",
    long: true,
    async run(around) {
      const { teacher, learner, server } = await classroom(around);
      await watch(learner, configMaps);
      await says(learner, "w1", "open");
      await press(teacher, "Freeze writes");
      await learner.see(line(), "Writes are frozen");
      await send(learner, "POST", configMaps, manifest("too-late"), "403");
      await teacher.click({ css: "#panel-room button", name: "Freeze writes" });
      await learner.gone(line({ text: /frozen/ }));
      await teacher.press("Escape");
      await send(learner, "POST", configMaps, manifest("kept"), "201");
      const { body: kept } = await teacher.fetch(configMaps + "/kept");

      await server.stop();
      for (const page of [teacher, learner]) await page.see(line(), "Connection lost");
      await says(learner, "w1", "broken|ended|lost");
      await learner.click({ css: "#room-line button", name: "Try now" });
      await learner.see(line(), "Connection lost");
      await server.start();
      for (const page of [teacher, learner]) {
        // By now it may have tried by itself.
        await page.evaluate(() => document.querySelector("#room-line [data-action=room-retry]")?.click());
        await page.gone(line({ text: /lost/ }));
      }
      assert.deepEqual((await learner.fetch(configMaps + "/kept")).body, kept);
      await send(teacher, "POST", configMaps, manifest("after"), "201");
      const after = rev(await teacher.fetch(configMaps + "/after"));
      await says(learner, "w1", `open.*resume after ${after}(;|$)`);
    },
  },
];
