// The journeys: what a person does with the page, in every engine.
//
//   node playwright/journeys/run.js [--engine NAME]... [--without FEATURE|each|all]... [--room] [--all]
//     [--only TEXT]... [--file PAGE]
//
// Without --all or --only, those in which engines are most likely to differ. Without an engine or a feature: in WebKit
// and in Firefox, with --all also in Chromium without any optional feature; Chromium as it is has its own tests, and
// its journeys are asked for by name. An engine that is not here and cannot be installed is skipped, and said.
//
// With --room the same journeys are made in rooms of the server, by their teachers, and in all three engines. What is
// about the tab's own cluster is skipped then, and it is said why. The journeys of rooms themselves (room.js) are made
// without it.
//
// With --file they are made in all three engines with the page that is one file, from the disk. What needs a server is
// skipped then.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { startServer } from "../server.js";
import bench from "./bench.js";
import capstone from "./capstone.js";
import cel from "./cel.js";
import controlplane from "./controlplane.js";
import { ENGINES, findEngine } from "../engines/engines.js";
import driver from "./driver.js";
import embed from "./embed.js";
import exam from "./exam.js";
import frames from "./frames.js";
import keep from "./keep.js";
import lab from "./lab.js";
import lessons from "./lessons.js";
import { Page } from "../engines/page.js";
import present from "./present.js";
import programs from "./programs.js";
import room from "./room.js";
import { RoomPage, startRooms } from "../room/host.js";
import { changedSite, FEATURES, NO_INSTALL, STOPPABLE } from "../site.js";
import share from "./share.js";
import start from "./start.js";
import streams from "./streams.js";
import terminal from "./terminal.js";
import { NoAnswer } from "../engines/webdriver.js";
import { WHOLE_TEST } from "../engines/patience.js";

const { values } = parseArgs({
  options: { engine: { type: "string", multiple: true }, without: { type: "string", multiple: true },
    room: { type: "boolean", default: false }, all: { type: "boolean", default: false },
    only: { type: "string", multiple: true }, file: { type: "string" } },
});
const written = [...start, ...streams, ...cel, ...keep, ...share, ...lab, ...present, ...lessons, ...capstone,
  ...(values.file ? [] : [...bench, ...embed, ...frames]), ...driver];
const tabOnly = values.room || values.file;
const special = process.env.TABERNETES_TERMINAL ? terminal
  : process.env.TABERNETES_CONTROLPLANE && [...controlplane, ...programs];
const asked = special || [...written, ...(tabOnly ? [] : [...room, ...exam])];
const journeys = asked.filter(
  ({ name, long }) => values.only?.some((text) => name.includes(text)) ?? (values.all || !long));
const all = Object.keys(FEATURES);

/** A journey needs a server that was not started. */
class NoServer extends Error {}

/** The page that is a file: all its addresses are its own. */
class FilePage extends Page {
  open(path = "/") {
    return super.open(path.slice(1));
  }
}

/** Every run: an engine, and the features that it goes without. */
function runs() {
  const without = (values.without ?? []).flatMap(
    (f) => (f === "all" ? [all] : f === "each" ? all.map((f) => [f]) : [[f]]));
  if (without.length > 0) return without.map((features) => ({ engine: "chromium", features }));
  const engines = values.engine ??
    ENGINES.filter((e) => tabOnly || e !== "chromium").toReversed(); // the slowest first: two go side by side
  const whole = engines.map((engine) => ({ engine, features: [] }));
  return values.engine || tabOnly || !values.all ? whole : [...whole, { engine: "chromium", features: all }];
}

// Two at a time: a page that opens takes a core, and most of the rest is waiting.
test("journeys", { concurrency: 2 }, async (t) => {
  await Promise.all(runs().map(
    ({ engine, features }) => t.test(titleOf(engine, features), (t) => travel(t, engine, features))));
});

/** @param {string} engine @param {string[]} features */
function titleOf(engine, features) {
  return engine + (values.room ? ", in rooms" : values.file ? ", from a file" : "") + (features.length > 0
    ? `, without ${features.length === all.length ? "any optional feature" : features}` : "");
}

/**
 * All journeys in one engine.
 *
 * @param {import("node:test").TestContext} t
 * @param {string} name
 * @param {string[]} features that the engine goes without
 */
async function travel(t, name, features) {
  const found = await findEngine(/** @type {any} */ (name));
  if (!found) return t.skip(`${name} is not here, and cannot be installed: that takes root on a Debian`);
  /** What has to be ended, the last one first. @type {(() => Promise<any>)[]} */
  const ends = [];
  t.after(async () => {
    for (const end of ends.reverse()) await end();
  });
  const siteWith = async (more = [], installs = values.all) => {
    if (values.file) throw new NoServer();
    const changes = [...features.map((f) => FEATURES[f]), ...(installs ? [] : [NO_INSTALL]), ...more];
    const site = changes.length > 0 ? await changedSite(changes) : undefined;
    if (site) ends.push(site.remove);
    return site && { dist: site.dir };
  };
  const serve = async (more = [], args = [], installs) => {
    const server = await startServer({ ...(await siteWith(more, installs)), args });
    ends.push(server.stop);
    return server;
  };
  const serveRooms = async () => {
    const server = await startRooms(await siteWith());
    ends.push(server.close);
    return server;
  };
  const server = values.file ? { url: pathToFileURL(values.file).href, apiRequests: async () => 0 }
    : await serve([], values.room ? ["--rooms"] : []);
  const launch = (more = {}) => found.launch({ baseline: !values.all, ...more });
  let engine = await launch();
  ends.push(() => engine.close());

  /** @param {import("./parts.js").Journey} journey */
  const go = async (journey) => {
    const profiles = [await engine.profile()];
    let answers = true;
    let kept;
    try {
      const tab = async (profile, type = "tab") =>
        new (values.room ? RoomPage : values.file ? FilePage : Page)(await profile.tab(type), server.url);
      const another = () => tab(profiles[0]);
      const guest = async () => {
        if (engine.manyProfiles) profiles.push(await engine.profile());
        return tab(profiles.at(-1), "window");
      };
      const page = await another();
      const mortal = async () => {
        kept = await launch({ kept: true });
        const profile = await kept.profile();
        return { page: await tab(profile), kill: () => profile.kill().then(() => tab(profile)) };
      };
      const serveOwn = (more = []) => serve(more, [], journey.installs);
      const serveStoppable = () => serve([STOPPABLE]);
      await journey.run({ page, another, guest, mortal, serve: serveOwn, serveStoppable, serveRooms,
        without: new Set(features), engine: name, inRoom: values.room, fromFile: values.file !== undefined });
      const troubles = (await page.troubles().catch(() => [])).filter((said) => !journey.troubles?.test(said));
      if (!features.includes("locks")) assert.deepEqual(troubles, [], "what the page complained of");
    } catch (error) {
      answers = !(error instanceof NoAnswer);
      if (!answers) {
        await engine.close();
        engine = await launch();
      }
      throw error;
    } finally {
      await kept?.close();
      if (answers) for (const profile of profiles) await profile.close();
    }
  };
  for (const journey of journeys) {
    const skip = journey.undrivable?.[name] ?? (values.room ? journey.tab : undefined);
    await t.test(journey.name, { skip, timeout: 2 * WHOLE_TEST }, async (t) => {
      try {
        await go(journey);
      } catch (error) {
        if (error instanceof NoServer) return t.skip("it needs a server");
        // What passes at the second attempt only is said to be flaky. MiniBrowser stops answering its driver once in
        // some hundred journeys.
        const why = error instanceof NoAnswer ? "in a new browser, since the old one did not answer" : "flaky";
        t.diagnostic(`tried again (${why}): ${error.stack ?? error}`);
        await go(journey);
      }
    });
  }
  if (!values.room) assert.equal(await server.apiRequests(), 0, "API requests left the page");
}
