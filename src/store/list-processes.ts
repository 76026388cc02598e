import type { ListPage, StateBackend } from "./backend.ts";
import type { ProcessScope } from "./scope.ts";

/** A process that has entries, and how many, expired ones included. */
interface ProcessEntries {
  readonly scope: ProcessScope;
  readonly entries: number;
}

/** One page of the processes of a namespace. */
export interface ProcessPage {
  /** The processes, ordered by name. */
  readonly scopes: readonly ProcessEntries[];
  /** The number of processes on all pages. */
  readonly total: number;
}

/** One page of the namespaces that have entries. */
export interface NamespacePage {
  /** The namespaces, each with the number of its processes and of their entries. */
  readonly namespaces: readonly {
    readonly namespace: string;
    readonly processes: number;
    readonly entries: number;
  }[];
  /** The number of namespaces on all pages. */
  readonly total: number;
}

/** A backend that can list its scopes. */
type ScopeLister = Required<Pick<StateBackend, "listScopes">>;

/** How many scopes are read at once to find the processes among them. */
const SCOPES_AT_ONCE = 1_000;

/** Returns one page of the processes of a namespace that have entries. */
export async function listProcesses(
  backend: ScopeLister,
  namespace: string,
  { limit, offset }: Omit<ListPage, "now">,
): Promise<ProcessPage> {
  const scopes: ProcessEntries[] = [];
  for await (const process of processesIn(backend)) {
    if (process.scope.namespace === namespace) scopes.push(process);
  }
  return { scopes: scopes.slice(offset, offset + limit), total: scopes.length };
}

/** Returns one page of the namespaces whose processes have entries, ordered as scopes are. */
export async function listNamespaces(
  backend: ScopeLister,
  { limit, offset }: Omit<ListPage, "now">,
): Promise<NamespacePage> {
  const found = new Map<string, { namespace: string; processes: number; entries: number }>();
  for await (const { scope, entries } of processesIn(backend)) {
    const { namespace } = scope;
    const sum = found.get(namespace) ?? { namespace, processes: 0, entries: 0 };
    found.set(namespace, {
      namespace,
      processes: sum.processes + 1,
      entries: sum.entries + entries,
    });
  }
  return { namespaces: [...found.values()].slice(offset, offset + limit), total: found.size };
}

async function* processesIn(backend: ScopeLister): AsyncGenerator<ProcessEntries> {
  for (let offset = 0, total = 1; offset < total; offset += SCOPES_AT_ONCE) {
    const page = await backend.listScopes({ limit: SCOPES_AT_ONCE, offset });
    total = page.total;
    for (const { scope, entries } of page.scopes) {
      if (scope.kind === "process") yield { scope, entries };
      // Scopes are ordered by address, and those of tasks, of which there are most, come last.
      else if (scope.kind !== "asset") return;
    }
  }
}
