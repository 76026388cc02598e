import { argumentsFrom, type RedisArgument } from "./arguments.ts";

/** How many words are ahead of an object or a map that a command takes. */
const AHEAD: Readonly<Record<string, number>> = { mset: 0, hset: 1, hmset: 1 };

/**
 * Returns the arguments of a command as ioredis makes them words: MSET and HSET, by their names in
 * small letters, take an object or a map, too.
 *
 * Source: ioredis 6, Command.js, msetArgumentTransformer and hsetArgumentTransformer
 */
export function spelledOut(name: string, args: readonly RedisArgument[]): readonly RedisArgument[] {
  const ahead = AHEAD[name];
  if (ahead === undefined) return args;
  const { words, callback } = argumentsFrom(args);
  const flat = words.flat() as readonly unknown[];
  const given = flat[ahead];
  if (flat.length !== ahead + 1) return args;
  if (typeof given !== "object" || given === null) return args;
  const pairs: readonly [unknown, unknown][] =
    given instanceof Map ? [...given] : Object.entries(given);
  // A list among the values is one word.
  const spelled = pairs.flatMap(([key, value]) => [
    key,
    Array.isArray(value) ? value.join() : value,
  ]);
  const sent = [...flat.slice(0, ahead), ...spelled] as RedisArgument[];
  return [...sent, ...(callback === undefined ? [] : [callback])];
}
