interface ProcessHost {
  getActiveResourcesInfo?(): readonly string[];
}

/** Real timers and sockets, whatever else a runtime lists. */
const KINDS = /^(Timeout|TCP|TLS|UDP|Pipe|GetAddrInfo|HTTP)/i;
const SOCKETS = /^(TCP|TLS|UDP|Pipe|GetAddrInfo|HTTP)/i;

/** How many real timers and sockets are open now; 0 where the runtime does not tell. */
export function openResources(): number {
  return count(KINDS);
}

/** How many real sockets are open now, or being opened; 0 where the runtime does not tell. */
export function openSockets(): number {
  return count(SOCKETS);
}

function count(kinds: RegExp): number {
  const { process } = globalThis as { readonly process?: ProcessHost };
  try {
    return process?.getActiveResourcesInfo?.().filter((kind) => kinds.test(kind)).length ?? 0;
  } catch {
    return 0;
  }
}
