// The kernel with the real binary, in threads of Node, against a server in WebAssembly. TABERNETES_KUBECTL names the
// directory that `devserver kubectl` has built.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { nodeCluster } from "../../capstone/node.js";
import { text, until } from "./fake.js";
import { Kernel } from "./kernel.js";
import { Thread } from "./threads.js";
