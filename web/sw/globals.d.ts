// What the build puts into sw.js.
declare const VERSION: string;
declare const UNPACKER: string;
declare const PRECACHE: { url: string; integrity: string; packed?: string[] }[];
declare const LATE: { url: string; integrity: string; changes?: boolean }[];
declare const HEADERS: Record<string, string>;
declare const NETWORK_FIRST: boolean;
