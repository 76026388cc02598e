import { builtinModule } from "../../src/platform/mod.ts";
import { gateFunction } from "./gate.ts";
import { type Callback, perRealm, playingRealm, type Realm } from "./realm.ts";

type Listeners = Readonly<Record<string, Callback>>;

/** What code calls to hear of its process, or to find out who does. */
const METHODS = [
  ...["on", "addListener", "once", "prependListener", "prependOnceListener", "off"],
  ...["removeListener", "removeAllListeners", "listeners", "rawListeners", "listenerCount"],
  ...["eventNames", "setMaxListeners", "getMaxListeners"],
] as const;

/** Events that come from outside of the process, or end it: none does in a run. */
const FROM_OUTSIDE = /^(SIG[A-Z0-9]+|exit|beforeExit)$/;

const captureOf = new WeakMap<Realm, unknown>();

/**
 * Gives each run listeners of its own on `process`: code under test neither hears of the real
 * process nor removes the kit's handlers, and what it registers is gone when the run is over.
 *
 * No signal comes in a run; one that the code emits itself reaches its own listeners. An exception
 * or a rejection that nobody handles is a finding whatever the code listens for.
 */
export function gateProcessEvents(): void {
  const { process, Deno } = globalThis as { readonly process?: object; readonly Deno?: object };
  const events = builtinModule("node:events") as
    | { readonly EventEmitter: new () => Listeners }
    | undefined;
  if (process === undefined || events === undefined) return;
  // They are gone when their run is over.
  const listenersOf = perRealm(() => new events.EventEmitter());
  const call = (realm: Realm, name: string, args: readonly unknown[]): unknown => {
    const own = listenersOf(realm);
    const result: unknown = Reflect.apply(own[name] as Callback, own, args);
    return result === own ? process : result;
  };
  for (const name of METHODS) {
    gateFunction(process, name, (_, args, real) => {
      // What goes on after its run, such as a test runner's messages, is the process's own.
      const realm = playingRealm();
      return realm === undefined ? real(...args) : call(realm, name, args);
    });
  }
  gateFunction(process, "emit", (_, args, real) => {
    // The runtime itself emits signals, in no run's context, and unhandled rejections in that of
    // the run that they come from.
    const realm = playingRealm();
    const isOwn = realm !== undefined && FROM_OUTSIDE.test(String(args[0]));
    return isOwn ? call(realm, "emit", args) : real(...args);
  });
  gateFunction(process, "setUncaughtExceptionCaptureCallback", (realm, [listener]) => {
    captureOf.set(realm, listener);
  });
  gateFunction(process, "hasUncaughtExceptionCaptureCallback", (realm) => {
    return typeof captureOf.get(realm) === "function";
  });
  for (const name of ["addSignalListener", "removeSignalListener"]) {
    gateFunction(Deno, name, () => undefined);
  }
}
