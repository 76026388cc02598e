import { checkedOptions } from "../checked-options.ts";
import { scopeAddressFrom, type StoreScope } from "../store/mod.ts";
import { HttpError } from "./http-error.ts";
import { SCOPE_RULES } from "./scope-rules.ts";

/** What a request does to state: GET reads, PUT and PATCH write, DELETE deletes. */
export type Act = "read" | "write" | "delete";

/** A bearer token and what its holder may do. */
export interface Grant {
  /** At least 16 characters. */
  readonly token: string;
  /** What the holder may do; everything by default. */
  readonly acts?: readonly Act[];
  /** The one task instance, task, process or asset whose state the holder may touch; by default all. */
  readonly only?: StoreScope;
}

/** The shortest accepted token; a shorter one could be guessed. */
const TOKEN_CHARS_MIN = 16;

/**
 * Returns `grants` unchanged after checking them.
 *
 * @throws {TypeError} when there are none, or one has an unknown part
 * @throws {RangeError} when a token is shorter than {@linkcode TOKEN_CHARS_MIN}
 */
export function checkedGrants(grants: readonly Grant[]): readonly Grant[] {
  if (grants.length === 0) throw new TypeError("Cannot serve a store without a token: give one");
  for (const grant of grants) {
    // A misspelt limit would let the holder do everything.
    const { token } = checkedOptions(grant, ["token", "acts", "only"], "a grant");
    if (token.length >= TOKEN_CHARS_MIN) continue;
    throw new RangeError(
      `Cannot use a token of ${token.length} characters: it needs at least ${TOKEN_CHARS_MIN}`,
    );
  }
  return grants;
}

/**
 * Returns the grant of the request's bearer token.
 *
 * Every token is compared, and each comparison takes as long whether or not it matches, so response
 * times reveal nothing about the tokens.
 *
 * @throws {HttpError} 401 when the token is missing or unknown
 */
export function grantOf(request: Request, grants: readonly Grant[]): Grant {
  const header = request.headers.get("authorization") ?? "";
  const [, sent = ""] = /^Bearer +(\S+) *$/i.exec(header) ?? [];
  let found: Grant | undefined;
  for (const grant of grants) {
    if (isToken(sent, grant.token)) found = grant;
  }
  if (found !== undefined) return found;
  throw new HttpError(401, "A bearer token is required", { "www-authenticate": "Bearer" });
}

/**
 * Requires that the grant covers `act` on `scope`; undefined: on what no grant for one scope covers.
 *
 * @throws {HttpError} 403 when it does not
 */
export function requireGrant(grant: Grant, act: Act, scope: StoreScope | undefined): void {
  const mayAct = grant.acts === undefined || grant.acts.includes(act);
  if (mayAct && (grant.only === undefined || isSameScope(grant.only, scope))) return;
  const what =
    scope === undefined ? "this state" : `the state of this ${SCOPE_RULES[scope.kind].noun}`;
  throw new HttpError(403, `This token may not ${act} ${what}`);
}

function isSameScope(left: StoreScope, right: StoreScope | undefined): boolean {
  if (right === undefined) return false;
  const [one, other] = [scopeAddressFrom(left), scopeAddressFrom(right)];
  return one.group === other.group && one.mapIndex === other.mapIndex;
}

/** The number of steps depends on the length of `sent` alone, which its sender knows anyway. */
function isToken(sent: string, token: string): boolean {
  let difference = sent.length ^ token.length;
  for (let at = 0; at < sent.length; at += 1) {
    difference |= sent.charCodeAt(at) ^ token.charCodeAt(at % token.length);
  }
  return difference === 0;
}
