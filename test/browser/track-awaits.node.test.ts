import { AsyncLocalStorage } from "node:async_hooks";
import { describe, expect, it } from "vitest";
import {
  createAsyncContext,
  openFrame,
  runWithoutContext,
  trackReactions,
} from "../../sim/browser/tracked-context.ts";
import { OPEN_FRAME, trackAwaits } from "../../sim/browser/track-awaits.ts";

interface Context {
  readonly get: () => unknown;
  readonly enter: (value: unknown) => void;
  readonly run: (value: unknown, fn: () => unknown) => unknown;
}

type Program = (context: Context, note: (text: string) => void) => Promise<void>;

/** Several tasks in turns, each with a context of its own; the body of an async function. */
const PROGRAMS: Readonly<Record<string, string>> = {
  awaits: `
    const tick = async () => { await 0; await null; };
    async function task(name) {
      context.enter(name);
      for (let at = 0; at < 3; at += 1) { await tick(); note(name + " sees " + context.get()); }
      const nested = async (n) => n === 0 ? context.get() : await nested(n - 1);
      note(name + " " + await nested(await (0, 2)));
    }
    await Promise.all(["a", "b", "c"].map(task));
    note("caller sees " + context.get());`,
  "what a call enters": `
    const open = (name) => { context.enter(name); return Promise.resolve(); };
    async function task(name) {
      context.enter("before " + name);
      await open(name);
      note(name + " sees " + context.get());
    }
    await Promise.all([task("a"), task("b")]);`,
  "exceptions, and what runs after them": `
    const fail = async () => { await 0; context.enter("inner"); throw new Error("no"); };
    async function task(name) {
      context.enter(name);
      try { await fail(); } catch { note("catch " + context.get()); }
      try { context.enter(name + "!"); throw 0; } catch { note("catch " + context.get()); }
      try { await fail(); } catch { context.enter(name + "?"); } finally { note(context.get()); }
      try { try { await fail(); } finally { note("finally " + context.get()); } } catch {}
      await Promise.reject(0).catch(() => 0);
      note(name + " sees " + context.get());
    }
    await Promise.all([task("a"), task("b")]);`,
  "generators and for await": `
    async function* count(name, to) {
      try {
        for (let at = 0; at < to; at += 1) {
          await 0;
          note(name + " makes " + context.get());
          yield at;
        }
      } finally { await 0; note(name + " closes " + context.get()); }
    }
    async function task(name) {
      context.enter(name);
      for await (const at of count(name, 2)) note(name + at + " " + context.get());
      for await (const at of count(name, 5)) { if (at === 1) break; context.enter(name + at); }
      note(name + " sees " + context.get());
      for await (const at of count(name, 2)) {
        context.enter(name + at);
        await 0;
        note(context.get());
      }
      const pulled = count(name, 3);
      note((await Promise.all([pulled.next(), pulled.next()])).map(({ value }) => value).join());
      outer: for (const one of [1, 2]) for await (const at of count(name + one, 2)) continue outer;
      async function* both() {
        yield* count(name, 1);
        note("both " + context.get());
        yield* count(name, 1);
      }
      for await (const at of both()) context.enter(name + "+" + at);
      note(name + " sees " + context.get());
      const later = Promise.resolve().then(() => note("then " + context.get()));
      context.enter("later");
      await later;
    }
    await Promise.all([task("a"), task("b")]);`,
  "functions of every form": `
    class Client {
      #name = "client";
      async method() { await 0; return this.#name + context.get(); }
      static async make() { return await new this().method(); }
    }
    const record = {
      async one() { return [await Client.make()]; },
      two: async () => ({ at: await 1 }),
    };
    async function task(name) {
      context.enter(name);
      const { at } = await record.two();
      note((await record.one())[0] + at + (await (async () => context.get())()));
      await context.run("inside", async () => { await 0; note("run " + context.get()); });
      note(name + " sees " + context.get());
    }
    await Promise.all([task("a"), task("b")]);`,
};

async function notesOf(code: string, context: Context): Promise<readonly string[]> {
  const notes: string[] = [];
  // oxlint-disable-next-line typescript/no-implied-eval -- the edited code has to run
  const create = new Function(OPEN_FRAME, code) as (open: typeof openFrame) => Program;
  await create(openFrame)(context, (text) => notes.push(text));
  return notes;
}

// On Node alone: on Deno a generator that is pulled twice at once loses the context of the second pull.
describe("trackAwaits()", () => {
  it.for(Object.entries(PROGRAMS))("%s: as Node's AsyncLocalStorage", async ([, body]) => {
    const code = `return async (context, note) => {${body}\n};`;
    const storage = new AsyncLocalStorage();
    const wanted = await storage.run(undefined, () =>
      notesOf(code, {
        get: () => storage.getStore(),
        enter: (value) => storage.enterWith(value),
        run: (value, fn) => storage.run(value, fn),
      }),
    );
    const tracked = createAsyncContext();
    const undo = trackReactions();
    const notes = await runWithoutContext(() => notesOf(trackAwaits(code), tracked)).finally(undo);
    expect(notes).toEqual(wanted);
    expect(wanted.length).toBeGreaterThan(1);
  });

  it("leaves code without async functions as it is", () => {
    const code = "for (const one of [1]) { try { f(one); } catch { g(); } }";
    expect(trackAwaits(code)).toBe(code);
  });

  it("refuses what is no JavaScript", () => {
    expect(() => trackAwaits("const a: number = 1;")).toThrow(SyntaxError);
  });
});
