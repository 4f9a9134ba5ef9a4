/** Tests of policies for runners of JavaScript, in the tables that `tabernetes test` reads. */
import type { Cluster, ClusterOptions } from "./index";

export interface Table {
  /** What the cluster has before each test. */
  given?: Given & {
    authorization?: "AlwaysAllow" | "RBAC";
    /** What the objects of requests are merged into. */
    object?: object;
    /** Who makes the requests that name nobody else. */
    as?: Identity;
  };
  /** What its tests evaluate. */
  expression?: string;
  tests: TableTest[];
}

export interface Given {
  /** What the option manifests reads. */
  files?: string[];
  objects?: object[];
}

export interface Identity {
  user: string;
  uid?: string;
  groups?: string[];
  extra?: Record<string, string[]>;
}

export interface TableTest {
  name: string;
  given?: Given;
  /** One of the verbs, with an object or what manifests reads. */
  when: {
    create?: object | string;
    update?: object | string;
    patch?: object | string;
    apply?: object | string;
    delete?: object | string;
    /** Variables, with which the table's expression is evaluated. */
    evaluate?: object;
    subresource?: string;
    as?: Identity;
    /** The field manager: kubectl without it. */
    manager?: string;
    /** Takes fields from other managers, when something is applied. */
    force?: boolean;
  };
  /** Texts are parts of what is expected. */
  then: {
    allowed?: boolean;
    refused?: string | { message?: string; code?: number; reason?: string };
    /** All of them. */
    warnings?: string[];
    /** Fields of the object that is answered; null: not there. */
    object?: object;
    /** For `tabernetes test` and Go: no answer has them. */
    audit?: Record<string, string | null>;
    /** Of evaluate: what the expression comes to, or a part of the error. */
    value?: unknown;
    error?: string;
  };
}

export interface Options {
  /** That of the package. */
  createCluster(options?: ClusterOptions): Promise<Cluster>;
  /** Reads the objects of a file that the table names. */
  manifests?(file: string): any[] | Promise<any[]>;
}

/**
 * Returns the tests of a table, which a runner runs one after another: run rejects with how the answer differs from
 * what is expected. close ends their cluster.
 */
export function runTable(table: Table, options: Options): {
  tests: { name: string; run(): Promise<void> }[];
  close(): Promise<void>;
};
