// @ts-check
/**
 * A room: a Durable Object with a cluster, kept in its SQLite storage. Go is started by the first request after the
 * object's start, and again after it has ended.
 *
 * Requests come from the front only, which names what it wants by the host of the URL: CREATE for a new room, with its
 * first teacher's token in the body, and ROOM for what a client asks. A client has no influence on that host.
 *
 * The engine may forget the object when it is idle, and keeps its WebSockets. They are attached to the program again
 * before the next request is answered, and when the program writes something by itself. An alarm, which lets it forget
 * old history, does not attach them: nothing that they show changes.
 *
 * Invariants: an object that was not created answers 404, starts no Go and stores nothing. An object is created once.
 *
 * @import { Env, Socket, State } from "cloudflare:workers"
 */
import { DurableObject } from "cloudflare:workers";
import { MAX_BODY, callOf } from "./exchange.js";
import { Program } from "./program.js";
import { SQLRows } from "./rows.js";
import { refuse } from "./status.js";
import { Sockets, wanted } from "./sockets.js";
import { RoomStore } from "./store.js";

/** The hosts of the front's requests: see ../front/main.go. */
const CREATE = "create.invalid";
const TEACHER = "teacher.invalid";
/** The header with the token in the answer to the front. */
const TOKEN_HEADER = "Tabernetes-Token";
/** The header with the host that the client asked. */
const HOST_HEADER = "Tabernetes-Host";

/** An isolate has 128 MB for all that it holds; most of what Go takes is what the objects and their history need. */
const QUOTA = 16 << 20;
const MEMORY = 72 << 20;

/** What tokens look like: see core/room/roomhost. */
const TOKEN = /^[A-Za-z0-9_-]{22}$/;

/** The ids of the objects of this isolate in which Go runs. @type {Set<string>} */
export const running = new Set();

/**
 * The class for a compiled server.
 *
 * @param {WebAssembly.Module} module
 */
export function roomClass(module) {
  return class Room extends DurableObject {
    /** @type {Promise<Program> | null} */ #running = null;
    /** The same, once it runs. @type {Program | null} */ #program = null;

    /** @param {State} ctx @param {Env} env */
    constructor(ctx, env) {
      super(ctx, env);
      this.sockets = new Sockets(ctx);
      this.store = new RoomStore(new SQLRows(ctx.storage), () => queueMicrotask(() => this.#attach()));
    }

    /** @param {Request} request */
    async fetch(request) {
      const url = new URL(request.url);
      if (url.host === CREATE) return this.#create(request);
      if (!this.store.exists()) return refuse(404, "NotFound", "there is no such room");
      if (url.host === TEACHER) return this.#teacher(request);
      const host = request.headers.get(HOST_HEADER) ?? url.host;
      const asked = `http://${host}${url.pathname}${url.search}`;
      const socket = await wanted(request, asked);
      const call = await callOf(request, socket?.url ?? asked);
      if (!call) {
        return refuse(413, "RequestEntityTooLarge", `Request entity too large: limit is ${MAX_BODY}`);
      }
      try {
        const program = await this.#run("");
        this.#attach();
        return await program.serve(call, request, socket ? this.sockets.stream(socket.kept) : undefined);
      } catch (error) {
        return refuse(503, "ServiceUnavailable", `the room does not start: ${error}`, 10);
      }
    }

    /** The alarm of a program's timers. It starts the program if need be. */
    async alarm() {
      if (this.store.exists()) (await this.#run("").catch(() => null))?.timers.fire();
    }

    /** @param {Socket} socket @param {string | ArrayBuffer} message */
    webSocketMessage(socket, message) {
      this.sockets.message(socket, message);
    }

    /** @param {Socket} socket */
    async webSocketClose(socket) {
      if (!this.sockets.closed(socket)) return;
      await this.#run("").catch(() => null);
      this.#attach();
    }

    /** @param {Socket} socket */
    webSocketError(socket) {
      return this.webSocketClose(socket);
    }

    /** Ends all streams of the room; the next request starts it again. */
    async end() {
      const program = await this.#running?.catch(() => null);
      this.#forget();
      this.sockets.closeIdle();
      await program?.close();
    }

    #attach() {
      if (this.#program) this.sockets.attach(this.#program);
    }

    #forget() {
      this.#running = this.#program = null;
      running.delete(this.ctx.id.toString());
    }

    /** @param {Request} request */
    async #create(request) {
      const { token } = /** @type {{token: string}} */ (await request.json());
      if (this.store.exists()) return refuse(409, "AlreadyExists", "there is such a room already");
      if (!TOKEN.test(token)) return refuse(400, "BadRequest", "a room needs a token");
      try {
        this.store.open();
        await this.#run(token);
        await this.store.created();
      } catch (error) {
        await this.ctx.storage.deleteAll();
        return refuse(500, "InternalError", `the room does not start: ${error}`);
      }
      return new Response(null, { status: 201 });
    }

    /** A teacher's token, for the front, which was shown the host's key. @param {Request} request */
    async #teacher(request) {
      try {
        const program = await this.#run("");
        this.#attach();
        const answer = await program.teacher(request);
        if (answer.status !== 201) return answer;
        return new Response(null, { status: 201, headers: { [TOKEN_HEADER]: await answer.text() } });
      } catch (error) {
        return refuse(503, "ServiceUnavailable", `the room does not start: ${error}`, 10);
      }
    }

    /**
     * The running program. Nothing else happens in the object while it starts.
     *
     * @param {string} token of the first teacher of a new room
     */
    #run(token) {
      if (this.#running) return this.#running;
      const running = this.ctx.blockConcurrencyWhile(() => this.#start(token).catch((/** @type {unknown} */ e) => e));
      /** @type {Promise<Program>} */
      const started = running.then((found) => {
        if (found instanceof Program) return found;
        if (this.#running === started) this.#running = null;
        throw found;
      });
      this.#running = started;
      return started;
    }

    /** @param {string} token */
    async #start(token) {
      this.store.open();
      const { ctx, env } = this;
      const program = new Program(module, {
        host: {
          storage: this.store,
          onDamage: "salvage",
          room: { token, live: this.sockets.live(), quota: QUOTA, memory: MEMORY },
          fetch: (name) => env.ASSETS.fetch(new Request(`https://assets.invalid${FILES}${name}`)),
        },
        setAlarm: (at) => void ctx.storage.setAlarm(at),
        died: (reason) => {
          console.error(`a room's server has ended: ${reason}`);
          this.#forget();
        },
      });
      await program.start();
      this.#program = program;
      running.add(ctx.id.toString());
      return program;
    }
  };
}
