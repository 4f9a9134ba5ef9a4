// @ts-check
/** Examples from practice: tables of tests, each with what passes and what does not. */
import audit from "./examples/audit.test.yaml";
import authorizer from "./examples/authorizer.test.yaml";
import bounds from "./examples/bounds.test.yaml";
import escalation from "./examples/escalation.test.yaml";
import expression from "./examples/expression.test.yaml";
import growing from "./examples/growing.test.yaml";
import immutable from "./examples/immutable.test.yaml";
import labels from "./examples/labels.test.yaml";
import latest from "./examples/latest.test.yaml";
import limits from "./examples/limits.test.yaml";
import managers from "./examples/managers.test.yaml";
import namespaces from "./examples/namespaces.test.yaml";
import oneof from "./examples/oneof.test.yaml";
import patches from "./examples/patches.test.yaml";
import privileged from "./examples/privileged.test.yaml";
import protectedOnes from "./examples/protected.test.yaml";
import ratcheting from "./examples/ratcheting.test.yaml";
import readers from "./examples/readers.test.yaml";
import registries from "./examples/registries.test.yaml";
import replicas from "./examples/replicas.test.yaml";
import team from "./examples/team.test.yaml";
import webhook from "./examples/webhook.test.yaml";

/** @type {[kind: string, texts: Record<string, string>][]} */
const ROWS = [
  ["Validating policies", { replicas, registries, latest, labels, limits, privileged, protected: protectedOnes,
    namespaces,
    authorizer, audit, ratcheting }],
  ["Mutating policies", { team, patches }],
  ["Rules in definitions", { bounds, immutable, oneof, growing }],
  ["Match conditions of webhooks", { webhook }],
  ["Expressions", { expression }],
  ["Roles", { readers, escalation }],
  ["Server-side apply", { managers }],
  ["Nothing yet", { empty: "# An empty bench\ntests: []\n" }],
];

export const EXAMPLES = ROWS.flatMap(([kind, texts]) => Object.entries(texts).map(([name, text]) =>
  ({ name, kind, text, title: text.slice(2, text.indexOf("\n")) })));
