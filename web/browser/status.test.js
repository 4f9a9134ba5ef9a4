import assert from "node:assert/strict";
import { test } from "node:test";
import { messageOf } from "./status.js";

test("the message of a Status, or the text", () => {
  for (const [text, want, most] of [
    ['{"kind":"Status","message":"not found"}', "not found", 3],
    ['{"kind":"Status"}', '{"kind":"Status"}'],
    ["404 page not found", "404 page not found"],
    ["404 page not found", "404", 3],
    ["", ""],
    ["null", "null"],
  ]) assert.equal(messageOf(text, most), want);
});
