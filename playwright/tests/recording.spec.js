// The history of a real cluster: devserver record writes it into a file, which the page opens, steps through and forks.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { ownServerTest as test, expect } from "../fixtures.js";
import { Timeline } from "../lab.js";

const configMaps = "/api/v1/namespaces/default/configmaps";

/**
 * Records the devserver's own cluster while write runs, and returns the file.
 *
 * @param {string} url
 * @param {string[]} args
 * @param {(send: (method: string, path: string, body?: any) => Promise<any>) => Promise<void>} write
 */
async function record(url, args, write) {
  const dir = await mkdtemp(path.join(tmpdir(), "tabernetes-recording-"));
  try {
    const kubeconfig = path.join(dir, "kubeconfig");
    const file = path.join(dir, "shop.tabernetes");
    await writeFile(kubeconfig, JSON.stringify({
      "current-context": "<b>shop</b>",
      contexts: [{ name: "<b>shop</b>", context: { cluster: "c", user: "u" } }],
      clusters: [{ name: "c", cluster: { server: url } }],
      users: [{ name: "u", user: {} }],
    }));
    const child = spawn(process.env.TABERNETES_DEVSERVER ?? ".cache/bin/devserver",
      ["record", "--kubeconfig", kubeconfig, "--out", file, ...args], { stdio: ["ignore", "ignore", "pipe"] });
    const exited = once(child, "exit");
    let said = "";
    await new Promise((resolve, reject) => {
      child.once("exit", () => reject(new Error(said)));
      child.stderr.on("data", (text) => {
        said += text;
        if (said.includes("is known from revision")) resolve(undefined);
      });
    });
    await write(async (method, path, body) => {
      const headers = { "Content-Type": method === "PATCH" ? "application/merge-patch+json" : "application/json" };
      const answer = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) });
      expect(answer.ok, `${method} ${path}`).toBe(true);
      return answer.json();
    });
    child.kill("SIGINT");
    const [code] = await exited;
    expect(code, said).toBe(0);
    return await readFile(file);
  } finally {
    await rm(dir, { recursive: true });
  }
}

test("a recorded cluster is opened, stepped through, forked, and says what it lacks", { tag: "@long" },
  async ({ lab, page, server }) => {
  /** @type {number[]} */
  const revisions = [];
  const file = await record(server.url,
    ["--types", "namespaces,configmaps,secrets", "--redact", "configmaps:data.token"], async (send) => {
      const write = async (...args) => {
        const { metadata } = await send(...args);
        revisions.push(Number(metadata.resourceVersion));
      };
      await write("POST", configMaps, lab.configMap("story", { colour: "red", token: "tell-nobody" }));
      await send("POST", "/api/v1/namespaces/default/services",
        { metadata: { name: "s" }, spec: { ports: [{ port: 80 }] } });
      await write("PATCH", configMaps + "/story", { data: { colour: "green" } });
      await write("POST", "/api/v1/namespaces/default/secrets", { metadata: { name: "hidden" },
        stringData: { word: "tell-nobody" } });
      await write("PATCH", configMaps + "/story", { data: { colour: "blue" } });
    });
  expect(file.includes("tell-nobody") || file.includes(Buffer.from("tell-nobody").toString("base64"))).toBe(false);
  const [first, second, , last] = revisions;
  expect(second).toBeGreaterThan(first + 1); // the Service's revisions are not there

  await lab.open();
  const menu = await lab.openMenu("Levers");
  await page.locator("#cluster-file").setInputFiles({ name: "shop.tabernetes", mimeType: "", buffer: file });
  await expect(menu).toContainText("shop.tabernetes is the cluster now.");
  await expect(menu).toContainText("This cluster was recorded from <b>shop</b>, Kubernetes v1.36.3");
  const notes = menu.getByRole("list", { name: "What the recording says of itself" });
  await expect(notes).toContainText("Redacted: secrets:data");
  await expect(notes).toContainText("configmaps:data.token");
  await expect(notes).toContainText(`is known up to revision`);
  await expect(notes).not.toContainText("was not ended");
  await page.keyboard.press("Escape");

  // The same revisions and objects as there.
  const story = await lab.fetch(configMaps + "/story");
  expect(story.body.metadata.resourceVersion).toBe(String(last));
  expect(story.body.data.token).toMatch(/^redacted-/);
  expect(atob((await lab.fetch("/api/v1/namespaces/default/secrets/hidden")).body.data.word)).toMatch(/^redacted-/);
  const exact = (rev) => lab.fetch(`${configMaps}?resourceVersion=${rev}&resourceVersionMatch=Exact`);
  const colours = async (rev) => (await exact(rev)).body.items.map((o) => o.data.colour).filter(Boolean);
  expect(await colours(first - 1)).toEqual([]);
  expect(await colours(first)).toEqual(["red"]);
  expect(await colours(second - 1)).toEqual(["red"]); // within the gap
  expect(await colours(last)).toEqual(["blue"]);

  // Step back by step, and fork there.
  const timeline = new Timeline(page);
  await timeline.settled();
  const back = timeline.bar.getByRole("button", { name: /^One revision back/ });
  await back.click();
  await expect(timeline.head).toContainText("showing revision");
  while ((await timeline.revision()) > second) {
    const before = await timeline.revision();
    await back.click();
    await expect.poll(() => timeline.revision()).toBeLessThan(before);
  }
  expect(await timeline.revision()).toBe(second);
  await timeline.head.getByRole("button", { name: "Fork here" }).click();
  await expect.poll(async () => (await lab.fetch(configMaps + "/story")).body.data?.colour).toBe("green");
  const written = await lab.fetch(configMaps, { method: "POST", body: lab.configMap("own") });
  expect(written.status).toBe(201);
  expect(Number(written.body.metadata.resourceVersion)).toBeGreaterThan(second);
  // A fork says still what it was made of, also after the page was loaded again.
  await page.goto("about:blank");
  await lab.open();
  await timeline.settled();
  await expect(await lab.openMenu("Levers")).toContainText("This cluster was recorded from <b>shop</b>");
  expect((await lab.fetch(configMaps + "/own")).status).toBe(200);
  expect(await colours(first)).toEqual(["red"]);
});

test("a damaged recording is refused, and one that is cut off is opened",
  { tag: "@long" }, async ({ lab, page, server }) => {
  const file = await record(server.url, ["--types", "configmaps"], async (send) => {
    await send("POST", configMaps, lab.configMap("story", {}));
  });
  await lab.open();
  const before = (await lab.fetch(configMaps)).text;
  const menu = await lab.openMenu("Levers");
  const damaged = Buffer.from(file);
  damaged[200] ^= 1;
  await page.locator("#cluster-file").setInputFiles({ name: "shop.tabernetes", mimeType: "", buffer: damaged });
  await expect(menu).toContainText("shop.tabernetes could not be opened, and nothing was changed. 400: " +
    "the saved cluster cannot be read");
  expect((await lab.fetch(configMaps)).text).toBe(before);
  // What was written to the end of the last second is enough.
  await page.locator("#cluster-file").setInputFiles({ name: "shop.tabernetes", mimeType: "",
    buffer: file.subarray(0, file.length - 5) });
  await expect(menu).toContainText("The end of the file is cut off");
});
