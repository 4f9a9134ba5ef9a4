// The built site on hosts that only know files: below a path, and without compression.
import { test as base, expect } from "@playwright/test";
import { watchContext } from "../fixtures.js";
import { Lab } from "../lab.js";
import { startPlainHost } from "../plainhost.js";
import { refuseServiceWorkers } from "../site.js";
import { Terminal } from "../terminal.js";

/** How much a host that does not compress may send until the first answer, and in all. */
const FIRST = 3_000_000;
const ALL = 5_200_000;

const test = base.extend({
  // Errors that the page may not report, but for those of a host that is gone, or has no kubectl, or no packed files.
  context: async ({ context }, use) => {
    const problems = [];
    await watchContext(context, problems);
    await use(context);
    const tolerated = /ERR_CONNECTION_REFUSED|\.lzma|unlzma\.js/;
    expect.soft(problems.filter((p) => !tolerated.test(p)), "errors on the page").toEqual([]);
  },
});

test("a site below a path", { tag: "@long" }, async ({ page, context }) => {
  const host = await startPlainHost({ prefix: "/tabernetes/" });
  const lab = new Lab(page, host.url);
  await lab.open();
  expect((await lab.fetch("/api/v1/namespaces/default")).status).toBe(200);
  // The page's own requests, a lesson, and what is loaded late.
  await lab.request("GET", "/api/v1/namespaces");
  await expect(lab.response).toContainText("200");
  await expect(page.getByRole("region", { name: "Lesson" }).getByRole("heading", { level: 2 })).not.toBeEmpty();
  await page.evaluate(() => window.tabernetesLab.file("course/paging.html"));
  for (const name of ["fork.js", "room.js", "capstone.js", "editor.js"]) {
    await page.evaluate((name) => window.tabernetesLab.load(name), name);
  }
  expect((await lab.fetch("/openapi/v3/api/v1")).text).toContain('"description"'); // which are in a file of the site
  const terminal = new Terminal(page);
  await terminal.tab.click();
  await expect(terminal.panel.getByText(/This site was built without kubectl/)).toBeVisible();

  await lab.installed();
  expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).scope)).toBe(host.url + "/");
  const manifest = await page.evaluate(() => document.querySelector("link[rel=manifest]").href);
  expect(manifest).toBe(host.url + "/manifest.webmanifest");
  const missing = host.sent.filter(({ status }) => status === 404);
  expect(missing, "files that are not there").toEqual([]);
  expect(host.sent.filter(({ path }) => !path.startsWith("/tabernetes/")), "requests beside the path").toEqual([]);

  await lab.fetch("/api/v1/namespaces/default/configmaps", { method: "POST", body: lab.configMap("from-before") });
  await host.stop();
  await page.close();
  const later = new Lab(await context.newPage(), host.url);
  await later.open();
  expect((await later.fetch("/api/v1/namespaces/default/configmaps/from-before")).status).toBe(200);
  await expect(later.page.getByRole("region", { name: "Lesson" }).getByRole("heading", { level: 2 })).not.toBeEmpty();
});

test("a host that does not compress", { tag: "@long" }, async ({ page, context }) => {
  await context.addInitScript(refuseServiceWorkers);
  const host = await startPlainHost({ withholds: true });
  const lab = new Lab(page, host.url);
  await lab.open();
  await page.waitForFunction(() => window.tabernetesLab && document.querySelector("#st-ruler .st-fold"));
  // The first answer waits for no file that is asked for after the lab's program.
  const begun = host.sent.findIndex(({ path }) => path.endsWith("/lab.wasm"));
  const [first, all] = [host.sent.slice(0, begun), host.sent].map((files) =>
    files.reduce((sum, { bytes }) => sum + bytes, 0));
  console.log(`sent until the first answer: ${first} bytes; in all: ${all}`);
  expect(first).toBeLessThan(FIRST);
  expect(all).toBeLessThan(ALL);
  for (const name of ["tabernetes.wasm", "lab.wasm"]) {
    expect(host.sent.filter(({ path }) => path.endsWith(`/${name}.lzma`)), name).toHaveLength(1);
  }
  await host.stop();
});

for (const [name, ending, answer] of /** @type {[string, string, (body: Buffer) => Buffer | null][]} */ ([
  ["whose packed programs are damaged", ".wasm.lzma", (body) => Buffer.concat([body.subarray(0, 500_000), body])],
  ["whose packed programs are cut off", ".wasm.lzma", (body) => body.subarray(0, 500_000)],
  ["that has no packed programs in LZMA", ".wasm.lzma", () => null],
  ["that has nothing to unpack them with", "/unlzma.js", () => null],
])) {
  test(`a host ${name}`, { tag: "@long" }, async ({ page, context }) => {
    await context.addInitScript(refuseServiceWorkers);
    const host = await startPlainHost();
    const changed = [];
    await page.route((url) => url.pathname.endsWith(ending), async (route) => {
      changed.push(route.request().url());
      const body = answer(await (await route.fetch()).body());
      await route.fulfill(body ? { body } : { status: 404 });
    });
    const lab = new Lab(page, host.url);
    await lab.open();
    await page.waitForFunction(() => window.tabernetesLab && document.querySelector("#st-ruler .st-fold"));
    expect((await lab.fetch("/api/v1/namespaces/default")).status).toBe(200);
    expect(changed).not.toEqual([]);
    await host.stop();
  });
}

test("a service worker takes packed files from it", { tag: "@long" }, async ({ page, context }) => {
  const host = await startPlainHost({ withholds: true });
  const lab = new Lab(page, host.url);
  await lab.open();
  await lab.installed();
  console.log(`sent with what opens the page offline: ${host.bytes()} bytes`);
  await host.stop();
  await page.close();
  const later = new Lab(await context.newPage(), host.url);
  await later.open();
  await expect(later.page.getByRole("region", { name: "Lesson" }).getByRole("heading", { level: 2 })).not.toBeEmpty();
});
