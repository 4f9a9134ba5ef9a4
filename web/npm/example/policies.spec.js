// An example: tests of a policy, in a table that `tabernetes test` runs, too.
import { readFile } from "node:fs/promises";
import { loadAllYaml, loadYaml } from "@kubernetes/client-node";
import { createCluster } from "tabernetes";
import { runTable } from "tabernetes/tables";
import { afterAll, test } from "vitest";

const read = (file) => readFile(new URL(file, import.meta.url), "utf8");

const { tests, close } = runTable(loadYaml(await read("./replicas.test.yaml")), {
  createCluster,
  manifests: async (file) => loadAllYaml(await read(`./${file}`)),
});
afterAll(close);
for (const { name, run } of tests) test(name, run);
