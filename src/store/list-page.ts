import type { ListPage } from "./backend.ts";

/**
 * Returns `page` unchanged after checking it.
 *
 * @throws {RangeError} when limit or offset is not an integer of 0 or more
 */
export function checkedPage(page: ListPage): ListPage {
  for (const [name, count] of [
    ["limit", page.limit],
    ["offset", page.offset],
  ] as const) {
    if (Number.isSafeInteger(count) && count >= 0) continue;
    throw new RangeError(
      `Cannot use ${String(count)} as the ${name} of a page: write an integer of 0 or more`,
    );
  }
  return page;
}
