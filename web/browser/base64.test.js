import assert from "node:assert/strict";
import { test } from "node:test";
import { fromBase64, plainForm, toBase64, urlForm } from "./base64.js";

test("bytes are the same again, in both forms", () => {
  for (const length of [0, 1, 2, 3, 255, 8191, 8192, 8193, 20_000]) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 167 + 250) % 256);
    const base64 = toBase64(bytes);
    assert.equal(base64, Buffer.from(bytes).toString("base64"));
    assert.equal(urlForm(base64), Buffer.from(bytes).toString("base64url"));
    assert.deepEqual(fromBase64(base64), bytes);
    assert.deepEqual(fromBase64(plainForm(urlForm(base64))), bytes, "padding is not needed");
  }
  assert.throws(() => fromBase64("a*b"), { name: "InvalidCharacterError" });
});
