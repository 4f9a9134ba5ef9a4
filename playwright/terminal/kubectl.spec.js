// The real kubectl in the terminal: make test-terminal builds a site that has it.
import { expect, ownServerTest, test } from "../fixtures.js";
import { Lab } from "../lab.js";
import { Terminal } from "../terminal.js";

test("a manifest by heredoc, a watch in one terminal while another writes, and Ctrl-C", async ({ lab, page }) => {
  await lab.open();
  const terminal = new Terminal(page);
  await terminal.open();
  await terminal.run("kubectl apply -f - <<EOF\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\nEOF");
  expect(await terminal.output()).toBe("configmap/one created\n");
  await terminal.start("kubectl get configmaps -w -o name | grep --color=never one");
  await expect.poll(() => terminal.output()).toBe("configmap/one\n");
  await terminal.tabs.getByRole("button", { name: "Another terminal" }).click();
  await terminal.run("kubectl label configmap one a=b");
  expect(await terminal.output()).toBe("configmap/one labeled\n");
  await terminal.tabs.getByRole("button", { name: /^Terminal 1/ }).click();
  await expect.poll(() => terminal.output()).toBe("configmap/one\nconfigmap/one\n");
  await terminal.field.focus();
  await page.keyboard.press("Control+c");
  await terminal.ended();
  await terminal.run("kubectl get configmap one -o jsonpath={.metadata.labels.a}");
  expect(await terminal.output()).toBe("b");
});

test("the history, the root of the API, and a table as wide as it is", async ({ lab, page }) => {
  await lab.open();
  const terminal = new Terminal(page);
  await terminal.open();
  await terminal.run("kubectl run web --image=nginx > /dev/null");
  await terminal.run("curl -s localhost | head -n 3");
  expect(await terminal.output()).toMatch(/^\{\n +"paths": \[\n +"\/api/);
  await terminal.run("history | tail -n 2");
  expect(await terminal.output()).toBe("    2  curl -s localhost | head -n 3\n    3  history | tail -n 2\n");
  await page.setViewportSize({ width: 1180, height: 800 });
  await terminal.run("kubectl get pods -o wide --show-labels");
  const table = terminal.block().getByRole("group", { name: "Table" });
  await expect(table).toContainText("READINESS GATES");
  const { lines, wide } = await table.evaluate((el) => ({ wide: el.scrollWidth > el.clientWidth,
    lines: Math.round(el.clientHeight / parseFloat(getComputedStyle(el).lineHeight)) }));
  expect([lines, wide]).toEqual([2, true]);
});

test("a watch ends with its time, and what was said of a wait with the wait", async ({ lab, page }) => {
  await lab.open();
  const terminal = new Terminal(page);
  await terminal.open();
  await terminal.run("kubectl create configmap one; kubectl get configmaps -w -o name --request-timeout=1s | grep one");
  expect(await terminal.output()).toBe("configmap/one created\nconfigmap/one\n");
  await terminal.run("kubectl run web --image=nginx --dry-run=client");
  expect(await terminal.output()).toBe("pod/web created (dry run)\n");
  await expect(terminal.block().locator(".term-note")).toHaveCount(0);
  await terminal.run("kubectl run web --image=nginx");
  await expect(terminal.block().locator(".term-note")).toContainText("stays Pending");
  await terminal.run("kubectl wait --for=jsonpath={.status.phase}=Pending pod/web");
  await expect(terminal.block().locator(".term-note")).toHaveCount(0);
  await terminal.start("exit"); // another one takes its place
  await expect(terminal.panel.locator(".term-blocks:not([hidden]) > .term-block")).toHaveCount(0);
});

test("files are kept, and a command of another kind reads them", async ({ lab, page }) => {
  await lab.open();
  const terminal = new Terminal(page);
  await terminal.open();
  await terminal.run("printf 'a: 1\\n' > kept.yaml && cat kept.yaml");
  expect(await terminal.output()).toBe("a: 1\n");
  await page.reload();
  await lab.ready();
  await terminal.open();
  await terminal.run("cat kept.yaml");
  expect(await terminal.output()).toBe("a: 1\n");
});

ownServerTest.describe("without the network", () => {
  ownServerTest.use({ installs: true, tolerated: [/ERR_CONNECTION_REFUSED|Failed to load resource/] });

  const title = "works after the first use, and after a download that was cut off";
  ownServerTest(title, async ({ lab, page, context, server }) => {
    let asked = 0;
    await context.route(/kubectl-1-[^/]*\.wasm$/, (route) => {
      return asked++ ? route.continue() : route.abort("connectionreset");
    });
    await lab.open();
    await lab.installed();
    const terminal = new Terminal(page);
    await terminal.open();
    await terminal.run("kubectl version --client -o name || kubectl version --client | head -n 1");
    expect(await terminal.output()).toContain("v1.36.3");
    expect(asked).toBe(2);
    await page.waitForFunction(async () => {
      for (const name of await caches.keys()) {
        if (await (await caches.open(name)).match("/kubectl/kubectl.json")) return true;
      }
      return false;
    });
    await server.stop();
    await page.close();

    const later = new Lab(await context.newPage(), server.url);
    await later.open();
    const again = new Terminal(later.page);
    await again.open();
    await again.run("kubectl create configmap offline");
    expect(await again.output()).toBe("configmap/offline created\n");
  });
});
