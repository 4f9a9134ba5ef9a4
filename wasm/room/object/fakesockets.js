// @ts-check
/** WebSockets of a room in memory, for tests. */

export class FakeSocket {
  readyState = 1;
  /** What was sent. @type {string[]} */ sent = [];
  /** How it was closed, "" if it was not. */ closed = "";
  /** When the engine has answered a ping last. @type {Date | null} */ pinged = null;
  /** How long an attachment may be, as JSON. */ space = 2000;
  #attachment = "null";

  /** @param {string} text */
  send(text) {
    this.sent.push(text);
  }

  /** @param {number} code @param {string} reason */
  close(code, reason) {
    if (this.closed) throw new Error("it is closed");
    this.readyState = 2;
    this.closed = `${code} ${reason}`;
  }

  /** @param {unknown} value */
  serializeAttachment(value) {
    const text = JSON.stringify(value);
    if (text.length > this.space) throw new Error("it is too long");
    this.#attachment = text;
  }

  deserializeAttachment() {
    return JSON.parse(this.#attachment);
  }
}

/** The part of an object's state that has the sockets. */
export class FakeState {
  /** @type {FakeSocket[]} */ sockets = [];
  /** What the engine answers by itself. @type {unknown} */ answers = null;

  /** @param {unknown} pair */
  setWebSocketAutoResponse(pair) {
    this.answers = pair;
  }

  /** @param {FakeSocket} socket */
  acceptWebSocket(socket) {
    this.sockets.push(socket);
  }

  getWebSockets() {
    return [...this.sockets];
  }

  /** @param {FakeSocket} socket */
  getWebSocketAutoResponseTimestamp(socket) {
    return socket.pinged;
  }
}
