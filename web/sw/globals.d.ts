// What the build puts into sw.js.
declare const VERSION: string;
declare const PRECACHE: { url: string; integrity: string; packed?: boolean }[];
declare const LATE: { url: string; integrity: string }[];
declare const NETWORK_FIRST: boolean;
