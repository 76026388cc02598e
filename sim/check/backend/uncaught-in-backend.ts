import {
  onUncaughtException,
  onUnhandledRejection,
  systemClock,
} from "../../../src/platform/mod.ts";
import type { StateBackend } from "../../../src/store/mod.ts";
import { sleep } from "../../../src/time/mod.ts";
import { installRealm } from "../../realm/install.ts";
import { ProcessExited } from "../../realm/process-exited.ts";
import { runWithoutExit } from "../../realm/realm.ts";
import type { CreateStateBackend, StateBackendSubject } from "./state-backend-subject.ts";

/** What a check came to: its own result, or an exception that nobody caught meanwhile. */
export type Watched<T> = { readonly result: T } | { readonly uncaught: unknown };

/** How long what an abandoned check has begun may go on throwing, in real milliseconds. */
const AFTERMATH_MS = 100;

/**
 * Runs a check of backends that work on the real machine, until it is done or an exception is
 * thrown that nobody catches: in a timer, as a rejection that nobody handles, by a call of
 * process.exit. Such an exception does not end the process. The check is then abandoned: its next
 * call of a backend never settles.
 */
export async function watchUncaught<T>(
  create: CreateStateBackend,
  check: (create: CreateStateBackend) => Promise<T>,
): Promise<Watched<T>> {
  installRealm();
  const { promise, resolve } = Promise.withResolvers<Watched<T>>();
  const controller = new AbortController();
  const note = (uncaught: unknown): void => {
    controller.abort();
    resolve({ uncaught });
  };
  using _exceptions = onUncaughtException(note);
  using _rejections = onUnhandledRejection(note);
  const guard = (call: string): Error => {
    const error = new ProcessExited(call);
    note(error);
    return error;
  };
  const stoppable: CreateStateBackend = async () => stoppableSubject(await create(), controller);
  const result = runWithoutExit(guard, () => check(stoppable));
  const watched = await Promise.race([promise, settled(result)]);
  if ("uncaught" in watched) await sleep(systemClock, AFTERMATH_MS);
  return watched;
}

/** Lets what the check has left behind throw, if it is due. */
async function settled<T>(check: Promise<T>): Promise<Watched<T>> {
  try {
    return { result: await check };
  } finally {
    await sleep(systemClock, 0);
  }
}

function stoppableSubject(
  made: StateBackend | StateBackendSubject,
  { signal }: AbortController,
): StateBackend | StateBackendSubject {
  if (!("clients" in made)) return stoppable(made, signal);
  const [first, ...others] = made.clients;
  const clients = [first, ...others].map((one) => stoppable(one, signal));
  return { ...made, clients: clients as [StateBackend, ...StateBackend[]] };
}

function stoppable(backend: StateBackend, signal: AbortSignal): StateBackend {
  return new Proxy(backend, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown =>
        signal.aborted
          ? new Promise(() => undefined)
          : (Reflect.apply(member, target, args) as unknown);
    },
  });
}
