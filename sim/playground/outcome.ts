import { button, element } from "../page/element.ts";
import type { FoundBreak, Result } from "./messages.ts";

/** What can be done with a finding. */
export interface FoundActions {
  readonly onOpen: () => void;
  readonly onShrink: () => void;
}

/** What came of the last run, search or check, with the run's report. */
export class Outcome {
  readonly element: HTMLElement;
  readonly #verdict = element("p", { class: "verdict", attributes: { role: "status" } });
  readonly #words = element("pre", { class: "words", attributes: { tabindex: "0" } });
  readonly #found = element("ol", { class: "found" });
  readonly #page = element("div", { class: "report" });
  #url: string | undefined;

  constructor() {
    this.element = element(
      "section",
      { class: "outcome", attributes: { "aria-label": "Outcome" } },
      this.#verdict,
      this.#words,
      this.#found,
      this.#page,
    );
  }

  hint(words: string): void {
    this.#say("", words, "");
    this.#found.replaceChildren();
    this.#page.replaceChildren();
  }

  /** The findings of a search stay while one of them is opened. */
  begin(words: string, keepsFound: boolean): void {
    this.#say(words, "", "busy");
    if (!keepsFound) this.#found.replaceChildren();
    this.#page.replaceChildren();
  }

  progress(words: string): void {
    this.#words.textContent = words;
    this.#words.hidden = false;
  }

  found({ checker, seen }: FoundBreak, { onOpen, onShrink }: FoundActions): void {
    this.#found.append(
      element(
        "li",
        {},
        element("strong", { text: checker }),
        ` ${seen} `,
        button("Open", onOpen),
        button("Shrink", onShrink),
      ),
    );
  }

  show({ verdict, isBroken, words = "", page }: Result): void {
    this.#say(verdict, words, isBroken ? "bad" : "good");
    if (page !== undefined) this.#showPage(page);
  }

  stopped(): void {
    this.#say("Stopped", this.#words.textContent, "");
  }

  failed(words: string): void {
    this.#say("Cannot do that", words, "bad");
  }

  #say(verdict: string, words: string, tone: string): void {
    this.#verdict.textContent = verdict;
    this.#verdict.dataset["tone"] = tone;
    this.#verdict.hidden = verdict === "";
    this.#words.textContent = words;
    this.#words.hidden = words === "";
  }

  #showPage(page: string): void {
    if (this.#url !== undefined) URL.revokeObjectURL(this.#url);
    this.#url = URL.createObjectURL(new Blob([page], { type: "text/html" }));
    const save = element("a", {
      text: "Save this report",
      attributes: { href: this.#url, download: "run.html" },
    });
    // A document of its own, without the rights of this one; its Export button saves files.
    const frame = element("iframe", {
      attributes: { title: "The run's report", sandbox: "allow-scripts allow-downloads" },
    });
    frame.srcdoc = page;
    this.#page.replaceChildren(save, frame);
  }
}
