// The terminal with the real kubectl: make test-terminal builds a site that has it.
import assert from "node:assert/strict";
import { SENTENCES } from "../sentences.js";
import { configMap, installed, keeps } from "./parts.js";

const field = { css: "#term-line" };
const shown = ".term-blocks:not([hidden])";

/** Shows the terminal of a page that is open. @param {import("../engines/page.js").Page} page */
export async function show(page) {
  await page.click({ css: "#tab-terminal" });
  await page.until("its scripts are there", (shown) => Boolean(document.querySelector(shown)), shown);
}

/** @param {import("../engines/page.js").Page} page */
async function opened(page) {
  await page.open();
  await show(page);
}

/** Types a command, and does not wait for it. What has several lines is pasted. */
async function start(page, text) {
  await page.click(field);
  if (text.includes("\n")) await page.evaluate((text) => document.execCommand("insertText", false, text), text);
  else await page.tab.type(text);
  await page.press("Enter");
  await page.until("the field is empty", () => document.querySelector("#term-line")?.value === "");
}

const ended = (page) =>
  page.until("the command has ended", (shown) => !document.querySelector(shown + " .is-running"), shown);

export const output = (page, part = ".term-text") =>
  page.evaluate((last, part) => [...document.querySelectorAll(last)].at(-1)?.querySelector(part)?.textContent ?? "",
    shown + " > .term-block", part);

/** Runs a command and returns what it printed. */
export async function run(page, text) {
  await start(page, text);
  await ended(page);
  return output(page);
}

const prints = (page, text) =>
  page.poll(`it prints ${JSON.stringify(text)}`, async () => (await output(page)) === text);
const holds = (page, text) =>
  page.until(`the field holds ${text}`, (text) => document.querySelector("#term-line")?.value === text, text);

/** @type {import("./parts.js").Journey[]} */
export default [
  {
    name: "terminal: a manifest by heredoc, a watch while another terminal writes, Ctrl-C, and completion",
    async run({ page }) {
      await opened(page);
      const deployment = '{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {' +
        '"selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}}, ' +
        '"spec": {"containers": [{"name": "web", "image": "web:1"}]}}}}';
      assert.equal(await run(page, `kubectl apply -f - <<EOF\n${deployment}\nEOF`), "deployment.apps/web created\n");
      await start(page, "kubectl get deployments -w -o jsonpath={.spec.replicas}");
      await prints(page, "1");
      await page.click({ css: ".term-tabs button", name: "Another terminal" });
      assert.equal(await run(page, "kubectl scale deployment web --replicas=3"), "deployment.apps/web scaled\n");
      await page.click({ css: ".term-tabs button", name: /^Terminal 1/ });
      await prints(page, "13");
      await page.click(field);
      await page.press("Control+c");
      await ended(page);
      await page.tab.type("kubectl get depl");
      await page.press("Tab");
      await holds(page, "kubectl get deployments.apps ");
      await page.press("Control+c");
      await holds(page, "");
      assert.equal(await run(page, "kubectl wait --for=jsonpath={.spec.replicas}=3 deployment/web --timeout=60s"),
        "deployment.apps/web condition met\n");

      // Beside an answer a table is wider than the terminal: it scrolls sideways, and no row of it is wrapped.
      await run(page, "kubectl get deployments -o wide");
      await page.click({ css: `${shown} > .term-block:last-child .chip` });
      await page.see({ css: "#panel-answer" });
      const table = await page.until("the table is wider than its place", (last) => {
        const el = document.querySelector(last + " .term-table");
        const { scrollWidth, clientWidth, clientHeight } = el;
        return scrollWidth > clientWidth && { lines: clientHeight / parseFloat(getComputedStyle(el).lineHeight),
          beside: document.querySelector(".term-out").scrollWidth - document.querySelector(".term-out").clientWidth };
      }, `${shown} > .term-block:last-child`);
      assert.deepEqual({ lines: Math.round(table.lines), beside: table.beside }, { lines: 2, beside: 0 });
    },
  },
  {
    name: "terminal: an edit, a difference, an explanation, a pipe into jq, and a file that is dropped",
    async run({ page }) {
      await opened(page);
      await page.evaluate((text) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([text], "dropped.yaml"));
        for (const type of ["dragover", "drop"]) {
          document.querySelector("#panel-terminal").dispatchEvent(
            new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
        }
      }, JSON.stringify(configMap("settings", { colour: "blue" })));
      await holds(page, "dropped.yaml");
      await page.click(field);
      await page.press("Control+u");
      assert.equal(await run(page, "kubectl apply -f dropped.yaml"), "configmap/settings created\n");
      await run(page, "sed -i s/blue/green/ dropped.yaml; kubectl diff -f dropped.yaml");
      assert.match(await output(page), /-  colour: blue\n\+  colour: green\n/);
      await start(page, "kubectl edit configmap settings");
      const text = ".term-edit textarea";
      await page.until("the editor has the object", (css) => /colour: blue/.test(document.querySelector(css)?.value),
        text);
      await page.evaluate((css) => {
        const field = /** @type {HTMLTextAreaElement} */ (document.querySelector(css));
        field.value = field.value.replace("colour: blue", "colour: edited");
        field.dispatchEvent(new Event("input", { bubbles: true }));
      }, text);
      await page.click({ css: ".term-edit button", name: "Save" });
      await ended(page);
      assert.equal(await output(page), "configmap/settings edited\n");
      assert.equal(await run(page, "kubectl get configmap settings -o json | jq -r .data.colour"), "edited\n");
      assert.match(await run(page, "kubectl explain pod.spec.nodeName | head -n 1"), /^KIND: +Pod\n$/);
    },
  },
  {
    name: "terminal: by the keyboard alone, and without the network after its first use",
    installs: true,
    async run({ page, serve }) {
      const server = await installed(page, serve);
      const focused = () => page.until("the field has the focus", () => document.activeElement?.id === "term-line");
      const type = async (text) => {
        await page.tab.type(text);
        await page.press("Enter");
      };
      await page.press("`");
      await focused();
      await type("kubectl create configmap one");
      await prints(page, "configmap/one created\n");
      await ended(page);
      await page.press("ArrowRight"); // its requests
      await page.see({ css: `${shown} .term-request` }, "POST");
      await page.press("ArrowLeft");
      await page.gone({ css: `${shown} .term-request` });
      await page.press("ArrowUp");
      await holds(page, "kubectl create configmap one");
      await page.press("Control+u");
      await type("cat <<EOF");
      await type("two lines");
      await type("EOF");
      await prints(page, "two lines\n");
      await ended(page);
      await keeps(page, "/kubectl/kubectl.json");
      await server.stop();
      await page.reload();
      await page.press("`");
      await focused();
      await type("kubectl get configmap one -o name");
      await prints(page, "configmap/one\n");
    },
  },
  {
    name: "terminal: what cannot work is answered by a sentence",
    async run({ page }) {
      await opened(page);
      await run(page, "kubectl run web --image=nginx; kubectl create deployment site --image=nginx");
      for (const [command, says] of SENTENCES) {
        const said = (await run(page, command)) + (await output(page, ".term-after"));
        assert.match(said, says, command);
        assert.doesNotMatch(said, /panic:|goroutine|not implemented on js|syscall/, command);
      }
    },
  },
];
