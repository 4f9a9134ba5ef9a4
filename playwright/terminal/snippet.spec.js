// Blocks of kubectl's commands in a page of another site, with a strict policy, whose frames have no storage.
import { expect, test } from "../fixtures.js";
import { startEmbedHost, withoutStorage } from "../embedhost.js";

const POST = `<h1>A post</h1>
<pre><code class="language-kubectl">$ kubectl create configmap one --from-literal=a=1
configmap/one created
$ kubectl get configmap none \\
    -o name</code></pre>
<tabernetes-snippet language="kubectl" label="Watch"
  ><pre>kubectl get configmaps --watch -o name</pre></tabernetes-snippet>
<tabernetes-snippet language="kubectl" label="Apply"><pre>cat > two.yaml &lt;&lt;END
apiVersion: v1
kind: ConfigMap
metadata: {name: two}
END
kubectl apply -f two.yaml</pre></tabernetes-snippet>
<tabernetes-snippet language="kubectl" label="Again"><pre>kubectl delete -f two.yaml; cat</pre></tabernetes-snippet>
<tabernetes-snippet label="List"><pre>GET /api/v1/namespaces/default/configmaps</pre></tabernetes-snippet>
<script src="SITE/embed/embed.js" data-fences defer></script>`;

test("commands run in a page of another site, with the cluster and the files of all", async ({ page, server }) => {
  test.slow();
  const host = await startEmbedHost(POST, server.url);
  try {
    const asked = [];
    page.on("console", (m) => m.text().startsWith("storage: ") && asked.push(m.text()));
    await page.addInitScript(withoutStorage);
    await page.goto(host.url);
    const frame = (/** @type {string} */ title) => page.frameLocator(`iframe[title*='${title}']`);
    const status = (/** @type {string} */ title) => frame(title).locator(".status");
    const output = (/** @type {string} */ title) => frame(title).getByRole("log");

    // What the document says that commands print is not run.
    await page.getByRole("button", { name: "Run: kubectl create configmap one" }).click();
    await expect(status("create configmap")).toHaveText(/Failed, exit status 1, \d+ ms/, { timeout: 120_000 });
    await expect(output("create configmap")).toHaveText(
      'configmap/one created\nError from server (NotFound): configmaps "none" not found\n');
    await expect(frame("create configmap").locator(".error").last()).toContainText("NotFound");

    // Watches stream, and what others write comes; files are those of all.
    await page.getByRole("button", { name: "Run: Watch" }).click();
    await expect(output("Watch")).toContainText("configmap/one");
    await page.getByRole("button", { name: "Run: Apply" }).click();
    await expect(output("Apply")).toHaveText("configmap/two created\n");
    await expect(output("Watch")).toContainText("configmap/two");
    await page.getByRole("button", { name: "Run: Again" }).click();
    await expect(output("Again")).toHaveText('configmap "two" deleted from default namespace\n');
    await expect(status("Again")).toHaveText(/Done, \d+ ms/); // cat reads to the end of nothing
    await frame("Watch").getByRole("button", { name: "Stop: kubectl get" }).click();
    await expect(status("Watch")).toHaveText("Running …, stopped");

    // It is the cluster of the requests, too; a new one has nothing of this, nor have its files.
    await page.getByRole("button", { name: "Run: List" }).press("Enter"); // what is above may still move
    await expect(frame("List").getByRole("region", { name: "Answer" })).toContainText('"name": "one"');
    await frame("List").getByRole("button", { name: "Reset" }).click();
    await expect(output("Apply")).toHaveCount(0);
    const field = frame("Apply").getByRole("textbox");
    await field.fill("ls; kubectl get configmaps -o name");
    await field.press("Control+Enter");
    await expect(output("Apply")).toHaveText("configmap/kube-root-ca.crt\n");
    expect(asked).toEqual([]);
  } finally {
    await host.stop();
  }
});
