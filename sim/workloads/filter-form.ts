import type { ChoiceStream } from "../choices/choices.ts";

/**
 * How a filter gets its events: it pulls them (`async`), or a function of it is called with each
 * one and awaits nothing (`sync`); `either` draws one of the two for each filter.
 */
export type FilterForm = "async" | "sync" | "either";

export const FILTER_FORMS: readonly FilterForm[] = ["async", "sync", "either"];

/** Draws whether the next filter is synchronous. */
export function drawsSync(form: FilterForm, choice: ChoiceStream): boolean {
  return form === "either" ? choice.choose(2, "form") === 1 : form === "sync";
}
