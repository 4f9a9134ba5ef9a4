/** The part of the engine's API that is used here. */
declare module "cloudflare:workers" {
  export interface Storage {
    sql: { exec(query: string, ...values: unknown[]): Rows };
    transactionSync<T>(steps: () => T): T;
    sync(): Promise<void>;
    setAlarm(at: number): Promise<void>;
    deleteAll(): Promise<void>;
  }

  export interface Rows extends Iterable<Record<string, unknown>> {
    toArray(): Record<string, unknown>[];
  }

  export interface State {
    id: { toString(): string };
    storage: Storage;
    acceptWebSocket(socket: Socket): void;
    getWebSockets(): Socket[];
    getWebSocketAutoResponseTimestamp(socket: Socket): Date | null;
    setWebSocketAutoResponse(pair: WebSocketRequestResponsePair): void;
    blockConcurrencyWhile<T>(start: () => Promise<T>): Promise<T>;
  }

  /** A WebSocket that outlives the object's memory, with what is attached to it. */
  export interface Socket {
    readyState: number;
    send(text: string): void;
    close(code?: number, reason?: string): void;
    serializeAttachment(value: unknown): void;
    deserializeAttachment(): unknown;
  }

  export interface Fetcher {
    fetch(request: Request): Promise<Response>;
  }

  export interface RoomStub extends Fetcher {
    end(): Promise<void>;
  }

  export interface Env {
    ASSETS: Fetcher;
    ROOMS: { idFromName(name: string): unknown; idFromString(id: string): unknown; get(id: unknown): RoomStub };
  }

  export class DurableObject {
    constructor(ctx: State, env: Env);
    ctx: State;
    env: Env;
  }
}

declare class WebSocketRequestResponsePair {
  constructor(request: string, response: string);
}

declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}

declare module "*/wasm_exec.js";

/** A TransformStream that passes bytes on. A write resolves when they have been read, and fails when nobody reads. */
declare var IdentityTransformStream: typeof TransformStream | undefined;

/** Two WebSockets that are connected with each other. */
declare var WebSocketPair: new () => Record<0 | 1, WebSocket & { accept(): void }>;
/** What the URLs of the files of this build begin with: the builder puts it in. */
declare const FILES: string;
