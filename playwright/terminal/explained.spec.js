// What a person does with the real kubectl in the terminal, and what the page says of it.
import { expect, test } from "../fixtures.js";
import { Timeline } from "../lab.js";
import { Terminal } from "../terminal.js";
import { SENTENCES } from "../sentences.js";

/** Opens the terminal of a page. */
async function opened(lab, page) {
  await lab.open();
  await lab.settled();
  const terminal = new Terminal(page);
  await terminal.open();
  await terminal.run("kubectl version --client");
  return terminal;
}

const manifest = (colour) => `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {colour: ${colour}}`;

test("apply twice, server-side, and what it says of each request", async ({ lab, page }) => {
  const terminal = await opened(lab, page);
  const apply = (colour, flags = "") => terminal.run(`kubectl apply ${flags} -f - <<EOF\n${manifest(colour)}\nEOF`);
  await apply("blue");
  await apply("green");
  const patch = /^PATCH configmaps\/settings: only what differs, and the note of what was applied: data.colour \[/;
  expect((await terminal.requests()).at(-1)).toMatch(patch);
  await apply("green");
  expect(await terminal.output()).toBe("configmap/settings unchanged\n");
  const again = await terminal.requests();
  expect(again.at(-1)).toMatch(/^GET configmaps\/settings: what is there now: nothing differs, so no PATCH/);
  expect(again[0]).toBe("GET /api, /apis: which resource types there are [read earlier]");
  await expect(terminal.block().locator(".term-head")).toContainText("nothing written");
  await apply("green", "--server-side --force-conflicts");
  expect((await terminal.requests()).at(-1)).toMatch(/the server merges|their manager is right/);
  // Where the request is shown, its command is named.
  await apply("red");
  await terminal.requests();
  await terminal.block().getByRole("button", { name: /PATCH/ }).click();
  await expect(page.locator(".st-chip")).toContainText("kubectl apply → PATCH configmaps/settings");
});

test("pages, a wait and three deletions as what they are", async ({ lab, page }) => {
  const terminal = await opened(lab, page);
  const timeline = new Timeline(page);
  await terminal.run("for n in a b c; do kubectl create configmap $n; done");
  expect(await terminal.output()).toBe("configmap/a created\nconfigmap/b created\nconfigmap/c created\n");
  expect(await terminal.requests()).toHaveLength(3);
  await terminal.run("kubectl get configmaps --chunk-size=2 -o name");
  expect((await terminal.requests()).filter((r) => /page, of 2 at most/.test(r))).toHaveLength(2);
  await terminal.run("kubectl wait --for=jsonpath='{.metadata.name}'=a configmap/a --timeout=20s");
  const watch = /^GET configmaps: each change of it, until jsonpath=.* holds \[w1\]$/;
  await expect.poll(async () => (await terminal.requests()).at(-1)).toMatch(watch); // when the lane is drawn
  await expect(timeline.words("w1")).toHaveAttribute("aria-label", /configmaps/);
  for (const [how, why] of [["orphan", "what it owns stays"], ["foreground", "what it owns goes first"],
    ["background", "in the background"]]) {
    await terminal.run(`kubectl create deployment d --image=nginx && kubectl delete deployment d --cascade=${how}`);
    expect((await terminal.requests()).find((r) => r.startsWith("DELETE"))).toContain(why);
  }
});

test("an edit, a difference, an explanation, and a pipe into jq", async ({ lab, page }) => {
  const terminal = await opened(lab, page);
  await terminal.run(`cat > settings.yaml <<EOF\n${manifest("blue")}\nEOF`);
  await terminal.run("kubectl apply -f settings.yaml && sed -i s/blue/green/ settings.yaml");
  await terminal.run("kubectl diff -f settings.yaml");
  expect(await terminal.output()).toContain("-  colour: blue\n+  colour: green\n");
  await expect(terminal.block()).toContainText("exit status 1");
  await terminal.start("kubectl edit configmap settings");
  const editor = page.getByRole("dialog", { name: /^Edit / });
  const text = editor.getByRole("textbox");
  await expect(text).toHaveCSS("background-color", "rgba(0, 0, 0, 0)"); // its text is drawn behind it
  await text.fill((await text.inputValue()).replace("colour: blue", "colour: edited"));
  await editor.getByRole("button", { name: "Save" }).click();
  await terminal.ended();
  expect(await terminal.output()).toBe("configmap/settings edited\n");
  await terminal.start("kubectl edit configmap settings");
  await expect(text).toBeFocused();
  await page.keyboard.press("Escape");
  await terminal.ended();
  expect(await terminal.output()).toBe("Edit cancelled, no changes made.\n");
  await terminal.run("kubectl get configmap settings -o json | jq -r .data.colour");
  expect(await terminal.output()).toBe("edited\n");
  await terminal.run("kubectl explain pod.spec.nodeName | head -n 1");
  expect(await terminal.output()).toMatch(/^KIND: +Pod\n$/);
});

test("a file is dropped and applied, with the keyboard alone from there", async ({ lab, page }) => {
  const terminal = await opened(lab, page);
  const data = await page.evaluateHandle((text) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], "dropped.yaml"));
    return transfer;
  }, manifest("dropped"));
  await terminal.panel.dispatchEvent("dragover", { dataTransfer: data });
  await terminal.panel.dispatchEvent("drop", { dataTransfer: data });
  await expect(terminal.field).toHaveValue("dropped.yaml");
  const { keyboard } = page;
  await keyboard.press("Control+u");
  await keyboard.type("kub");
  await keyboard.press("Tab");
  await expect(terminal.field).toHaveValue("kubectl ");
  await keyboard.type("apply -f dr");
  await keyboard.press("Tab");
  await expect(terminal.field).toHaveValue("kubectl apply -f dropped.yaml ");
  await keyboard.press("Enter");
  await terminal.ended();
  await expect.poll(() => terminal.output()).toBe("configmap/settings created\n");
  await keyboard.type("kubectl get configmap set");
  await keyboard.press("Tab");
  await expect(terminal.field).toHaveValue("kubectl get configmap settings ");
  await keyboard.type("-o yam");
  await keyboard.press("Tab");
  await keyboard.press("Control+c");
  await keyboard.press("ArrowUp");
  await expect(terminal.field).toHaveValue("kubectl apply -f dropped.yaml ");
});

test("what cannot work is answered by a sentence, and the next command runs", async ({ lab, page }) => {
  const terminal = await opened(lab, page);
  await terminal.run("kubectl run web --image=nginx; kubectl create deployment site --image=nginx");
  for (const [command, says] of SENTENCES) {
    await terminal.run(command);
    const said = await terminal.output() + (await terminal.block().locator(".term-after").innerText());
    expect(said, command).toMatch(says);
    expect(said, command).not.toMatch(/panic:|goroutine|not implemented on js|syscall/);
  }
  await terminal.run("kubectl get pod web -o name");
  expect(await terminal.output()).toBe("pod/web\n");
});
