// The tests of the port and of aborts, also in an engine without byte streams.
//
// Only hasByteStreams' question is answered with no: Node's own Response is made of byte streams.
globalThis.ReadableStream = new Proxy(globalThis.ReadableStream, {
  construct(target, [source, strategy]) {
    if (source?.type === "bytes" && Object.keys(source).length === 1) {
      throw new TypeError("ReadableByteStreamController is not implemented");
    }
    return new target(source, strategy);
  },
});
await import("./port.test.js");
await import("./abort.test.js");
