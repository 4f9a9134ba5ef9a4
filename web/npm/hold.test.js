import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { hold } from "./hold.js";

test("a directory belongs to one process that lives", (t) => {
  const directory = mkdtempSync(join(tmpdir(), "tabernetes-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const release = hold(directory);
  assert.deepEqual(readdirSync(directory), ["lock"]);
  assert.equal(readFileSync(join(directory, "lock"), "utf8"), String(process.pid));
  assert.throws(() => hold(directory), new RegExp(`another process has it, .*: ${process.pid}, by the file "lock"`));
  assert.deepEqual(readdirSync(directory), ["lock"]);
  release();
  for (const left of [String(spawnSync(process.execPath, ["-e", ""]).pid), "", "-1", "x".repeat(1000)]) {
    writeFileSync(join(directory, "lock"), left);
    hold(directory)();
    assert.deepEqual(readdirSync(directory), [], left);
  }
});
