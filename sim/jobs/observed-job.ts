import type { Life } from "../hosts/life.ts";
import type { TraceBody } from "../trace/trace.ts";

type Method = (...args: unknown[]) => unknown;

/**
 * Returns the job of one attempt with its calls traced: status requests and what they
 * return, which statuses its predicates accept as active or successful, and its poll.
 *
 * Holds: it behaves like `job`; a method that `job` does not have is missing here as well.
 */
export function observedJob<J extends object>(job: J, life: Life, attempt: number): J {
  const trace = (body: TraceBody): void => life.trace(body);
  // The target is not the job: a proxy may not replace the methods of a frozen object.
  return new Proxy({} as J, {
    get(_target, name) {
      const member: unknown = Reflect.get(job, name, job);
      if (typeof member !== "function" || name === "constructor") return member;
      const method: Method = (...args) => Reflect.apply(member as Method, job, args);
      switch (name) {
        case "getJobStatus":
        case "pollUntilComplete":
          return (...args: unknown[]) => {
            trace({ kind: "method-called", attempt, method: name });
            return whenSettled(method(...args), (value) => {
              const status = name === "getJobStatus" ? String(value) : "";
              trace({ kind: "method-returned", attempt, method: name, status });
            });
          };
        case "isJobActive":
        case "isJobSucceeded":
          return (...args: unknown[]) =>
            whenSettled(method(...args), (isSo) => {
              if (isSo !== true) return;
              trace({ kind: "status-believed", attempt, status: String(args[0]) });
            });
        default:
          return method;
      }
    },
  });
}

/** Calls `then` with the value, at once or when the promise resolves, and returns the value. */
function whenSettled(returned: unknown, then: (value: unknown) => void): unknown {
  if (!isThenable(returned)) {
    then(returned);
    return returned;
  }
  return Promise.resolve(returned).then((value) => {
    then(value);
    return value;
  });
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value;
}
