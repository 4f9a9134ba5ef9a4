// What the page says of an answer: made from what was stored, not from what was asked for.
import { test, expect } from "../fixtures.js";

const maps = "/api/v1/namespaces/default/configmaps";
const held = '{"metadata":{"name":"a","finalizers":["x.io/y"]}}';

test("verdicts say what was stored, and lead on", async ({ lab, page }) => {
  await lab.open();
  const verdict = lab.response.locator(".verdict");
  const title = verdict.locator("h3");
  await lab.request("POST", maps, held);
  await expect(title).toHaveText(/^Created at \d+\.$/);

  // The options of a body count, so this is no dry run.
  await lab.method.selectOption("DELETE");
  await lab.path.fill(maps + "/a?dryRun=All");
  await lab.moreOfRequest();
  await page.getByRole("button", { name: "Add a body" }).click();
  await lab.body.fill('{"propagationPolicy":"Background"}');
  await lab.send.click();
  await expect(title).toHaveText(
    /^Marked for deletion at \d+\. It waits for x\.io\/y: the body’s options apply\.$/);
  await expect(verdict).toContainText("dryRun in the query was ignored");

  // What it offers would write, so it is only put into the console.
  await verdict.getByRole("button", { name: "Write the PATCH" }).click();
  await expect(lab.path).toHaveValue(maps + "/a");
  await expect(title).toHaveText(/^Marked/);
  await lab.send.click();
  await expect(title).toHaveText(/^Removed at \d+, with its last finalizer\.$/);

  // Warnings, as kubectl prints them.
  await lab.request("POST", maps, '{"metadata":{"name":"b"},"dota":{}}');
  await expect(title).toHaveText(/^Created at \d+, with 1 warning\.$/);
  await expect(verdict.getByRole("group", { name: "Warnings" })).toHaveText('Warning: unknown field "dota"');

  await lab.request("GET", "/api/v1/namespaces/default/configmap/b");
  await expect(title).toHaveText("404: there is nothing at this path.");
  await verdict.getByRole("button", { name: "Ask for that" }).click();
  await expect(title).toHaveText(/^configmaps\/b, last written at \d+\.$/);

  // The step of the course that teaches it.
  await lab.request("GET", maps + "?resourceVersion=1&limit=1");
  await verdict.getByRole("button", { name: / of the course: Row 2: with a limit$/ }).click();
  await expect(page.getByRole("heading", { name: "Row 2: with a limit" })).toBeVisible();
});

test("a request whose answer is lost says what it has stored", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  await lab.request("GET", "/version");
  // The answer is dropped where it comes from the server, after the server has written.
  const id = await page.evaluate(async (path) => {
    const stop = new AbortController();
    const note = { origin: "console" };
    const asked = tabernetes.fetch(path, { method: "POST", body: '{"metadata":{"name":"lost"}}', signal: stop.signal,
      headers: { "Content-Type": "application/json" }, tabernetes: note });
    stop.abort();
    await asked.catch(() => {});
    return note.id;
  }, maps);
  expect(id).toBeGreaterThan(0);
  const row = lab.requests.locator(`[data-ref~="req-${id}"]`).first();
  await row.click();
  // It may have been stopped before it wrote; then nothing says that it was stored.
  const stored = (await lab.fetch(maps + "/lost")).status === 200;
  await expect(lab.response.locator(".verdict h3")).toHaveText(
    stored ? /^There was no answer, but it is stored, at \d+\.$/ : "Aborted before it was answered.");
});

test("events in bytes are not counted, and the answer says so", { tag: "@long" }, async ({ lab, page }) => {
  await lab.open();
  await lab.request("POST", maps, '{"metadata":{"name":"a"}}');
  const id = await page.evaluate(async (path) => {
    const note = { origin: "console" };
    await tabernetes.fetch(path + "?watch=1", { tabernetes: note,
      headers: { Accept: "application/vnd.kubernetes.protobuf;stream=watch" } });
    return note.id;
  }, maps);
  const row = lab.requests.locator(`[data-ref~="req-${id}"]`).first();
  await row.click();
  await expect(lab.response).toContainText("Open, in protobuf: ");
  await expect(lab.response).toContainText("neither counted nor drawn");
  await expect(lab.response).not.toContainText("0 events");
  await expect(row).toContainText(/\d k?B/);
});
