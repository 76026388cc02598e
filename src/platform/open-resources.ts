interface ProcessHost {
  getActiveResourcesInfo?(): readonly string[];
}

/** Real timers and sockets, whatever else a runtime lists. */
const KINDS = /^(Timeout|TCP|TLS|UDP|Pipe|GetAddrInfo|HTTP)/i;

/** How many real timers and sockets are open now; 0 where the runtime does not tell. */
export function openResources(): number {
  const { process } = globalThis as { readonly process?: ProcessHost };
  try {
    return process?.getActiveResourcesInfo?.().filter((kind) => KINDS.test(kind)).length ?? 0;
  } catch {
    return 0;
  }
}
