// @ts-check
/**
 * The requests of a block, each a field, with its answer as the API gave it.
 *
 * @import { Request } from "./http.js"
 */
import { answerOf } from "./answer.js";
import { ask } from "./ask.js";
import { Field } from "./field.js";
import { isWatch, parse } from "./http.js";

/** What the requests of one block share. */
export class Block {
  /** @type {typeof globalThis.fetch | null} */ fetch = null;
  /** Exchanges of requests with a name. @type {Map<string, unknown>} */ answers = new Map();

  /** Makes the fields; throws if the text is not understood. @param {string} text @returns {Field[]} */
  read(text) {
    const requests = parse(text);
    if (requests.length === 0) throw new Error("There is no request here.");
    return requests.map((request) => new RequestField(this, request));
  }
}

class RequestField extends Field {
  /** @param {Block} block @param {Request} request */
  constructor(block, request) {
    super("Request", request.name || `${request.method} ${request.target.split("?")[0]}`, request.source);
    this.block = block;
  }

  get able() {
    return this.block.fetch !== null;
  }

  /** @param {AbortSignal} stop @param {(text: string, bad?: boolean) => void} say */
  async perform(stop, say) {
    const { fetch, answers } = this.block;
    const [request, ...others] = parse(this.text.value);
    if (!fetch || !request || others.length > 0) throw new Error("One request is needed here.");
    for (let index = 1; index <= request.repeat; index++) {
      const begun = performance.now();
      const { response, target } = await ask(fetch, request, index, (name) => answers.get(name), stop);
      stop.throwIfAborted();
      const took = performance.now() - begun;
      const part = request.repeat > 1 ? `${index} of ${request.repeat}: ` : "";
      const tell = (/** @type {string} */ text) => say(part + text);
      const exchange = await answerOf(response, isWatch(target), this.answer, tell, took);
      if (request.name) answers.set(request.name, exchange);
    }
  }
}
