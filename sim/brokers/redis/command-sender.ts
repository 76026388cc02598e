import type { RedisArgument } from "./arguments.ts";

/** Sends commands of the model's by their names in small letters. */
export interface CommandSender {
  command(name: string, args: readonly RedisArgument[]): Promise<unknown>;
}
