// Where the package is that the example tests with: in a project that has installed it, none of this is needed.
import { resolve } from "node:path";
import process from "node:process";

export default {
  resolve: { alias: {
    "tabernetes/tables": resolve(process.env.TABERNETES_NPM ?? "dist/npm", "tables.js"),
    tabernetes: resolve(process.env.TABERNETES_NPM ?? "dist/npm", "node.js"),
  } },
  // A busy machine is no failure.
  test: { testTimeout: 120_000, hookTimeout: 60_000, expect: { poll: { timeout: 60_000 } } },
};
