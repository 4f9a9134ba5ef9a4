// Takes pictures of the page in use, in every engine, to be looked at:
//
//   node playwright/journeys/pictures.js [ENGINE]...
//
// They are put into playwright/results as ENGINE-wide.png, -dark, -narrow-TAB, -presenter, -first, -crashed, -levers,
// and those of a room as -room-teacher.png, -room-learner, wide and as -narrow.
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { startServer } from "../server.js";
import { ENGINES, findEngine } from "../engines/engines.js";
import { Page } from "../engines/page.js";
import { startRooms } from "../room/host.js";
import { configMap, configMaps, lane, says, watch } from "./parts.js";
import { classroom, open } from "./room.js";

const results = fileURLToPath(new URL("../results/", import.meta.url));

/** A lab in use: a watch that came too late for what was compacted, a manifest applied, a list in pages. */
async function use(page) {
  const deployments = "/apis/apps/v1/namespaces/default/deployments";
  await watch(page, configMaps);
  await page.fetch(configMaps, "POST", configMap("settings", { colour: "blue" }));
  await says(page, "w1", "resume after");
  await page.lever("Cut the watches");
  await page.fetch(configMaps + "/settings", "PATCH", { data: { colour: "green" } },
    { "Content-Type": "application/merge-patch+json" });
  await page.lever("Compact now");
  await page.click({ within: lane("w1"), css: "button", name: /^Resume watch w1/ });
  await says(page, "w1", "410");
  await watch(page, deployments);
  await page.click({ css: "header button", name: "Scenes" });
  await page.click({ css: ".scene-card", name: /^Guestbook/ });
  await page.poll("the guestbook is there", async () => (await page.fetch(deployments)).body.items.length === 3);
  await page.press("Escape");
  await page.fetch(deployments + "/frontend", "PATCH", { spec: { replicas: 5 } },
    { "Content-Type": "application/merge-patch+json" });
  await page.send("GET", deployments + "?limit=2");
  await says(page, "p1", "remain");
  await page.fetch(deployments + "/redis-follower", "DELETE");
  await says(page, "w2", "resume after");
}

/**
 * A room in use: a learner works, others are away, and the teacher looks at who takes how much.
 *
 * @param {import("../engines/driver").Engine} engine
 * @param {(page: Page, what: string) => Promise<void>} picture
 */
async function room(engine, picture) {
  const server = await startRooms();
  const profiles = [await engine.profile()];
  const guest = async () => {
    if (engine.manyProfiles) profiles.push(await engine.profile());
    return new Page(await profiles.at(-1).tab("window"), server.url);
  };
  try {
    const page = new Page(await profiles[0].tab(), server.url);
    const { teacher, learner } = await classroom(
      { page, guest, serveRooms: async () => server }, { away: ["Grace", "Dmitri", "Barbara"] });
    await watch(teacher, configMaps);
    for (const name of ["a", "b", "c", "d"]) {
      await learner.fetch(configMaps, "POST", configMap(name, { text: "x".repeat(9000) }));
    }
    await says(teacher, "w1", "resume after");
    await open(teacher);
    await teacher.click({ css: ".room-row", name: /^Ada/ });
    await teacher.see({ css: "#panel-room button", name: "Remove 4 objects" });
    await open(learner);
    await learner.see({ css: ".room-members > li + li" });
    for (const [page, who] of [[teacher, "teacher"], [learner, "learner"]]) {
      await picture(page, `room-${who}`);
      await page.tab.resize(360, 740);
      await picture(page, `room-${who}-narrow`);
    }
  } finally {
    for (const profile of profiles) await profile.close();
    await server.close();
  }
}

const asked = process.argv.slice(2);
await mkdir(results, { recursive: true });
const server = await startServer();
try {
  for (const name of ENGINES.filter((e) => asked.length === 0 || asked.includes(e))) {
    const found = await findEngine(name);
    if (!found) continue;
    const engine = await found.launch();
    try {
      const profile = await engine.profile();
      const page = new Page(await profile.tab(), server.url);
      const pictureOf = async (page, what) => {
        await new Promise((wake) => setTimeout(wake, 600)); // until what moves has come to rest
        await page.tab.screenshot(`${results}${name}-${what}.png`);
      };
      const picture = (what) => pictureOf(page, what);
      await page.open();
      await picture("first");
      await use(page);
      await picture("wide");
      await page.levers();
      await picture("levers");
      await page.press("Escape");
      await page.tab.resize(1920, 1080);
      await page.press("p");
      await picture("presenter");
      await page.press("Escape");
      await page.tab.resize(360, 740);
      for (const tab of ["Lesson", "Console", "Objects"]) {
        await page.click({ css: ".tabs button", name: tab });
        await picture("narrow-" + tab.toLowerCase());
      }
      await page.tab.resize(1440, 900);
      await page.evaluate(() => (document.documentElement.dataset.theme = "dark"));
      await picture("dark");
      await page.evaluate(() => tabernetes.crash());
      await page.see({ css: ".banner" }, "has stopped");
      await picture("crashed");
      await profile.close();
      await room(engine, pictureOf);
      console.log(`${name} ${engine.version}: ${results}${name}-*.png`);
    } finally {
      await engine.close();
    }
  }
} finally {
  await server.stop();
}
