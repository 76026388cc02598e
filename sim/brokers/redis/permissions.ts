import type { World } from "../../kernel/world.ts";
import { Refusal } from "../refusal.ts";
import { ReplyError } from "./reply-error.ts";

const OF_GROUPS: ReadonlySet<string> = new Set(["xreadgroup", "xack", "xclaim", "xautoclaim"]);
/** From this version on, the server says whose permission is missing. */
const NAMES_USER_MAJOR = 8;

/**
 * What the user of the clients may do: everything, but for a while in which the commands of
 * consumer groups are taken away.
 *
 * Source: redis, acl.c, getAclErrorMessage
 */
export class Permissions {
  /** While it is on, the user has no permission to run commands of groups. */
  readonly denial: Refusal;
  readonly #major: number;

  constructor(world: World, major: number) {
    this.denial = new Refusal(world);
    this.#major = major;
  }

  /** @throws {ReplyError} NOPERM, for a command that the user may not run now */
  assertMayRun(name: string): void {
    const command = name.toLowerCase();
    if (!this.denial.isOn || !OF_GROUPS.has(command)) return;
    const user = this.#major >= NAMES_USER_MAJOR ? "User default" : "this user";
    throw new ReplyError(`NOPERM ${user} has no permissions to run the '${command}' command`);
  }
}
