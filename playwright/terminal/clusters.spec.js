// kubectl speaks with the cluster that the switch names, with the rights that the page has there.
import { expect, ownServerTest } from "../fixtures.js";
import { test as roomTest } from "../room/class.js";
import { Terminal } from "../terminal.js";

ownServerTest("the devserver's cluster, and the tab's", async ({ lab, page, server }) => {
  await lab.open();
  const terminal = new Terminal(page);
  await terminal.open();
  await terminal.run("kubectl create configmap in-the-tab; echo 'a: b' > own.yaml");
  expect(await server.apiRequests()).toBe(0);
  await page.getByRole("radio", { name: "devserver" }).check();
  await terminal.run("kubectl create configmap on-the-server");
  expect(await terminal.output()).toBe("configmap/on-the-server created\n");
  const there = await (await fetch(server.url + "/api/v1/namespaces/default/configmaps")).json();
  const names = there.items.map((o) => o.metadata.name);
  expect(names).toContain("on-the-server");
  expect(names).not.toContain("in-the-tab");
  await terminal.run("ls"); // files are kept with a cluster
  expect(await terminal.output()).toBe("");
  await page.getByRole("radio", { name: "in this tab" }).check();
  await terminal.run("kubectl get configmaps -o name; ls");
  expect(await terminal.output()).toContain("configmap/in-the-tab\n");
  expect(await terminal.output()).not.toContain("on-the-server");
  expect(await terminal.output()).toContain("own.yaml");
});

roomTest("a room's cluster, with the rights of the member", async ({ pair: [teacher, ada] }) => {
  const [hers, learners] = [new Terminal(teacher.page), new Terminal(ada.page)];
  await learners.open();
  await learners.run("kubectl create configmap by-ada");
  expect(await learners.output()).toBe("configmap/by-ada created\n");
  await learners.run("kubectl create clusterrole all --verb=get --resource=pods");
  expect(await learners.output()).toMatch(/^Error from server \(Forbidden\): .*cannot create resource "clusterroles"/);
  await learners.run("kubectl auth can-i create clusterroles");
  expect(await learners.output()).toMatch(/^(Warning: .*\n)?\n?no\n$/);
  await hers.open();
  await hers.run("kubectl get configmap by-ada -o name; kubectl auth can-i create clusterroles");
  expect(await hers.output()).toMatch(/^configmap\/by-ada\n(Warning: .*\n)?\n?yes\n$/);
});
