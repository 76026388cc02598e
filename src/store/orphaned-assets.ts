import { checkedOptions } from "../checked-options.ts";
import type { StateBackend } from "./backend.ts";
import { callBackend } from "./backend-call.ts";
import { type AssetRef, type AssetScope, describeScope, scopeAddressFrom } from "./scope.ts";

/** How many scopes are read at once to find the assets among them. */
const SCOPES_AT_ONCE = 1_000;

/** Settings of {@linkcode clearOrphanedAssets}. */
export interface ClearOrphanedAssetsOptions {
  /** Returns what would be deleted, and deletes nothing. */
  readonly dryRun?: boolean;
}

/**
 * Deletes the state of every asset that no DAG declares any more, which no task can reach, and
 * returns these assets. `declared` are the assets that the DAGs declare now, as inlets, outlets or
 * schedules.
 *
 * An asset that is declared with name and URI is declared by each of them, because tasks may refer
 * to it by either. A backend cannot know what is declared, so nothing calls this by itself: call it
 * where DAGs are parsed, as Airflow's scheduler does, or run `faultlane store orphans`.
 *
 * @example
 * ```ts
 * import { AssetStateStore, clearOrphanedAssets, MemoryStateBackend } from "faultlane";
 * import { systemClock as clock } from "faultlane/platform";
 *
 * const backend = new MemoryStateBackend();
 * await new AssetStateStore(backend, { name: "orders" }, { clock }).set("watermark", 17);
 * await new AssetStateStore(backend, { name: "clicks" }, { clock }).set("watermark", 5);
 * const declared = [{ name: "orders", uri: "s3://shop/orders" }];
 * const deleted = await clearOrphanedAssets(backend, declared);
 * console.log(deleted.map(({ name }) => name).join()); // => clicks
 * ```
 *
 * @throws {TypeError} when the backend cannot list its scopes, a declared asset has neither name
 *   nor URI, or an option is unknown
 * @throws {StoreUnavailable} when the backend failed; what was deleted before stays deleted
 *
 * Source: Airflow 3.3, the scheduler's clean-up of the state of orphaned assets
 */
export async function clearOrphanedAssets(
  backend: StateBackend,
  declared: Iterable<AssetRef>,
  options: ClearOrphanedAssetsOptions = {},
): Promise<readonly AssetRef[]> {
  const { dryRun = false } = checkedOptions(options, ["dryRun"], "clearOrphanedAssets");
  const kept = new Set([...declared].flatMap(addressesOf));
  const orphans = (await assetsIn(backend)).filter((scope) => !kept.has(addressOf(scope)));
  for (const scope of dryRun ? [] : orphans) {
    await callBackend(
      () => `delete the state of ${describeScope(scope)}`,
      () => backend.clear(scope),
    );
  }
  return orphans.map(refOf);
}

/** The addresses by which tasks may refer to an asset. */
function addressesOf(asset: AssetRef): readonly string[] {
  const { name, uri } = asset;
  const refs = name === undefined || uri === undefined ? [asset] : [asset, { name }, { uri }];
  return refs.map((ref) => addressOf({ ...refOf(ref), kind: "asset" }));
}

function refOf({ name, uri }: AssetRef): AssetRef {
  return { ...(name !== undefined && { name }), ...(uri !== undefined && { uri }) };
}

function addressOf(scope: AssetScope): string {
  return scopeAddressFrom(scope).group;
}

/** All of them, before one is deleted: a page of what is left would leave some out. */
async function assetsIn(backend: StateBackend): Promise<readonly AssetScope[]> {
  const assets: AssetScope[] = [];
  for (let offset = 0, total = 1; offset < total; offset += SCOPES_AT_ONCE) {
    const page = await callBackend(
      () => "list the scopes of the store",
      async () => backend.listScopes?.({ limit: SCOPES_AT_ONCE, offset }),
    );
    if (page === undefined) {
      throw new TypeError("Cannot find the state of assets: the backend has no listScopes");
    }
    total = page.total;
    for (const { scope } of page.scopes) if (scope.kind === "asset") assets.push(scope);
  }
  return assets;
}
