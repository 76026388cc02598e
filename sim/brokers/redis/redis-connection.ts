import type { SiteName } from "../../faults/site.ts";
import { Emitter } from "../emitter.ts";
import {
  ArgumentReader,
  argumentsFrom,
  callBack,
  type RedisArgument,
  type RedisCallback,
} from "./arguments.ts";
import { callServer } from "./call-server.ts";
import {
  type CommandResult,
  isReplyError,
  queueingError,
  type QueuedCommand,
  told,
  type Transacted,
} from "./command-errors.ts";
import { assertKnown, execute, siteOf, waitingFor, type WaitingRead } from "./commands.ts";
import type { CommandPlace } from "./command-place.ts";
import { pipelined, resultsOf } from "./pipelined.ts";
import { executed, type Line, newLine, notSent } from "./redis-line.ts";
import type { RedisSettlements } from "./redis-settlements.ts";
import type { Keyspace } from "./keyspace.ts";
import type { Permissions } from "./permissions.ts";
import { connectionClosed, ReplyError, WRONG_TYPE } from "./reply-error.ts";
import { shapedReply } from "./shaped-reply.ts";
import type { StreamReply } from "./redis-commands.ts";
import { arrival, type WaitingParts } from "./wait.ts";

/** What the connections of one client have in common. */
export interface RedisParts extends WaitingParts {
  readonly settlements: RedisSettlements;
  readonly keys: Keyspace;
  readonly permissions: Permissions;
  /** The open connections of the client. */
  readonly connections: Set<RedisConnection>;
}

/** From this version on (7.2 to be exact) a reader whose group is gone is told as any other. */
const REPEATS_READS_MAJOR = 8;
const GROUP_GONE = "NOGROUP the consumer group this client was blocked on no longer exists";
const STREAM_GONE = "UNBLOCKED the stream key no longer exists";
/** The sites at which a transaction may be struck, the gravest first. */
const GRAVEST: readonly SiteName[] = ["broker.settle", "broker.produce", "broker.fetch"];

/** What a connection does, in the library's words. */
type RedisStatus = "wait" | "connecting" | "connect" | "ready" | "reconnecting" | "end";

/** How long the library waits before it connects again, the first time. */
const RECONNECT_MS = 50;
/** How long it takes to connect, where nobody is told of it. */
const CONNECTING_MS = 2;

/** One connection to a server: its life, and what is sent on it, one command after the other. */
export class RedisConnection {
  readonly events: Emitter;
  readonly #parts: RedisParts;
  #closing = new AbortController();
  /** Resolves when it has been told that the connection has ended. */
  #ended = Promise.withResolvers<void>();
  #line: Line = newLine();
  #status: RedisStatus = "wait";
  /** What it is said to do while it closes. */
  #shown: RedisStatus | undefined;
  #hasReplied = false;
  /** When it began to connect, if it did. */
  #since: number;
  readonly #start: "at-once" | "lazily";
  #last: Promise<unknown> = Promise.resolve();

  /** Unless it is lazy, it connects as soon as somebody listens to it. */
  constructor(parts: RedisParts, start: "at-once" | "lazily") {
    this.#parts = parts;
    this.#start = start;
    this.#since = parts.port.world.now;
    this.events = new Emitter({
      added: () => (start === "lazily" ? undefined : this.#beginConnecting()),
      removed: () => undefined,
    });
  }

  get status(): RedisStatus {
    if (this.#shown !== undefined) return this.#shown;
    const isSilent = this.#status === "wait" && this.#start === "at-once";
    if (!isSilent && this.#status !== "ready") return this.#status;
    const isConnected = this.#parts.port.world.now >= this.#since + CONNECTING_MS;
    return isConnected || this.#hasReplied ? "ready" : "connecting";
  }

  connect(callback?: unknown): Promise<void> {
    const connected = this.#connect();
    if (typeof callback === "function") callBack(connected, callback as RedisCallback);
    return connected;
  }

  async #connect(): Promise<void> {
    const { status } = this;
    if (status !== "wait" && status !== "end" && status !== "reconnecting") {
      throw new Error("Redis is already connecting/connected");
    }
    if (this.#status === "end") this.#beginAnew();
    this.#parts.connections.add(this);
    this.#beginConnecting();
    const ready = new Promise<void>((resolve) => void this.events.once("ready", resolve));
    await (this.#parts.isOffline === undefined ? Promise.race([ready, this.#lost()]) : ready);
  }

  #beginAnew(): void {
    this.#hasReplied = false;
    this.#status = "wait";
    this.#closing = new AbortController();
    this.#ended = Promise.withResolvers();
    this.#line = newLine();
    this.#last = Promise.resolve();
  }

  /** Closes after all commands that were sent. */
  quit(callback?: unknown): Promise<"OK"> {
    const closed = this.#quit();
    if (typeof callback === "function") callBack(closed, callback as RedisCallback);
    return closed;
  }

  #quit(): Promise<"OK"> {
    if (this.#status === "end") return Promise.reject(connectionClosed());
    if (this.#closing.signal.aborted) return this.#lost();
    this.#closing.abort();
    if (this.#start === "lazily") this.#beginConnecting();
    const line = this.#line;
    return this.#last.then(() => {
      if (line.isLost) throw connectionClosed();
      this.disconnect();
      return "OK" as const;
    });
  }

  /** Closes at once; pending commands reject. */
  disconnect(): void {
    this.#line.cut.abort();
    this.#closing.abort();
    this.#parts.connections.delete(this);
    if (this.#status === "end") return;
    const { status } = this;
    if (status === "connecting" && this.#parts.isOffline === undefined) this.#closeEarly();
    // One that never began to connect has nothing to wait for.
    if (status !== "wait") this.#shown = status;
    this.#status = "end";
    if (status === "connecting") this.#report("end");
    else this.#report("close", "end");
  }

  /** Nothing was written: ioredis rejects it all when it has closed, ahead of the event. */
  #closeEarly(): void {
    const line = this.#line;
    line.isLost = true;
    line.closedEarly = new Promise((resolve) => {
      this.#parts.port.after(1, () => {
        this.#shown = undefined;
        resolve();
      });
    });
  }

  /** Closes, and connects again: commands without a reply are sent anew, as the library does. */
  reconnect(): void {
    if (this.#status === "end" || this.#status === "reconnecting") return;
    const line = this.#line;
    const { port } = this.#parts;
    const { cut } = line;
    line.cut = new AbortController();
    line.again = new Promise((resolve) => {
      port.after(1, () => {
        if (this.#status === "reconnecting") this.#shown = undefined;
        this.events.emit("close", undefined);
        this.events.emit("reconnecting", RECONNECT_MS);
      });
      port.after(1 + RECONNECT_MS, () => {
        line.again = undefined;
        if (this.#status === "reconnecting") {
          this.#status = "wait";
          this.#beginConnecting();
        }
        resolve();
      });
    });
    this.#shown = this.status;
    this.#status = "reconnecting";
    cut.abort();
  }

  /** Sends a command; its last argument may be a callback. */
  command(name: string, given: readonly RedisArgument[]): Promise<unknown> {
    const waiting = waitingFor(name);
    const { words: args, callback } = argumentsFrom(given);
    const site = siteOf(name);
    return this.#send(callback, async (line) => {
      if (waiting !== undefined) {
        const read = told(name, args, () => {
          const words = new ArgumentReader(args);
          assertKnown(name, words);
          return permitted(name, waiting(words));
        });
        return this.#shaped(name, await this.#read(read, (find) => told(name, args, find), line));
      }
      // Read anew each time: the command may be sent again, or arrive twice.
      const run = (): unknown => told(name, args, () => this.#execute(name, args));
      return this.#shaped(name, await this.#call(site, run, line));
    });
  }

  /** Sends commands as one transaction: nothing comes between them, and none of them waits. */
  transact(commands: readonly QueuedCommand[]): Promise<Transacted> {
    const sites = commands.map(({ name }) => siteOf(name));
    const site = GRAVEST.find((one) => sites.includes(one)) ?? "broker.session";
    const run = (): Transacted => {
      const refusals = commands.map((command) => queueingError(command, this.#parts));
      const queued = refusals.every((one) => one === undefined) ? commands : [];
      const all = () => queued.map(({ name, args }) => this.#resultOf(name, args));
      return { refusals, results: this.#parts.settlements.atOnce(all) };
    };
    return this.#send(undefined, (line) => this.#call(site, run, line));
  }

  /** Sends commands together: those of other connections may come between them. */
  inTurn(commands: readonly QueuedCommand[]): Promise<readonly CommandResult[]> {
    const send = (name: string, args: readonly RedisArgument[]) => this.command(name, args);
    const isOfIoredis = this.#parts.isOffline === undefined;
    const sent = (): Promise<unknown>[] => commands.map(({ name, args }) => send(name, args));
    return resultsOf(isOfIoredis ? pipelined(send, commands) : sent());
  }

  get #place(): CommandPlace {
    const { server, keys, permissions, port } = this.#parts;
    const { world } = port;
    return { server, keys, permissions, who: port.name, wallMs: world.wallMs, now: world.now };
  }

  #execute(name: string, args: readonly RedisArgument[]): unknown {
    const reply = execute(this.#place, name, new ArgumentReader(args));
    this.#parts.settlements.review();
    return reply;
  }

  /** What ioredis makes of a reply; node-redis, whose client is around this, shapes its own. */
  #shaped(name: string, reply: unknown): unknown {
    return this.#parts.isOffline === undefined ? shapedReply(name, reply) : reply;
  }

  /** An error in the reply to EXEC does not name its command. */
  #resultOf(name: string, args: readonly RedisArgument[]): CommandResult {
    try {
      return { ok: true, value: this.#shaped(name, this.#execute(name, args)) };
    } catch (error) {
      if (!isReplyError(error)) throw error;
      return { ok: false, error };
    }
  }

  async #read(
    read: WaitingRead,
    tell: <T>(find: () => T) => T,
    line: Line,
  ): Promise<StreamReply | null> {
    const { blockMs } = read;
    const { server, port } = this.#parts;
    let until = port.world.now + (blockMs ?? 0);
    for (let waits = 0; ; waits += 1) {
      const look = (): ReturnType<WaitingRead["find"]> =>
        waits === 0 ? read.find(this.#place) : this.#foundAfterWait(read);
      const { reply, version } = await this.#call(
        "broker.fetch",
        () => ({ reply: tell(look), version: server.arrivals.version }),
        line,
      );
      const leftMs = until - port.world.now;
      if (reply !== undefined || leftMs <= 0) return (reply as StreamReply | undefined) ?? null;
      const { cut } = line;
      await arrival(this.#parts, leftMs, cut.signal, version);
      if (!cut.signal.aborted) continue;
      if (cut === line.cut) {
        line.isLost = true;
        return await this.#lost();
      }
      // It is sent anew, and waits as long as it says.
      until = port.world.now + RECONNECT_MS + (blockMs ?? 0);
      waits = -1;
    }
  }

  #foundAfterWait(read: WaitingRead): ReturnType<WaitingRead["find"]> {
    const { server } = this.#parts;
    try {
      return read.find(this.#place, server.major >= REPEATS_READS_MAJOR ? "all" : "first");
    } catch (error) {
      if (!isReplyError(error) || server.major >= REPEATS_READS_MAJOR) throw error;
      // Another value has taken the place of the stream.
      if (error.message === WRONG_TYPE) throw new ReplyError(STREAM_GONE);
      const gone = /^NOGROUP No such key '(.*?)'/.exec(error.message);
      if (gone === null) throw error;
      const isThere = server.streamAt(gone[1] ?? "") !== undefined;
      throw new ReplyError(isThere ? GROUP_GONE : STREAM_GONE);
    }
  }

  #beginConnecting(): void {
    if (this.#status !== "wait") return;
    this.#status = "connecting";
    this.#since = this.#parts.port.world.now;
    // Told at once, behind the call that has begun it.
    void Promise.resolve().then(() => this.events.emit("connecting", undefined));
    this.#report("connect", "ready");
  }

  /** Reports events, one after the other, a moment from now. */
  #report(...events: readonly ("connect" | "ready" | "close" | "end")[]): void {
    this.#parts.port.after(1, () => {
      for (const event of events) {
        if (event === "ready" && this.#status !== "connect") return;
        if (event === "connect" && this.#status === "end") return;
        if (event === "connect" && this.#status === "connecting") this.#status = "connect";
        if (event === "ready") {
          this.#status = "ready";
          this.#hasReplied = true;
        }
        if (event === "close" || event === "end") this.#shown = undefined;
        // The library emits what goes with a status, which for these is nothing.
        this.events.emit(event, undefined);
        if (event === "end") this.#ended.resolve();
      }
    });
  }

  /** Sends a command, and again where the connection was closed to be made anew. */
  async #call<T>(site: SiteName, effect: () => T, line: Line): Promise<T> {
    for (;;) {
      if (line.again !== undefined) await line.again;
      const { cut } = line;
      try {
        const run = (): T => executed(line, effect);
        return await callServer(this.#parts, site, run, cut.signal, () => this.disconnect());
      } catch (error) {
        if (cut === line.cut) throw error;
      }
    }
  }

  /** Rejects what has no reply as ioredis does, behind the events of the end. */
  async #lost(): Promise<never> {
    await this.#ended.promise;
    throw connectionClosed();
  }

  /**
   * Returns whether a command has left the process: ioredis writes it at once, node-redis a moment
   * later, unless the connection is closed meanwhile.
   */
  #writing({ cut }: Line): () => boolean {
    if (this.#parts.isOffline === undefined) return () => true;
    let isWritten = false;
    void Promise.resolve().then(() => {
      isWritten = !cut.signal.aborted;
    });
    return () => isWritten;
  }

  #send<T>(callback: RedisCallback | undefined, run: (line: Line) => Promise<T>): Promise<T> {
    const reply = this.#sent(run);
    if (callback !== undefined) callBack(reply, callback);
    return reply;
  }

  #sent<T>(run: (line: Line) => Promise<T>): Promise<T> {
    if (this.#closing.signal.aborted) return this.#lost();
    this.#parts.connections.add(this);
    if (this.#status === "wait" && this.#start === "lazily") this.#beginConnecting();
    if (this.#status === "wait") this.#status = "ready";
    const line = this.#line;
    const isWritten = this.#writing(line);
    const reply = this.#last.then(() => {
      return line.isLost || !isWritten() ? notSent(line) : run(line);
    });
    const replied = (): void => {
      this.#hasReplied = true;
    };
    this.#last = reply.then(replied, replied);
    // One of its own: that the connection waits for it does not make a rejection a handled one.
    return reply.then((value) => value);
  }
}

/** What wakes a read of an older server was permitted when that began to wait. */
function permitted(name: string, read: WaitingRead): WaitingRead {
  const find: WaitingRead["find"] = (place, streams) => {
    if (streams !== "first") place.permissions.assertMayRun(name);
    return read.find(place, streams);
  };
  return { ...read, find };
}
