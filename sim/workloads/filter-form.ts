import type { ChoiceStream } from "../choices/choices.ts";

/**
 * How filters meet events: by pulls, or by a synchronous call that awaits nothing. `either` draws
 * one for each filter.
 */
export const FILTER_FORMS = ["async", "sync", "either"] as const;

export type FilterForm = (typeof FILTER_FORMS)[number];

/** Whether the next filter is synchronous. */
export function drawsSync(form: FilterForm, choice: ChoiceStream): boolean {
  return form === "either" ? choice.choose(2, "form") === 1 : form === "sync";
}
