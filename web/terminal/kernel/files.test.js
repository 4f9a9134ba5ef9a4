// The tree of files: what POSIX says of each call, and what listeners get.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  O_APPEND, O_CREAT, O_DIRECTORY, O_EXCL, O_RDWR, O_TRUNC, O_WRONLY, S_IFDIR, S_IFLNK, S_IFREG,
} from "../system/constants.js";
import { bytes, text } from "./fake.js";
import { Files, LIMIT } from "./files.js";
import { LARGEST, USER } from "./node.js";
import { TreeFile } from "./openfile.js";

const MAKE = O_WRONLY | O_CREAT | O_TRUNC;

/** A tree with a directory /d, and files with these contents. */
function tree(contents = {}) {
  const files = new Files();
  files.root.owner = USER;
  files.mkdirs("/d");
  for (const [path, content] of Object.entries(contents)) put(files, path, content);
  return files;
}

function put(files, path, content, flags = MAKE) {
  const { node, path: found } = files.open(path, flags, 0o644);
  new TreeFile(files, node, found, flags).write(bytes(content), null);
}

const content = (files, path) => text(files.find(path).content);
const code = (name) => ({ code: name });

test("what is written is read", () => {
  const files = tree({ "/d/a": "one" });
  assert.equal(content(files, "/d/a"), "one");
  put(files, "/d/a", "two", O_WRONLY | O_APPEND);
  assert.equal(content(files, "/d/a"), "onetwo");
  put(files, "/d/./../d//a", "3");
  assert.equal(content(files, "/d/a"), "3");
  assert.deepEqual(files.readdir("/d"), ["a"]);
});

test("positions: an open file has one, and a position that is given does not move it", () => {
  const files = tree({ "/d/a": "abcdef" });
  const { node, path } = files.open("/d/a", O_RDWR, 0);
  const file = new TreeFile(files, node, path, O_RDWR);
  assert.equal(text(file.read(2, null)), "ab");
  assert.equal(text(file.read(2, 4)), "ef");
  assert.equal(text(file.read(2, null)), "cd");
  file.write(bytes("X"), 0);
  file.write(bytes("Y"), null);
  assert.equal(content(files, "/d/a"), "XbcdYf");
  file.write(bytes("Z"), 8);
  assert.equal(content(files, "/d/a"), "XbcdYf\0\0Z", "what lies between is zeros");
  file.truncate(1);
  file.truncate(3);
  assert.equal(content(files, "/d/a"), "X\0\0");
});

for (const [name, call, error] of [
  ["a file that is not there", (f) => f.find("/d/none"), "ENOENT"],
  ["a directory that is not there", (f) => f.open("/none/a", MAKE, 0o644), "ENOENT"],
  ["a path through a file", (f) => f.find("/d/a/b"), "ENOTDIR"],
  ["a file as a directory", (f) => f.readdir("/d/a"), "ENOTDIR"],
  ["a file opened as a directory", (f) => f.open("/d/a", O_DIRECTORY, 0), "ENOTDIR"],
  ["a directory opened to write", (f) => f.open("/d", O_WRONLY, 0), "EISDIR"],
  ["a file that must not be there", (f) => f.open("/d/a", MAKE | O_EXCL, 0), "EEXIST"],
  ["a directory made twice", (f) => f.mkdir("/d", 0o755), "EEXIST"],
  ["a directory unlinked", (f) => f.unlink("/d"), "EISDIR"],
  ["a file removed as a directory", (f) => f.rmdir("/d/a"), "ENOTDIR"],
  ["a directory with files removed", (f) => f.rmdir("/d"), "ENOTEMPTY"],
  ["the root removed", (f) => f.rmdir("/"), "ENOTEMPTY"],
  ["a directory moved into itself", (f) => f.rename("/d", "/d/e"), "EINVAL"],
  ["a directory over a file", (f) => (f.mkdir("/d/e", 0o755), f.rename("/d/e", "/d/a")), "ENOTDIR"],
  ["a file over a directory", (f) => (f.mkdir("/d/e", 0o755), f.rename("/d/a", "/d/e")), "EISDIR"],
  ["a link that leads to itself", (f) => (f.symlink("l", "/d/l"), f.find("/d/l")), "ELOOP"],
  ["a file read as a link", (f) => f.readlink("/d/a"), "EINVAL"],
  ["another name for a directory", (f) => f.link("/d", "/d/e"), "EPERM"],
  ["a file made where only the system may", (f) => (f.mkdirs("/s", 0o755, 0), f.open("/s/a", MAKE, 0o644)), "EACCES"],
  ["the mode of what the system has", (f) => (f.mkdirs("/sys", 0o755, 0), f.chmod("/sys", 0o777)), "EPERM"],
  ["a file that may not be read", (f) => (f.chmod("/d/a", 0o200), f.open("/d/a", 0, 0)), "EACCES"],
  ["a file that may not be written", (f) => (f.chmod("/d/a", 0o400), f.open("/d/a", O_RDWR, 0)), "EACCES"],
  ["a directory that may not be entered", (f) => (f.chmod("/d", 0o600), f.find("/d/a")), "EACCES"],
  ["a directory that may not be changed", (f) => (f.chmod("/d", 0o500), f.unlink("/d/a")), "EACCES"],
  ["a file that is too large", (f) => f.truncate("/d/a", LARGEST + 1), "EFBIG"],
]) {
  test(`${name}: ${error}`, () => {
    const files = tree({ "/d/a": "content" });
    assert.throws(() => call(files), code(error));
    assert.equal(files.find("/").entries.has("d"), true);
  });
}

test("links are followed, but by what is about the link itself", () => {
  const files = tree({ "/d/a": "content" });
  files.symlink("a", "/d/l");
  files.symlink("/d", "/d/up");
  assert.equal(content(files, "/d/up/up/l"), "content");
  assert.equal(files.find("/d/l", false).stat().mode & S_IFLNK, S_IFLNK);
  assert.equal(files.readlink("/d/l"), "a");
  files.symlink("new", "/d/dangling");
  put(files, "/d/dangling", "made");
  assert.equal(content(files, "/d/new"), "made");
  files.unlink("/d/l");
  assert.equal(content(files, "/d/a"), "content");
});

test("a file with two names lives until both are gone", () => {
  const files = tree({ "/d/a": "content" });
  files.link("/d/a", "/d/b");
  assert.equal(files.find("/d/b").stat().nlink, 2);
  files.unlink("/d/a");
  assert.equal(content(files, "/d/b"), "content");
});

test("renaming replaces", () => {
  const files = tree({ "/d/a": "new", "/d/b": "old" });
  files.rename("/d/a", "/d/b");
  assert.equal(content(files, "/d/b"), "new");
  assert.deepEqual(files.readdir("/d"), ["b"]);
  files.rename("/d", "/e");
  assert.equal(content(files, "/e/b"), "new");
});

test("a file that is open can be read when its name is gone", () => {
  const files = tree({ "/d/a": "content" });
  const { node, path } = files.open("/d/a", 0, 0);
  const file = new TreeFile(files, node, path, 0);
  files.unlink("/d/a");
  assert.equal(text(file.read(100, null)), "content");
});

test("stat", () => {
  const files = tree({ "/d/a": "content" });
  const { mode, size, nlink } = files.find("/d/a").stat();
  assert.deepEqual([mode, size, nlink], [S_IFREG | 0o644, 7, 1]);
  assert.equal(files.find("/d").stat().mode, S_IFDIR | 0o755);
  files.utimes("/d/a", 12.5);
  assert.equal(files.find("/d/a").stat().mtimeMs, 12500);
});

test("all files together have a bound, and what is removed counts no more", () => {
  const files = tree({ "/d/a": "", "/d/b": "" });
  files.truncate("/d/a", LARGEST);
  files.truncate("/d/b", LIMIT - LARGEST);
  assert.throws(() => put(files, "/d/c", "x"), code("ENOSPC"));
  files.unlink("/d/a");
  put(files, "/d/c", "x");
  assert.equal(files.bytes, LIMIT - LARGEST + 1);
});

test("listeners are told of each change", () => {
  const files = tree();
  const seen = [];
  const off = files.onChange((path) => seen.push(path));
  put(files, "/d/a", "x");
  files.symlink("d", "/l");
  put(files, "/l/b", "");
  files.rename("/d/a", "/l/c");
  files.chmod("/d/c", 0o600);
  files.unlink("/d/c");
  off();
  files.unlink("/d/b");
  assert.deepEqual(seen, ["/d/a", "/d/a", "/l", "/d/b", "/d/b", "/d/a", "/d/c", "/d/c", "/d/c"]);
});
