/** What the types of core/trial answer. Places in expressions are those of strings. */

export interface Range {
  start: number;
  end: number;
}

/** An expression and its parts, as they were written. */
export interface Tree extends Range {
  type?: string;
  value?: string;
  error?: string;
  /** Another part made it unnecessary. */
  unevaluated?: boolean;
  parts?: Tree[];
  /** What a macro asked of each item. */
  loop?: { key?: string; item: string; value: string; parts: Tree[] }[];
  /** How many items are left out. */
  more?: number;
  /** What it contributes to the cost. */
  estimate?: number;
}

export interface Evaluation {
  field: string;
  use: "matchCondition" | "variable" | "validation" | "message" | "auditAnnotation" | "mutation" | "rule" | "estimate";
  at?: string;
  expression: string;
  type?: string;
  value?: string;
  error?: string;
  cost?: number;
  limit?: number;
  tolerated?: boolean;
  because?: Range[];
  fields?: (Range & { value: string; type: string })[];
  tree?: Tree;
  estimate?: { cost: number; times: number; total: number; limit: number };
}

export interface Step {
  kind: string;
  name: string;
  binding?: string;
  param?: string;
  /** Of a definition: whose rules they are. */
  version?: string;
  outcome: "allowed" | "refused" | "warned" | "audited" | "ignored" | "changed" | "unchanged" | "skipped" | "called" |
    "tolerated" | "checked";
  reason?: string;
  message?: string;
  actions?: string[];
  evaluations?: Evaluation[];
  before?: any;
  after?: any;
  estimate?: number;
  limit?: number;
  /** How many evaluations are left out. */
  omitted?: number;
}

export interface Trial {
  code: number;
  headers: Record<string, string>;
  warnings: string[];
  body: string;
  annotations: Record<string, string>;
  steps: Step[];
  omitted: number;
}

export interface Explained {
  problems: (Range & { message: string; warning?: boolean })[];
  type: string;
  wants: string;
  types?: TypeName[];
  from: number;
  before?: string;
  items: { name: string; what: "field" | "method" | "macro" | "variable" | "function" | "type"; type: string }[];
  part?: Range & { type: string };
  evaluation?: Evaluation;
}

export interface TypeName {
  apiVersion: string;
  kind: string;
}

export interface Subject {
  kind: string;
  name: string;
  namespace?: string;
}

export interface Grant {
  subjects: Subject[];
  binding: Subject;
  role: Subject;
  rule?: number;
}

export interface Access {
  allowed: boolean;
  reason: string;
  grants: Grant[];
  everyone: Subject[];
  missing?: Grant[];
}

