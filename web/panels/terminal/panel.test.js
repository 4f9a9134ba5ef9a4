// What the panel makes of bytes and lines, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { kindOf } from "./explain/request.js";
import { looksOpen } from "./open-input.js";
import { Links } from "./links.js";
import { inTable } from "./output.js";
import { unprompted } from "./pasted.js";
import { Screen } from "./screen.js";

/** What a program writes, as lines; each run as text or [text, style]. */
function screen(...writes) {
  const lines = [];
  const s = new Screen({ line: (runs) => lines.push(runs), clear: () => lines.splice(0, lines.length, "cleared") });
  for (const write of writes) {
    const [text, stream] = Array.isArray(write) ? write : [write, "stdout"];
    s.write(typeof text === "string" ? new TextEncoder().encode(text) : text, stream);
  }
  const short = (runs) => (typeof runs === "string" ? runs : runs.map((r) => (r.style ? [r.text, r.style] : r.text)));
  return [...lines.map(short), short(s.open())];
}

test("bytes become lines of styled text", () => {
  for (const [name, writes, want] of [
    ["lines", ["a\nb\n"], [["a"], ["b"], []]],
    ["no end", ["a\nb"], [["a"], ["b"]]],
    ["an empty line", ["\n"], [[], []]],
    ["colours", ["\x1b[31mred\x1b[0m plain\n"], [[["red", "fg-red"], " plain"], []]],
    ["bold and colour", ["\x1b[1;32mok\x1b[m\n"], [[["ok", "is-bold fg-green"]], []]],
    ["bright, and of 256", ["\x1b[94mb\x1b[38;5;3my\x1b[38;5;200mp\n"],
      [[["b", "fg-blue"], ["y", "fg-yellow"], "p"], []]],
    ["by red, green and blue", ["\x1b[38;2;1;2;3mx\x1b[1my\n"], [["x", ["y", "is-bold"]], []]],
    ["stderr", [["oh\n", "stderr"], "x\n"], [[["oh", "is-stderr"]], ["x"], []]],
    ["a carriage return", ["10%\r20%\n"], [["20%"], []]],
    ["a shorter line after it", ["long\rab\n"], [["abng"], []]],
    ["cleared to the end", ["long\rab\x1b[K\n"], [["ab"], []]],
    ["the end of Windows' lines", ["a\r\nb\r\n"], [["a"], ["b"], []]],
    ["clear", ["old\nold\x1b[H\x1b[2Jnew\n"], ["cleared", ["new"], []]],
    ["cut within a sequence", ["a\x1b[3", "1mb\n"], [["a", ["b", "fg-red"]], []]],
    ["cut within a character", [new Uint8Array([0xc3]), new Uint8Array([0xa4, 10])], [["ä"], []]],
    ["other sequences", ["\x1b]0;title\x07a\x1b[?25lb\x1b(B\n"], [["ab"], []]],
    ["an escape alone", ["a\x1b~b\n"], [["a~b"], []]],
    ["tabs stay", ["a\tb\n"], [["a\tb"], []]],
    ["beyond the basic plane", ["😀x\r😁\n"], [["😁x"], []]],
    ["two streams keep their colours", ["\x1b[31ma\n", ["b\n", "stderr"], "c\n"],
      [[["a", "fg-red"]], [["b", "is-stderr"]], [["c", "fg-red"]], []]],
  ]) assert.deepEqual(screen(...writes), want, name);
});

/** What leads somewhere in lines: "text → where". */
function links(asked, ...lines) {
  const l = new Links(() => asked.map((one) => kindOf(...one.split(" "))));
  return lines.flatMap((line) =>
    l.in(line).map((k) => `${line.slice(k.from, k.to)} → ${k.ref ?? k.revision}`));
}

test("names and revisions in the output lead somewhere", () => {
  const pods = "GET /api/v1/namespaces/default/pods";
  for (const [name, asked, lines, want] of [
    ["a table", [pods], ["NAME   READY   STATUS", "web    0/1     Pending", "", "No resources"],
      ["web → pods/default/web"]],
    ["a table of all namespaces", ["GET /api/v1/pods"], ["NAMESPACE   NAME   READY", "team        web    0/1"],
      ["web → pods/team/web"]],
    ["a table of one column", ["GET /api/v1/namespaces"], ["NAME", "default"], ["default → namespaces/_/default"]],
    ["two types", [pods, "GET /apis/apps/v1/namespaces/default/deployments"],
      ["NAME      READY", "pod/web   0/1", "", "NAME                 READY", "deployment.apps/web   0/1"],
      ["pod/web → pods/default/web", "deployment.apps/web → deployments.apps/default/web"]],
    ["what was made", ["POST /api/v1/namespaces/default/pods"], ["pod/web created"], ["pod/web → pods/default/web"]],
    ["one of a group", ["POST /apis/apps/v1/namespaces/team/deployments"], ["deployment.apps/web created"],
      ["deployment.apps/web → deployments.apps/team/web"]],
    ["what was deleted", ["DELETE /api/v1/namespaces/default/pods/web"], ['pod "web" deleted from default namespace'],
      ["web → pods/default/web"]],
    ["a plural with -ies", ["POST /apis/networking.k8s.io/v1/namespaces/default/networkpolicies"],
      ["networkpolicy.networking.k8s.io/deny created"],
      ["networkpolicy.networking.k8s.io/deny → networkpolicies.networking.k8s.io/default/deny"]],
    ["YAML", [pods], ['  resourceVersion: "31"', '"resourceVersion": "7",'], ["31 → 31", "7 → 7"]],
    ["paths and images are no names", [pods], ["image: docker.io/library/nginx:1.2", "/api/v1/pods/x", "pod/a/b"], []],
    ["unknown types are no names", [pods], ["thing/web created"], []],
    ["kinds in a table of types", [pods],
      ["NAME   SHORTNAMES   APIVERSION   NAMESPACED   KIND", "pods   po   v1   true   Pod"], []],
  ]) assert.deepEqual(links(asked, ...lines), want, name);
});

test("what was copied with prompts is pasted without them, and without what was printed", () => {
  for (const [text, want] of [
    ["$ kubectl get pods\n", "kubectl get pods"],
    ["$ kubectl get ns\nNAME   STATUS\ndefault   Active\n$ k get po", "kubectl get ns\nk get po"],
    ["# first\n$ kubectl run a \\\n    --image=b\npod/a created\n", "# first\nkubectl run a \\\n    --image=b"],
    ["$ cat <<EOF\n> a: 1\n> EOF\na: 1\n", "cat <<EOF\na: 1\nEOF"],
    ["  $ kubectl get ns\n", "kubectl get ns"],
    ["% k get ns", "k get ns"],
    ["❯ k get ns", "k get ns"],
    ["ann@host:~/a$ k get ns\n[root@host ~]# k get po\n", "k get ns\nk get po"],
    ["# make it\ncat <<EOF > a.yaml\n$ a: 1\nEOF\n# and apply it:\n$ kubectl apply -f a.yaml\n",
      "# make it\ncat <<EOF > a.yaml\n$ a: 1\nEOF\n# and apply it:\nkubectl apply -f a.yaml\n"],
    ["kubectl get ns\n$ kubectl get po", "kubectl get ns\nkubectl get po"],
    ["# kubectl get pods\n", "# kubectl get pods\n"],
    ["mail: ann@host costs $ 5", "mail: ann@host costs $ 5"],
    ["kubectl get pods\nkubectl get ns\n", "kubectl get pods\nkubectl get ns\n"],
    ["echo $ HOME\n", "echo $ HOME\n"],
    ["cat <<EOF\nprice: $ 5\nEOF\n", "cat <<EOF\nprice: $ 5\nEOF\n"],
  ]) assert.equal(unprompted(text, looksOpen), want);
});

test("lines of tables are found, which are not wrapped", () => {
  for (const [name, lines, want] of [
    ["pods", ["NAME   READY   STATUS", "web    1/1     Running", ""], "TT "],
    ["two columns", ["NAME      STATUS", "default   Active", "pod/a created"], "TT "],
    ["an empty last column", ["NAME      LABELS", "default   <none>", "b         "], "TT "],
    ["without headings", ["web   1/1   Running", "b     1/1   Running"], "TT"],
    ["get all", ["NAME      READY   STATUS", "pod/web   0/1     Pending", "", "NAME   TYPE", "a      ClusterIP"],
      "TT TT"],
    ["events of describe", ["Events:", "  Type    Reason  Age", "  ----    ------  ---", "  Normal  Killed  1s"],
      " TTT"],
    ["describe", ["Name:         web", "Namespace:    default", "Annotations:  note: a long text"], "   "],
    ["YAML", ["metadata:", "  name: web", "  labels: {a: b}"], "   "],
    ["JSON", ["{", '    "kind": "Pod",', "}"], "   "],
    ["help", ["Basic Commands (Beginner):", "  create          Create a resource from a file or from stdin"], "  "],
    ["a sentence", ["No resources found in default namespace.  Try another."], " "],
  ]) {
    let after = false;
    const got = lines.map((line) => ((after = inTable(line, after)) ? "T" : " ")).join("");
    assert.equal(got, want, name);
  }
});
