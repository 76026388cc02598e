import type { ListPage } from "./backend.ts";

/**
 * Answers `page` when it says which part of a list it is.
 *
 * @throws {RangeError} when limit or offset is not a whole number from 0 up
 */
export function checkedPage(page: ListPage): ListPage {
  for (const [name, count] of [
    ["limit", page.limit],
    ["offset", page.offset],
  ] as const) {
    if (Number.isSafeInteger(count) && count >= 0) continue;
    throw new RangeError(`Cannot use ${String(count)} as ${name} of a page: write a whole number`);
  }
  return page;
}
