import { listNamespaces, listProcesses, type StateBackend } from "../store/mod.ts";
import { HttpError } from "./http-error.ts";
import { json } from "./response.ts";
import { pageFrom, type ProcessesRoute } from "./route.ts";

/**
 * Lists the namespaces of processes that have state, or the processes of one.
 *
 * @throws {HttpError} 501 when the backend cannot list its scopes
 */
export async function listRoute(
  backend: StateBackend,
  { namespace, query }: ProcessesRoute,
): Promise<Response> {
  const page = pageFrom(query);
  if (backend.listScopes === undefined) {
    throw new HttpError(501, "The backend of this store cannot list what it has state of");
  }
  const lister = { listScopes: backend.listScopes.bind(backend) };
  if (namespace === undefined) {
    const { namespaces, total } = await listNamespaces(lister, page);
    return json(200, { namespaces, total_entries: total });
  }
  const { scopes, total } = await listProcesses(lister, namespace, page);
  const processes = scopes.map(({ scope, entries }) => ({
    namespace: scope.namespace,
    process_name: scope.processName,
    entries,
  }));
  return json(200, { processes, total_entries: total });
}
