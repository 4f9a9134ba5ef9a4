import assert from "node:assert/strict";
import { test } from "node:test";
import { malformed } from "./malformed.js";

const of = (host, url = `http://${host}/`) => malformed({ url, headers: new Headers(host ? { host } : {}) });

test("hosts", () => {
  for (const host of [
    "localhost", "LOCALHOST:8787", "localhost:", "localhost.", "127.0.0.1:0", "[::1]", "[::1]:80", "_x.localhost",
  ]) {
    assert.equal(of(host), "", host);
  }
  for (const host of [
    "localhost@evil.com", "user:pw@127.0.0.1:8787", "@", "localhost:99999", "localhost:abc", "localhost:-1",
    "localhost:80:80", "[::1", "::1", "[::1]x", "a b", "a/b", "http://x", "localhost?x", "localhost#x", "a\\b", "%41",
    "localhost,evil", "<x>", "^", "",
  ]) {
    assert.match(of(host), /^The Host header .* is not a host/, host);
  }
});

test("targets", () => {
  for (const path of ["/", "//evil.com/", "/a%2Fb?x=%zz&y=%", "/rooms?%zz=%", "/|^[", "/..//"]) {
    assert.equal(of("localhost:80", `http://localhost:80${path}`), "", path);
  }
  assert.equal(of("localhost:443", "https://localhost/"), "");
  for (const url of [
    "http://localhost/%zz", "http://localhost/%", "http://localhosthttp://x/", "http://localhost*", "http://evil/",
    "http://localhost@evil.com/", "http://a:b@localhost/", "nothing",
  ]) {
    assert.match(of("localhost", url), /^The target of the request/, url);
  }
});
