// Pictures of the lab in the states that its design names, to be looked at beside
// the design: node playwright/shots.js [state…] writes them into playwright/shots.
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import { CONTROL_PLANE } from "../core/wellknown/wellknown.js";
import { resolveBrowser } from "./engines/browser.js";
import { Lesson, progressFile } from "./lesson.js";
import { startServer } from "./server.js";

const out = fileURLToPath(new URL("shots/", import.meta.url));

const pods = "/api/v1/namespaces/default/pods";
const configMaps = "/api/v1/namespaces/default/configmaps";

/** What a script of the page does: requests, and watches that stay open. */
class Client {
  /** @param {import("@playwright/test").Page} page */
  constructor(page) {
    this.page = page;
  }

  /** @param {string} method @param {string} path @param {unknown} [body] */
  async send(method, path, body, type = "application/json") {
    return this.page.evaluate(
      async ([method, path, body, type]) => {
        const init = { method, headers: body === undefined ? {} : { "Content-Type": type },
          body: body === undefined ? undefined : JSON.stringify(body) };
        const res = await fetch(path, init);
        return { status: res.status, body: await res.json().catch(() => null) };
      },
      [method, path, body, type],
    );
  }

  /** Opens a watch and leaves it open, unless it ends. @param {string} path */
  async watch(path) {
    await this.page.evaluate(async (path) => {
      const res = await fetch(path);
      const reader = res.body.getReader();
      (async () => {
        for (;;) if ((await reader.read()).done) return;
      })().catch(() => {});
    }, path);
  }

  pod(name, labels = {}) {
    return this.send("POST", pods,
      { metadata: { name, labels }, spec: { containers: [{ name: "app", image: "nginx" }] } });
  }

  label(name, value) {
    return this.send("PATCH", `${pods}/${name}`, { metadata: { labels: { seen: value } } },
      "application/merge-patch+json");
  }

  settings(spec) {
    return this.send("PATCH", CONTROL_PLANE, { spec }, "application/merge-patch+json");
  }

  act(name, body = {}) {
    return this.send("POST", `${CONTROL_PLANE}/${name}`, body);
  }

  /** The newest revision. */
  async head() {
    return Number((await this.send("GET", pods + "?limit=1")).body.metadata.resourceVersion);
  }
}

/** A cluster in which most things have happened: watches, a cut, bookmarks, a wall, a 410. */
async function mid(c) {
  const list = await c.send("GET", pods);
  const from = list.body.metadata.resourceVersion;
  await c.watch(`${pods}?watch=1&resourceVersion=${from}&allowWatchBookmarks=true`);
  await c.pod("web-p25jt");
  await c.pod("web-x9k2v");
  await c.label("web-p25jt", "yes");
  await c.label("web-x9k2v", "yes");
  await c.send("DELETE", `${pods}/web-x9k2v?gracePeriodSeconds=0`);
  const last = await c.head();
  await c.act("disconnect");
  await c.pod("missed-hvhsf");
  await c.watch(`${pods}?watch=1&resourceVersion=${last}&allowWatchBookmarks=true`);
  const initial = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
  await c.watch("/api/v1/pods?watch=1&" + initial);
  await c.watch(`${configMaps}?watch=1&resourceVersion=${last}&allowWatchBookmarks=true`);
  await c.send("POST", configMaps, { metadata: { name: "settings" }, data: { colour: "green" } });
  await c.pod("late-v59hp");
  await c.label("web-p25jt", "twice");
  await c.act("compact");
  await c.pod("back-rp4zv");
  await c.label("web-p25jt", "thrice");
  await c.send("PATCH", `${configMaps}/settings`, { data: { colour: "blue" } }, "application/merge-patch+json");
  await c.label("missed-hvhsf", "yes");
  await c.watch(`${pods}?watch=1&resourceVersion=${last}`);
  await c.send("DELETE", `${pods}/missed-hvhsf?gracePeriodSeconds=0`);
  return Number(last);
}

/** Chooses a revision by the stage's own table-free way: its column. */
async function choose(page, revision) {
  await settled(page);
  const x = await page.evaluate((revision) => {
    for (const t of document.querySelectorAll("#st-ruler text")) {
      if (t.textContent === String(revision)) {
        const box = t.getBoundingClientRect();
        return { x: box.left + box.width / 2, y: box.top - 30 };
      }
    }
    return null;
  }, revision);
  if (!x) return console.error(`no revision ${revision} on the ruler`);
  await page.mouse.click(x.x, x.y);
}

/** The states, each with what brings it about. */
const states = {
  first: async () => {},
  mid: async (c, page) => {
    const last = await mid(c);
    await choose(page, last + 5);
  },
  travel: async (c, page) => {
    const last = await mid(c);
    await page.getByRole("tab", { name: "Objects" }).click();
    for (let i = 0; i < 7; i++) await page.getByRole("button", { name: /One revision back/ }).click();
    await settled(page);
    return last;
  },
  paging: async (c, page) => {
    await page.evaluate(async () => {
      await fetch("/api/v1/namespaces",
        { method: "POST", headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ metadata: { name: "paging" } }) });
      const pod = (i) => JSON.stringify(
        { metadata: { name: `pod-${String(i).padStart(4, "0")}` }, spec: { containers: [{ name: "a", image: "b" }] } });
      let next = 0;
      await Promise.all(
        Array.from({ length: 16 }, async () => {
          while (next < 1253) {
            const body = pod(next++);
            await fetch("/api/v1/namespaces/paging/pods",
              { method: "POST", headers: { "Content-Type": "application/json" }, body,
                tabernetes: { origin: "sample" } });
          }
        }),
      );
    });
    const list = "/api/v1/namespaces/paging/pods?limit=500";
    const pages = async (token) => (await c.send("GET", list + (token ? "&continue=" + token : ""))).body;
    let one = await pages();
    const first = one.metadata.continue;
    for (let p = one; p.metadata.continue; ) p = await pages(p.metadata.continue);
    one = await pages();
    await c.send("DELETE", "/api/v1/namespaces/paging/pods/pod-0600?gracePeriodSeconds=0");
    await c.send("DELETE", "/api/v1/namespaces/paging/pods/pod-1200?gracePeriodSeconds=0");
    await c.act("compact");
    const gone = await pages(one.metadata.continue);
    await pages(gone.metadata.continue);
    return first;
  },
  stale: async (c, page) => {
    await c.send("POST", configMaps, { metadata: { name: "light" }, data: { colour: "red" } });
    await c.settings({ cache: { replicas: [{}, {}, {}] } });
    await c.send("PATCH", `${configMaps}/light`, { data: { colour: "green" } }, "application/merge-patch+json");
    await c.settings({ cache: { replicas: [{}, { lagSeconds: 60 }, { frozen: true }] } });
    await c.pod("web");
    await c.label("web", "yes");
    await c.send("PATCH", `${configMaps}/light`, { data: { colour: "blue" } }, "application/merge-patch+json");
    for (let i = 0; i < 4; i++) await c.send("GET", `${configMaps}/light?resourceVersion=0`);
    await page.getByRole("button", { name: "Send", exact: true }).scrollIntoViewIfNeeded();
  },
  present: async (c, page) => {
    const last = await mid(c);
    await choose(page, last + 5);
    await page.keyboard.press("p");
  },
  dense: async (c, page) => {
    const kinds = ["pods", "configmaps", "services", "secrets", "serviceaccounts"];
    for (let i = 0; i < 20; i++) {
      await c.watch(`/api/v1/${kinds[i % 5]}?watch=1&resourceVersion=17&labelSelector=${i < 5 ? "" : "i!=" + i}`);
    }
    await page.evaluate(async () => {
      let next = 0;
      const json = { "Content-Type": "application/json" };
      await Promise.all(
        Array.from({ length: 16 }, async () => {
          while (next < 2500) {
            const i = next++;
            const path = "/api/v1/namespaces/default/configmaps";
            await fetch(path, { method: "POST", headers: json, body: JSON.stringify({ metadata: { name: "c" + i } }),
              tabernetes: { origin: "sample" } });
            if (i % 3) await fetch(`${path}/c${i}`, { method: "DELETE", tabernetes: { origin: "sample" } });
          }
        }),
      );
    });
    await page.getByRole("button", { name: "Fit" }).click();
  },
  phone: async (c, page) => {
    await mid(c);
  },
  glyphs: async (c, page) => {
    await page.getByRole("button", { name: /^Help/ }).click();
  },
  menu: async (c, page) => {
    await new Lesson(page).openMenu();
  },
  judged: async (c, page) => {
    const lesson = new Lesson(page);
    await lesson.choose("addresses");
    await lesson.solve("wrong");
    await lesson.question.scrollIntoViewIfNeeded();
  },
  practice: async (c, page) => {
    const lesson = new Lesson(page);
    await lesson.choose("progress");
    await page.locator("#progress-file").setInputFiles(
      progressFile({ queue: { "path-from-left": { due: 1, seen: 1, wrong: 1 },
        "which-verb": { due: 99_999, stage: 3, seen: 3 } } }));
    await page.getByText("Loaded.").waitFor();
    await lesson.choose("practice");
  },
  exam: async (c, page) => {
    const lesson = new Lesson(page);
    await lesson.choose("progress");
    const questions = ["path-from-left", "newest-object", "cut-during-state", "finalizer-requests", "menu-of-two"].map(
      (template, i) => ({ template, seed: 1, must: i === 1, answered: true, right: i !== 3 }));
    await page.locator("#progress-file").setInputFiles(progressFile({ exam: { seed: 5, day: 1, questions } }));
    await page.getByText("Loaded.").waitFor();
    await lesson.choose("exam");
  },
  quiet: async (c, page) => {
    await page.getByLabel("Path and query").fill("kubectl get pods -A");
    await page.getByRole("button", { name: "Send", exact: true }).click();
  },
};

/** The pictures: state, theme, size. */
const pictures = [
  ["first", "light"],
  ["first", "dark"],
  ["mid", "light"],
  ["mid", "dark"],
  ["mid", "light", 1024, 768],
  ["mid", "light", 720, 450],
  ["mid", "light", 1920, 1080],
  ["mid", "light", 3840, 2160],
  ["paging", "light"],
  ["travel", "light"],
  ["travel", "dark"],
  ["stale", "light"],
  ["present", "light", 1920, 1080],
  ["present", "dark", 1920, 1080],
  ["dense", "light"],
  ["phone", "light", 390, 844],
  ["phone", "dark", 390, 844],
  ["glyphs", "light"],
  ["menu", "light"],
  ["judged", "light"],
  ["judged", "dark"],
  ["judged", "light", 390, 844],
  ["practice", "light"],
  ["exam", "light"],
  ["exam", "dark"],
  ["quiet", "light"],
];

/** Waits until the stage has come to rest. @param {import("@playwright/test").Page} page */
async function settled(page) {
  let was = "";
  let same = 0;
  for (let i = 0; i < 60 && same < 4; i++) {
    await page.waitForTimeout(150);
    const now = await page.evaluate(
      () => document.querySelector("#st-ruler-marks").innerHTML + document.querySelector("#st-rows").innerHTML);
    same = now === was ? same + 1 : 0;
    was = now;
  }
}

const wanted = process.argv.slice(2);
await mkdir(out, { recursive: true });
const server = await startServer();
const found = await resolveBrowser();
const browser = await chromium.launch({ executablePath: found.executablePath, args: found.args });
try {
  for (const [state, theme, width = 1440, height = 900] of pictures) {
    if (wanted.length && !wanted.includes(state)) continue;
    const context = await browser.newContext(
      { viewport: { width, height }, colorScheme: theme, deviceScaleFactor: width < 500 ? 2 : 1 });
    const page = await context.newPage();
    page.on("console", (m) => m.type() === "error" && console.error(state, m.text()));
    page.on("pageerror", (e) => console.error(state, e.stack ?? e));
    await page.goto(server.url + "/?nosw"); // a first visit begins with a scene
    await page.waitForFunction(
      () => window.tabernetes?.state === "ready" && /\d/.test(document.querySelector(".st-big")?.textContent ?? ""));
    await states[state](new Client(page), page);
    await settled(page);
    const name = `${state}-${theme}${width === 1440 ? "" : "-" + width}.png`;
    await page.screenshot({ path: out + name });
    console.log(name);
    await context.close();
  }
} finally {
  await browser.close();
  await server.stop();
}
