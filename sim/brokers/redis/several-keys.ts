import { argumentsFrom, type RedisArgument, wrongArity } from "./arguments.ts";
import { assertMemory, type Command } from "./command-place.ts";

/** The commands of several strings at once, and the one by which a key does not expire any more. */
export const SEVERAL: Readonly<Record<"mget" | "mset" | "persist", Command>> = {
  /** Keys of another kind have no value here, and are no error. */
  mget: {
    site: "broker.session",
    execute: ({ strings }, words) => words.rest().map((key) => strings.get(key)),
  },
  mset: {
    site: "broker.session",
    execute({ server, strings, who }, words) {
      assertMemory(server);
      if (words.left % 2 === 1) throw wrongArity("mset");
      while (!words.isAtEnd) {
        const key = words.word();
        strings.put(key, words.word());
        server.drop(who, key);
      }
      return "OK";
    },
  },
  persist: {
    site: "broker.session",
    execute({ server, strings }, words) {
      const key = words.word();
      const stream = server.streamAt(key);
      if (stream === undefined) return strings.persist(key) ? 1 : 0;
      const had = stream.until !== undefined;
      stream.until = undefined;
      return had ? 1 : 0;
    },
  },
};

/**
 * Returns the arguments of a command as ioredis makes them words: MSET, by its name in small
 * letters, takes an object or a map, too.
 *
 * Source: ioredis 6, Command.js, msetArgumentTransformer
 */
export function spelledOut(name: string, args: readonly RedisArgument[]): readonly RedisArgument[] {
  if (name !== "mset") return args;
  const { words, callback } = argumentsFrom(args);
  const [given, ...others] = words.flat() as readonly unknown[];
  if (others.length > 0) return args;
  if (typeof given !== "object" || given === null) return args;
  const pairs: readonly [unknown, unknown][] =
    given instanceof Map ? [...given] : Object.entries(given);
  // A list among the values is one word.
  const spelled = pairs.flatMap(([key, value]) => [
    key,
    Array.isArray(value) ? value.join() : value,
  ]);
  return [...(spelled as RedisArgument[]), ...(callback === undefined ? [] : [callback])];
}
