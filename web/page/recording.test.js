// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { describe } from "./recording.js";

test("a recording is described by what it says of itself", () => {
  const { about, notes } = describe({
    context: "staging",
    version: "v1.31.2",
    began: "2026-11-26T21:36:03.135810217Z",
    notes: [
      { kind: "types", text: "Leases are not recorded." },
      { kind: "gap", text: "A gap.", from: 5, to: 9 },
      { kind: "fields", text: "A field.", from: 7, to: 7 },
      { kind: "begun", text: "Begun.", from: 3 },
      { kind: "ended", text: "Ended.", to: 12 },
    ],
  });
  assert.match(about,
    /^This cluster was recorded from staging, Kubernetes v1\.31\.2, beginning at 2026-11-26 21:36 UTC\. /);
  assert.deepEqual(notes, [
    { at: "", text: "Leases are not recorded." },
    { at: "5 to 9", text: "A gap." },
    { at: "revision 7", text: "A field." },
    { at: "from 3", text: "Begun." },
    { at: "up to 12", text: "Ended." },
  ]);
});

test("what is not said is not made up, and what a file should not have does no harm", () => {
  for (const recording of [undefined, null, 7, {}, { notes: 7, context: {}, version: [], began: 5 },
    { notes: [null, 5, {}] }]) {
    const { about, notes } = describe(recording);
    assert.match(about, /^This cluster was recorded\. /);
    assert.equal(notes.at(-1)?.text, "The recorder was not ended: the last changes of some types may be missing.");
    assert.ok(notes.every((note) => typeof note.text === "string" && typeof note.at === "string"));
  }
  const long = describe({ notes: Array(10_000).fill({ text: "x".repeat(10_000) }), cutOff: "at byte 5" });
  assert.ok(long.notes.length <= 502 && long.notes[0].text.length === 2000);
  assert.ok(long.notes.some((note) => note.text === "The end of the file is cut off: at byte 5."));
});
