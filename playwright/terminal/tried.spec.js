// What stopped people who know kubectl when they tried the terminal.
import { expect, test } from "../fixtures.js";
import { Timeline } from "../lab.js";
import { Terminal } from "../terminal.js";

/** Opens the terminal of a page. */
async function opened(lab, page) {
  await lab.open();
  await lab.settled();
  const terminal = new Terminal(page);
  await terminal.open();
  return terminal;
}

test("a namespace is kept by the line that people know, and rows name it", async ({ lab, page }) => {
  const terminal = await opened(lab, page);
  await terminal.run("kubectl create ns team && kubectl config set-context --current --namespace=team");
  expect(await terminal.output()).toBe('namespace/team created\nContext "tab" modified.\n');
  await terminal.run("kubectl create configmap a; kubectl get configmaps -o name");
  expect(await terminal.output()).toBe("configmap/a created\nconfigmap/a\nconfigmap/kube-root-ca.crt\n");
  expect(await terminal.requests()).toContainEqual(expect.stringMatching(/^POST team\/configmaps: the new object/));
});

test("jobs are listed, outlive an interrupt, and are ended", async ({ lab, page }) => {
  const terminal = await opened(lab, page);
  const timeline = new Timeline(page);
  await terminal.run("kubectl get configmaps -w -o name & kubectl create configmap a");
  expect(await terminal.output()).toMatch(/^\[1\] g1\n/);
  await expect(timeline.words("w1")).toHaveAttribute("aria-label", /, open/);
  await terminal.start("sleep 1000");
  await page.keyboard.press("Control+c");
  await terminal.ended();
  await terminal.run("jobs");
  expect(await terminal.output()).toMatch(/^\[1\] +Running +kubectl get configmaps -w -o name &\n$/);
  await terminal.run("kill %1; jobs");
  expect(await terminal.output()).toBe("");
  await expect(timeline.words("w1")).toHaveAttribute("aria-label", /, closed/);
  await terminal.run("set -e; false; echo no");
  expect(await terminal.output()).toContain("This terminal goes on");
});

test("what no controller makes is said of what a file has, and once", async ({ lab, page }) => {
  const terminal = await opened(lab, page);
  const notes = () => terminal.block().locator(".term-note");
  await terminal.run("kubectl create deployment a --image=x --dry-run=client -o yaml | kubectl apply -f -");
  await expect(notes()).toHaveText([/^The Deployment is stored, and nothing else happens/]);
  await terminal.run("for n in b c; do kubectl run $n --image=x; done");
  await expect(notes()).toHaveText([/stays Pending/]);
  await terminal.run("kubectl rollout status deployment/none");
  await expect(notes()).toHaveCount(0);
  await terminal.run("kubectl rollout history deployment/a");
  await expect(notes()).toHaveText([/in its ReplicaSets/]);
});

test("lanes of commands that have waited do not pile up", async ({ lab, page }) => {
  const terminal = await opened(lab, page);
  await terminal.run("kubectl create configmap a");
  for (const name of ["a", "b"]) {
    await terminal.run(`kubectl wait --for=jsonpath='{.metadata.name}'=${name} configmap/a --timeout=1s`);
  }
  await expect(page.locator("#st-rows > .is-lane")).toHaveCount(1);
});

test("chips of another cluster's commands lead nowhere, and a scene shows the answer", async ({ lab, page }) => {
  const terminal = await opened(lab, page);
  await terminal.run("kubectl create configmap a");
  const chip = page.locator(".term-block").first().locator(".term-head .chip");
  await expect(chip).toBeEnabled();
  const menu = await lab.openScenes();
  await menu.getByRole("radio", { name: "kubectl" }).check();
  await page.keyboard.press("Escape"); // also from what is chosen by arrows
  await expect(menu).toBeHidden();
  await lab.openScenes();
  await menu.getByRole("button", { name: /Apply conflict/ }).click();
  await expect(chip).toBeDisabled();
  await expect(lab.response).toContainText("Created at");
  await page.keyboard.press("Space");
  await expect(lab.response).toContainText("409: another manager owns that.");
  await expect(page.getByText("409: the colour is owned by")).toBeVisible();
  await page.keyboard.press("Space");
  await page.keyboard.press("Space");
  await expect(lab.response).toContainText("Changed at");
  await page.getByRole("button", { name: "Leave the scene" }).click();
  await expect(chip).toBeEnabled();
  await expect(page.locator(".term-block").last().locator(".term-head .chip")).toBeDisabled();
});

test("a scene fetches kubectl before its first command", async ({ lab, page }) => {
  await lab.open();
  const menu = await lab.openScenes();
  await menu.getByRole("radio", { name: "kubectl" }).check();
  await menu.getByRole("button", { name: /Finalizer/ }).click();
  await expect(page.locator("#panel-terminal [role=log]")).toBeAttached(); // behind another tab
  await expect(page.locator(".term-block")).toHaveCount(0);
});

test("a loop ends when a question of an exam opens", async ({ lab, page }) => {
  const terminal = await opened(lab, page);
  await terminal.run("kubectl get namespaces -w > watched &");
  await terminal.start("while sleep 0.2; do kubectl get configmaps -o name; done");
  await expect.poll(() => terminal.output()).toContain("configmap/");
  await page.evaluate(() => (location.hash = "#exam-7"));
  await page.locator(".course-page[data-open]").getByRole("button", { name: "Start" }).click();
  await expect(terminal.panel).toHaveAttribute("data-closed", /A question of the exam/);
  await expect(terminal.block().locator(".term-note")).toContainText("Ended. A question of the exam is open");
  await terminal.ended();
  await expect(new Timeline(page).words("w1")).toHaveAttribute("aria-label", /, closed/);
});

test("a command that was copied with its prompt is pasted without it", async ({ lab, page }) => {
  const terminal = await opened(lab, page);
  await terminal.field.focus();
  await terminal.field.evaluate((field) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", "$ kubectl create configmap pasted\nconfigmap/pasted created\n");
    field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  });
  await expect(terminal.field).toHaveValue("kubectl create configmap pasted");
  await page.keyboard.press("Enter");
  await terminal.ended();
  await expect.poll(() => terminal.output()).toBe("configmap/pasted created\n");
});
