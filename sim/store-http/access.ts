import { sha256 } from "@noble/hashes/sha2.js";
import { scopeAddressFrom, type TaskInstanceScope } from "../../src/store/mod.ts";
import { HttpError } from "./http-error.ts";

/** What a request does to state: PUT and PATCH write. */
export type Act = "read" | "write" | "delete";

/** A bearer token and what it is good for. */
export interface Grant {
  readonly token: string;
  /** Everything unless said otherwise. */
  readonly acts?: readonly Act[];
  /** Every task instance unless said otherwise. */
  readonly only?: TaskInstanceScope;
}

/** The shortest token that is taken: a guess must be hopeless. */
const TOKEN_CHARS_MIN = 16;

/**
 * Answers `grants` when each has a token that is worth one.
 *
 * @throws {TypeError} when there is none
 * @throws {RangeError} when a token is shorter than {@linkcode TOKEN_CHARS_MIN}
 */
export function checkedGrants(grants: readonly Grant[]): readonly Grant[] {
  if (grants.length === 0) throw new TypeError("Cannot serve a store without a token: give one");
  for (const { token } of grants) {
    if (token.length >= TOKEN_CHARS_MIN) continue;
    throw new RangeError(
      `Cannot use a token of ${token.length} characters: it has at least ${TOKEN_CHARS_MIN}`,
    );
  }
  return grants;
}

/**
 * The grant of the request's bearer token.
 *
 * Holds: the time it takes does not depend on how much of a token is right, nor on which of several
 * it is.
 *
 * @throws {HttpError} 401 when there is no token or it is none of ours
 */
export function grantOf(request: Request, grants: readonly Grant[]): Grant {
  const header = request.headers.get("authorization") ?? "";
  const [, token = ""] = /^Bearer +(\S+) *$/i.exec(header) ?? [];
  let found: Grant | undefined;
  for (const grant of grants) {
    if (isSameText(token, grant.token)) found = grant;
  }
  if (found !== undefined && token !== "") return found;
  throw new HttpError(401, "A bearer token is needed", { "www-authenticate": "Bearer" });
}

/** @throws {HttpError} 403 when the grant is not good for this */
export function demand(grant: Grant, act: Act, scope: TaskInstanceScope): void {
  const mayAct = grant.acts === undefined || grant.acts.includes(act);
  if (mayAct && (grant.only === undefined || isSameScope(grant.only, scope))) return;
  throw new HttpError(403, `This token may not ${act} the state of this task instance`);
}

function isSameScope(left: TaskInstanceScope, right: TaskInstanceScope): boolean {
  const [one, other] = [scopeAddressFrom(left), scopeAddressFrom(right)];
  return one.group === other.group && one.mapIndex === other.mapIndex;
}

/** Compares digests, which have one length, and looks at every byte of them. */
function isSameText(left: string, right: string): boolean {
  const encoder = new TextEncoder();
  const [one, other] = [sha256(encoder.encode(left)), sha256(encoder.encode(right))];
  let difference = 0;
  for (const [at, byte] of one.entries()) difference |= byte ^ (other[at] ?? 0);
  return difference === 0;
}
