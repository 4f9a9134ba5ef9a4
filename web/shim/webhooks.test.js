// Webhooks that are functions of the page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { callWebhook } from "./webhooks.js";

const review = { kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1", request: { uid: "u", name: "x" } };
const body = () => new TextEncoder().encode(JSON.stringify(review)).buffer;
const call = async (webhook, url = "https://hooks.example/v?timeout=10s") => {
  const { status, body: said, error } =
    await callWebhook(new Map([["https://hooks.example:443/v/", webhook]]), url, body());
  return { status, said: said && new TextDecoder().decode(said), error };
};

test("a response becomes a review", async () => {
  const seen = [];
  const { status, said } = await call((r) => (seen.push(r.request.name), { allowed: true }));
  assert.deepEqual(seen, ["x"]);
  assert.equal(status, 200);
  assert.deepEqual(JSON.parse(said),
    { kind: review.kind, apiVersion: review.apiVersion, response: { uid: "u", allowed: true } });
});

test("a review is sent as it is, and so is nothing", async () => {
  const { said } = await call(async () => ({ kind: "AdmissionReview", response: { uid: "other" } }));
  assert.deepEqual(JSON.parse(said), { kind: "AdmissionReview", response: { uid: "other" } });
  assert.equal((await call(() => undefined)).said, "{}");
});

test("a Response is an HTTP answer", async () => {
  assert.deepEqual(await call(() => new Response("oh", { status: 503 })), { status: 503, said: "oh", error: "" });
});

test("what cannot be called fails as a network does", async () => {
  assert.equal((await call(() => ({}), "https://other.example/v?timeout=1s")).error,
    "dial tcp: lookup other.example: no such host");
  assert.equal((await call(() => ({}), "https://hooks.example/other?timeout=1s")).error,
    "dial tcp: lookup hooks.example: no such host");
  const broken = await call(() => {
    throw new Error("it broke");
  });
  assert.deepEqual(broken, { status: 0, said: null, error: "it broke" });
});

test("converted objects become a ConversionReview", async () => {
  const asked = { kind: "ConversionReview", apiVersion: "apiextensions.k8s.io/v1",
    request: { uid: "u", desiredAPIVersion: "a/v2", objects: [{ apiVersion: "a/v1" }] } };
  const convert = ({ request }) => request.objects.map((o) => ({ ...o, apiVersion: request.desiredAPIVersion }));
  const { body } = await callWebhook(new Map([["https://hooks.example/c", convert]]),
    "https://hooks.example/c?timeout=30s", new TextEncoder().encode(JSON.stringify(asked)).buffer);
  assert.deepEqual(JSON.parse(new TextDecoder().decode(body)), { kind: asked.kind, apiVersion: asked.apiVersion,
    response: { uid: "u", result: { status: "Success" }, convertedObjects: [{ apiVersion: "a/v2" }] } });
});
