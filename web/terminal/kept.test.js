// Files that are kept: what is in the home directory of each place, over pages that are left at any moment.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Disk, use } from "../../wasm/host/fakeidb.js";
import { Drawer } from "./kernel/drawer.js";
import { Places } from "./kernel/places.js";
import { KeptFiles } from "./kept.js";

const bytes = (s) => new TextEncoder().encode(s);
const text = (b) => new TextDecoder().decode(b);

/** A page with a terminal over a disk. */
function page(disk, place = { name: "tab" }) {
  use(disk);
  const said = [];
  const places = new Places(new KeptFiles(), (sentence) => said.push(sentence));
  return { files: new Drawer(places, () => place.name), said, place };
}

/** Waits until the disk has done all that it was asked for. */
async function rest(disk) {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
  await disk.last;
}

/** All paths of the home directory, with the content of files. */
async function all(files, dir = "/home/user") {
  const found = {};
  for (const { path, kind } of await files.list(dir)) {
    if (kind === "dir") Object.assign(found, { [path]: null }, await all(files, path));
    else found[path] = kind === "link" ? files.present.readlink(path) : text(await files.read(path));
  }
  delete found["/home/user/.kube"];
  delete found["/home/user/.kube/cache"];
  return found;
}

test("what is in the home directory is there in the next page; the rest is not", async () => {
  const disk = new Disk();
  const { files } = page(disk);
  await files.write("/home/user/a.yaml", bytes("one"));
  files.present.mkdir("/home/user/dir", 0o700);
  await files.write("/home/user/dir/b", bytes("two"));
  files.present.symlink("a.yaml", "/home/user/l");
  files.present.chmod("/home/user/a.yaml", 0o600);
  await files.write("/tmp/t", bytes("not kept"));
  await files.write("/home/user/.kube/cache/c", bytes("not kept"));
  await files.write("/home/user/.kube/config", bytes("kept"));
  await rest(disk);
  const next = page(disk.after());
  assert.deepEqual(await all(next.files), {
    "/home/user/.kube/config": "kept", "/home/user/a.yaml": "one", "/home/user/dir": null, "/home/user/dir/b": "two",
    "/home/user/l": "a.yaml",
  });
  const mode = (path) => next.files.present.find(path).mode;
  assert.deepEqual([mode("/home/user/dir"), mode("/home/user/a.yaml")], [0o700, 0o600]);
  await assert.rejects(next.files.read("/tmp/t"), { code: "ENOENT" });
});

test("what is moved and removed is so in the next page", async () => {
  const disk = new Disk();
  const { files } = page(disk);
  await files.settle();
  files.present.mkdir("/home/user/dir", 0o755);
  await files.write("/home/user/dir/a", bytes("one"));
  await files.write("/home/user/dir2", bytes("stays"));
  await files.write("/home/user/b", bytes("two"));
  await rest(disk);
  files.present.rename("/home/user/dir", "/home/user/moved");
  files.present.rename("/home/user/b", "/home/user/moved/b");
  await rest(disk);
  const next = page(disk.after());
  assert.deepEqual(await all(next.files), {
    "/home/user/dir2": "stays", "/home/user/moved": null, "/home/user/moved/a": "one", "/home/user/moved/b": "two",
  });
  await next.files.remove("/home/user/moved");
  assert.deepEqual(await all(next.files), { "/home/user/dir2": "stays" });
});

test("a page that is left right after a change has asked for it to be kept", async () => {
  const disk = new Disk();
  const { files } = page(disk);
  await files.settle();
  await files.write("/home/user/a", bytes("old"));
  await rest(disk);
  await files.write("/home/user/a", bytes("new"));
  for (let i = 0; i < 5; i++) await null; // nothing else happens in the page
  await disk.last; // the browser continues without it
  assert.deepEqual(await all(page(disk.after()).files), { "/home/user/a": "new" });
});

test("each place has its own files", async () => {
  const disk = new Disk();
  const { files, place } = page(disk);
  await files.write("/home/user/a", bytes("the tab's"));
  const changes = [];
  files.onChange((path) => changes.push(path));
  place.name = "http://host/rooms/x/";
  assert.deepEqual(await all(files), {});
  assert.deepEqual(changes, ["/"], "all may be another");
  await files.write("/home/user/a", bytes("the room's"));
  place.name = "tab";
  assert.deepEqual(await all(files), { "/home/user/a": "the tab's" });
  await rest(disk);
  const next = page(disk.after(), { name: "http://host/rooms/x/" });
  assert.deepEqual(await all(next.files), { "/home/user/a": "the room's" });
});

test("a scene begins without files", async () => {
  const disk = new Disk();
  const { files } = page(disk, { name: "scene 1" });
  await files.write("/home/user/a", bytes("of the scene"));
  await rest(disk);
  assert.deepEqual(await all(page(disk.after(), { name: "scene 1" }).files), {});
});

test("a storage that fails is told of once, and files go on in memory", async (t) => {
  t.mock.method(console, "error", () => {});
  const disk = new Disk();
  disk.fault = (what) => (what === "put" ? new DOMException("full", "QuotaExceededError") : undefined);
  const { files, said } = page(disk);
  await files.write("/home/user/a", bytes("one"));
  await rest(disk);
  await files.write("/home/user/b", bytes("two"));
  await rest(disk);
  assert.deepEqual(said, ["The browser does not keep the terminal's files: they are gone when this page is left."]);
  assert.deepEqual(await all(files), { "/home/user/a": "one", "/home/user/b": "two" });
});
