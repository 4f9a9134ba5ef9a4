// @ts-check
/** Numbers that both sides of a system call know: those of Linux, which Go's wasm port asks for by name. */

export const O_WRONLY = 1;
export const O_RDWR = 2;
export const O_CREAT = 0o100;
export const O_EXCL = 0o200;
export const O_TRUNC = 0o1000;
export const O_APPEND = 0o2000;
export const O_DIRECTORY = 0o200000;

export const S_IFMT = 0o170000;
export const S_IFIFO = 0o010000;
export const S_IFCHR = 0o020000;
export const S_IFDIR = 0o040000;
export const S_IFREG = 0o100000;
export const S_IFLNK = 0o120000;

export const SIGINT = 2;
export const SIGKILL = 9;
export const SIGPIPE = 13;

/** The status of a process that a signal has ended. @param {number} signal */
export const killedBy = (signal) => 128 + signal;

/** Where a person's files are: this is kept. */
export const HOME = "/home/user";
/** kubectl's cache of discovery and answers, which is a place's and is not kept. */
export const KUBE_CACHE = `${HOME}/.kube/cache`;
