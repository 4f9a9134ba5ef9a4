// The terminal's panel, over a kernel that is a fake one: what its commands ask of the server is real.
import { expectNoViolations } from "../axe.js";
import { test, expect } from "../fixtures.js";
import { Timeline } from "../lab.js";
import { fakeTerminal, Terminal } from "../terminal.js";

const apply = (colour, name = "settings") => `kubectl apply -f - <<EOF
{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"},"data":{"colour":"${colour}"}}
EOF`;

test("a command says what it asked for, and why, and leads to the stage and back", async ({ lab, page }) => {
  await fakeTerminal(page);
  await lab.open();
  await lab.settled();
  const terminal = new Terminal(page);
  await page.keyboard.press("`");
  await expect(terminal.field).toBeFocused();
  await terminal.ready();
  await terminal.run(apply("blue"));
  await terminal.run(apply("green"));
  await terminal.run(apply("green"));
  const timeline = new Timeline(page);
  const head = await timeline.revision();
  expect(await terminal.requests(1)).toEqual([
    `GET configmaps/settings: what is there now [as of ${head - 1}]`,
    `PATCH configmaps/settings: only what differs: data.colour [→ ${head}]`]);
  expect(await terminal.requests()).toEqual([
    `GET configmaps/settings: what is there now: nothing differs, so no PATCH [as of ${head}]`]);
  await expect(terminal.block().getByText("nothing written")).toBeVisible();

  await expectNoViolations(page, "commands with their requests", { within: "#panel-terminal", rules: 5 });
  // A request is chosen in all of the page.
  await terminal.block(1).getByRole("button", { name: /PATCH/ }).click();
  await expect(lab.response).toContainText("PATCH");
  await expect(terminal.block(1).getByText(`→ ${head}`).first()).toHaveClass(/is-chosen/);
  // What wrote a revision is found from its mark.
  await page.keyboard.press("Escape");
  await lab.showTab("Objects");
  await timeline.settled();
  await timeline.choose(head - 1);
  await expect(terminal.tab).toHaveClass(/has-chosen/);
  await terminal.tab.click();
  await expect(terminal.block(2).locator(".term-head")).toHaveClass(/is-chosen/);
  // A name in the output leads to the object, its text is what was printed.
  expect(await terminal.output(2)).toBe("configmap/settings created\n");
  await terminal.block(2).getByRole("link", { name: "configmap/settings" }).click();
  await expect(lab.objects).toContainText("settings");
  // Why a program has stopped is said with it.
  await terminal.tab.click();
  await terminal.run("crash");
  const note = terminal.block().locator(".term-note");
  await expect(note).toHaveText(/^crash has stopped\.\s+panic: nil map\s+goroutine 1$/);
});

test("the field completes, remembers and searches, and Ctrl-C ends what runs",
  { tag: "@long" }, async ({ lab, page }) => {
  await fakeTerminal(page);
  await lab.open();
  const terminal = new Terminal(page);
  await terminal.open();
  await terminal.field.focus();
  const { keyboard } = page;
  await keyboard.type("ku");
  await keyboard.press("Tab");
  await expect(terminal.field).toHaveValue("kubectl ");
  await keyboard.type("get po");
  await keyboard.press("Tab");
  await expect(terminal.field).toHaveValue("kubectl get pod");
  await keyboard.press("Tab");
  await expect(terminal.panel.getByRole("option")).toHaveText(["podspo", "podtemplates"]);
  await keyboard.press("Tab");
  await keyboard.press("Enter");
  await expect(terminal.field).toHaveValue("kubectl get pods ");
  await keyboard.press("Control+u");
  await keyboard.type("kubectl get configmaps -w");
  await keyboard.press("Enter");
  await expect(terminal.block().getByText(/w1/)).toBeVisible();
  await lab.fetch("/api/v1/namespaces/default/configmaps", { method: "POST", body: lab.configMap("seen") });
  await expect.poll(() => terminal.output()).toContain("seen");
  // Another terminal does something else meanwhile.
  await terminal.tabs.getByRole("button", { name: "Another terminal" }).click();
  await terminal.run("colours");
  expect(await terminal.output()).toBe("red bold\n20%\noh no\n");
  await expect(terminal.block()).toContainText("exit status 3");
  // What is selected is what was printed; Ctrl-C copies it then, and gives nothing up.
  await terminal.field.fill("kept");
  const selected = await terminal.block().locator(".term-text").evaluate((el) => {
    getSelection().selectAllChildren(el);
    return String(getSelection());
  });
  expect(selected.trimEnd()).toBe("red bold\n20%\noh no");
  await keyboard.press("Control+c");
  await expect(terminal.field).toHaveValue("kept");
  await page.evaluate(() => getSelection().removeAllRanges());
  await terminal.field.fill("");
  await terminal.tabs.getByRole("button", { name: "Terminal 1, a command runs" }).click();
  // Also when the focus is on what was opened meanwhile.
  await terminal.block().locator(".term-fold").click();
  await keyboard.press("Control+c");
  await terminal.ended();
  await expect(terminal.field).toBeFocused();
  await expect(terminal.block()).toContainText("^C");
  await expect(new Timeline(page).words("w1")).toHaveAttribute("aria-label", /closed|ended|over/);

  await keyboard.press("ArrowUp");
  await expect(terminal.field).toHaveValue("colours");
  await keyboard.press("Control+u");
  await keyboard.press("Control+r");
  await keyboard.type("-w");
  await expect(terminal.panel.getByText("kubectl get configmaps -w").last()).toBeVisible();
  await keyboard.press("Escape");
  await expect(terminal.field).toHaveValue("kubectl get configmaps -w");
  // Ctrl-C gives a line up, but copies what is selected.
  await keyboard.press("Control+c");
  await expect(terminal.field).toHaveValue("");
  await expect(terminal.block()).toContainText("^C");
  // A command that reads gets lines, until the end of the input.
  await terminal.start("cat");
  await expect(terminal.panel.getByRole("textbox", { name: "Input of the command" })).toBeVisible();
  await keyboard.type("one");
  await keyboard.press("Enter");
  await expect.poll(() => terminal.output()).toBe("one\none\n");
  await keyboard.press("Control+d");
  await terminal.ended();
  await terminal.run("clear");
  await expect(terminal.panel.locator(".term-block:visible")).toHaveCount(0);
});

test("the terminal is used with the keyboard alone, and a long output is bounded",
  { tag: "@long" }, async ({ lab, page }) => {
  await fakeTerminal(page);
  await lab.open();
  const terminal = new Terminal(page);
  const { keyboard } = page;
  await keyboard.press("`");
  await expect(terminal.field).toBeFocused();
  await terminal.ready();
  await terminal.run("seq 20000");
  await expect(terminal.block()).toContainText("lines before these were cut off");
  expect((await terminal.output()).endsWith("19999\n20000\n")).toBe(true);
  await terminal.run(apply("blue"));
  await terminal.field.focus();
  await keyboard.press("ArrowRight");
  const list = terminal.block().getByRole("list", { name: "requests of kubectl apply" });
  await expect(list.getByRole("listitem")).toHaveCount(2);
  await keyboard.press("ArrowLeft");
  await expect(list).toBeHidden();
  // What is typed after a press on the output is for the field, and no key of the page.
  await terminal.panel.locator(".term-out").focus();
  await keyboard.type("tp");
  await expect(terminal.field).toHaveValue("tp");
  await keyboard.press("Home");
  await keyboard.press("Control+k");
  await expect(terminal.field).toHaveValue("");
  await keyboard.press("Control+ArrowUp");
  await expect(terminal.block().getByRole("button", { name: "Requests of kubectl apply" })).toBeFocused();
  await keyboard.press("ArrowRight");
  for (let i = 0; i < 3; i++) await keyboard.press("ArrowDown"); // a link, a request, its chip is disabled
  await keyboard.press("Enter");
  await expect(lab.response).toContainText(/GET|POST/);
  await keyboard.press("Control+ArrowUp");
  await keyboard.press("Control+ArrowDown");
  await keyboard.press("Control+ArrowDown");
  await expect(terminal.field).toBeFocused();
  // Tab leaves an empty field, and one with text after Escape.
  await keyboard.press("Tab");
  await expect(terminal.field).not.toBeFocused();
  await terminal.field.focus();
  await keyboard.type("x");
  await keyboard.press("Escape");
  await keyboard.press("Tab");
  await expect(terminal.field).not.toBeFocused();
});

test("files are added and edited, and what cannot be loaded is tried again", { tag: "@long" },
  async ({ lab, page }) => {
  await fakeTerminal(page, `
    progress({ loaded: 1e6, total: 73e6, download: 6.7e6 });
    if ((window.loads = (window.loads ?? 0) + 1) === 1) throw new Error("The download of kubectl was cut off.");`);
  await lab.open();
  const terminal = new Terminal(page);
  await terminal.open();
  await expect(terminal.panel.getByRole("status").first()).toContainText("The download of kubectl was cut off.");
  await terminal.panel.getByRole("button", { name: "Try again" }).click();
  await expect(terminal.panel.getByRole("button", { name: "Try again" })).toBeHidden();
  await page.getByRole("button", { name: "Files" }).click();
  const files = page.getByRole("dialog", { name: "Files", exact: true });
  await files.locator("input[type=file]").setInputFiles(
    { name: "pod.yaml", mimeType: "text/yaml", buffer: Buffer.from("kind: Pod\n") });
  await expect(files.getByRole("listitem").filter({ hasText: "pod.yaml" })).toBeVisible();
  await page.keyboard.press("Escape");
  await terminal.field.fill("edit pod.yaml");
  await terminal.field.press("Enter");
  const editor = page.getByRole("dialog", { name: "Edit pod.yaml" });
  await editor.getByRole("textbox", { name: "pod.yaml" }).fill("kind: Service\n");
  await editor.getByRole("button", { name: "Save" }).click();
  await terminal.ended();
  await page.getByRole("button", { name: /^Files/ }).click();
  const download = page.waitForEvent("download");
  await files.getByRole("button", { name: "Download pod.yaml" }).click();
  const chunks = [];
  for await (const chunk of await (await download).createReadStream()) chunks.push(chunk);
  expect(Buffer.concat(chunks).toString()).toBe("kind: Service\n");
  await files.getByRole("button", { name: "Delete pod.yaml" }).click();
  await expect(files).toContainText("There are none yet.");
});
