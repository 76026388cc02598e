import { button } from "../element.ts";
import type { PageState } from "../page-state.ts";

/** Makes a button that moves the cursor to an event. */
export function eventLink(state: PageState, event: number, text: string): HTMLButtonElement {
  return button(text, () => state.moveTo(event), { class: "event-link" });
}
