import type { TraceEvent } from "../../trace/trace.ts";

/** A key of the store, as far as the trace shows it. */
export interface KeptKey {
  readonly value: string;
  readonly expiresAt: number | null;
  readonly attempt: number;
  /** When it was written, in virtual milliseconds. */
  readonly since: number;
}

/** What a fail-over lost of a key, the oldest change first, and what the key holds since. */
export interface LostChanges {
  readonly scope: string;
  readonly key: string;
  readonly changes: readonly (KeptKey | undefined)[];
  readonly kept: KeptKey | undefined;
}

/** What a key held from an instant on; undefined: nothing. */
interface Version {
  readonly at: number;
  readonly kept: KeptKey | undefined;
}

type Read = Extract<TraceEvent, { kind: "state-got" }>;

const NONE: readonly Version[] = [];

/**
 * What was written to each key of the store, and when; so it can be told what a read of a replica
 * that lags may return, and which acknowledged writes it has not seen.
 */
export class KeyHistory {
  readonly #scopes = new Map<string, Map<string, Version[]>>();
  /** Every lag that there was, as long as it lasted. */
  readonly #lags: { readonly by: number; until: number }[] = [];
  #lag: { readonly by: number; readonly until: number } | undefined;

  /** What a key holds now. */
  kept(scope: string, key: string): KeptKey | undefined {
    return this.#versions(scope, key).at(-1)?.kept;
  }

  /** Every key that a scope has had. */
  keysOf(scope: string): readonly string[] {
    return [...(this.#scopes.get(scope)?.keys() ?? [])];
  }

  /**
   * What a key held at some instant from `from` on, or, where a replica lags, at such an earlier
   * one; undefined: nothing.
   */
  heldSince(scope: string, key: string, from: number): readonly (KeptKey | undefined)[] {
    const lags = this.#lags.filter(({ until }) => until > from).map(({ by }) => by);
    const since = from - Math.max(0, ...lags);
    const versions = this.#versions(scope, key);
    const first = versions.findLastIndex(({ at }) => at < since);
    const held = versions.slice(Math.max(first, 0)).map(({ kept }) => kept);
    return first === -1 ? [undefined, ...held] : held;
  }

  /** All that the store holds now, scope by scope. */
  *held(): Generator<readonly [scope: string, key: string, kept: KeptKey]> {
    for (const [scope, keys] of this.#scopes) {
      for (const key of keys.keys()) {
        const kept = this.kept(scope, key);
        if (kept !== undefined) yield [scope, key, kept];
      }
    }
  }

  /** Forgets every change after `since`, and returns what was lost of each key. */
  loseSince(since: number): readonly LostChanges[] {
    const lost: LostChanges[] = [];
    for (const [scope, keys] of this.#scopes) {
      for (const [key, versions] of keys) {
        const first = versions.findIndex(({ at }) => at > since);
        if (first === -1) continue;
        const changes = versions.splice(first).map(({ kept }) => kept);
        lost.push({ scope, key, changes, kept: versions.at(-1)?.kept });
      }
    }
    return lost;
  }

  /** Whether a read returns the last write, or one that a replica that lags may have for it. */
  isOwed(read: Read): boolean {
    return this.#ageOf(read) !== undefined;
  }

  /**
   * How many acknowledged changes of its key a read has not seen because its replica lags, of those
   * that the attempt which reads has not made itself.
   */
  missedBy(read: Read): number {
    const age = this.#ageOf(read) ?? 0;
    if (age === 0) return 0;
    const newer = this.#versions(read.scope, read.key).slice(-age);
    return newer.filter(({ kept }) => kept?.attempt !== read.attempt).length;
  }

  apply(event: TraceEvent): void {
    switch (event.kind) {
      case "state-set": {
        const { value, expiresAt, attempt, at: since } = event;
        this.#add(event, since, { value, expiresAt, attempt, since });
        break;
      }
      case "state-deleted":
      case "state-swept":
        this.#add(event, event.at, undefined);
        break;
      case "state-cleared":
        for (const [scope, keys] of this.#scopes) {
          if (!isWithin(scope, event)) continue;
          for (const key of keys.keys()) this.#add({ scope, key }, event.at, undefined);
        }
        break;
      case "reads-lag":
        this.#applyLag(event);
        break;
      default:
    }
  }

  #applyLag({ by, until, at }: Extract<TraceEvent, { kind: "reads-lag" }>): void {
    this.#lag = { by, until };
    const last = this.#lags.at(-1);
    if (last !== undefined) last.until = Math.min(last.until, at);
    this.#lags.push({ by, until });
  }

  /**
   * How many versions of its key are newer than the one that was read; undefined when the value is
   * neither the newest nor the one of so long ago as a replica lags.
   */
  #ageOf({ scope, key, value, at }: Read): number | undefined {
    const versions = this.#versions(scope, key);
    const lag = this.#lag;
    const by = lag === undefined || at >= lag.until ? 0 : lag.by;
    const seen = versions.findLastIndex((version) => version.at <= at - by);
    const newest = versions.length - 1;
    if (valueOf(versions[newest]) === value) return 0;
    return valueOf(versions[seen]) === value ? newest - seen : undefined;
  }

  #versions(scope: string, key: string): readonly Version[] {
    return this.#scopes.get(scope)?.get(key) ?? NONE;
  }

  #add(
    { scope, key }: { readonly scope: string; readonly key: string },
    at: number,
    kept: KeptKey | undefined,
  ): void {
    const keys = this.#scopes.get(scope) ?? new Map<string, Version[]>();
    this.#scopes.set(scope, keys);
    const versions = keys.get(key) ?? [];
    keys.set(key, versions);
    if (kept !== undefined || versions.at(-1)?.kept !== undefined) versions.push({ at, kept });
  }
}

function valueOf(version: Version | undefined): string | null {
  return version?.kept?.value ?? null;
}

/** Whether a clear was meant for this scope. */
export function isWithin(
  scope: string,
  clear: { readonly scope: string; readonly all: boolean },
): boolean {
  return scope === clear.scope || (clear.all && groupOf(scope) === groupOf(clear.scope));
}

function groupOf(scope: string): string {
  return scope.slice(0, scope.lastIndexOf("#"));
}
