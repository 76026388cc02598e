import { button, element } from "../page/element.ts";
import { themeButton } from "../page/theme.ts";
import { Simulator, Stopped } from "./ask-worker.ts";
import { codeEditor, replaceText, scenarioEditor } from "./editor.ts";
import { hashFrom, type Shared, sharedFrom } from "./link.ts";
import type { FoundBreak, Request } from "./messages.ts";
import type { Example, PlaygroundData } from "./playground-data.ts";
import { Outcome } from "./outcome.ts";

type Tab = Shared["tab"];

const FUZZ_RUNS = "1000";
const CHECK_RUNS = "500";

/** Builds the playground into an element. */
export function openPlayground(root: HTMLElement, data: PlaygroundData): void {
  new Playground(root, data).open(sharedFrom(location.hash));
}

class Playground {
  readonly #root: HTMLElement;
  readonly #data: PlaygroundData;
  /** Runs, searches and checks. */
  readonly #simulator: Simulator;
  readonly #outcome: Outcome;
  readonly #seed = numberInput("seed", "1");
  readonly #runs = numberInput("runs", FUZZ_RUNS);
  readonly #broker: HTMLSelectElement;
  readonly #panels: Readonly<Record<Tab, HTMLElement>>;
  readonly #tabs: Readonly<Record<Tab, HTMLButtonElement>>;
  readonly #scenario: ReturnType<typeof scenarioEditor>;
  readonly #producer: ReturnType<typeof codeEditor>;
  readonly #actions: readonly HTMLButtonElement[];
  readonly #stop = button("Stop", () => this.#simulator.stop(), { attributes: { disabled: "" } });
  #tab: Tab = "scenario";

  constructor(root: HTMLElement, data: PlaygroundData) {
    this.#root = root;
    this.#data = data;
    const { kitVersion, report: code, worker } = data;
    const setup = { kind: "setup", code, kitVersion } as const;
    this.#simulator = new Simulator(worker, setup);
    const reader = new Simulator(worker, setup);
    this.#outcome = new Outcome();
    this.#broker = select("broker", data.brokers);
    this.#panels = { scenario: panel("scenario"), producer: panel("producer") };
    this.#tabs = { scenario: this.#tabFor("scenario"), producer: this.#tabFor("producer") };
    this.#actions = [
      button("Run", () => void this.#work("run"), { class: "primary" }),
      button("Fuzz", () => void this.#work("fuzz")),
      button("Shrink", () => void this.#work("shrink")),
      button("Check", () => void this.#work("check"), { class: "primary" }),
    ];
    this.#layOut();
    this.#scenario = scenarioEditor(this.#panels.scenario, data.schema, async (text) => {
      const { problems = [] } = await reader.ask({ kind: "read", text }).catch(ignoreStop);
      return problems;
    });
    this.#producer = codeEditor(this.#panels.producer);
  }

  open(shared: Shared | undefined): void {
    const [first] = this.#data.examples;
    const [firstProducer] = this.#data.producers;
    replaceText(this.#scenario, shared?.tab === "scenario" ? shared.text : (first?.text ?? ""));
    replaceText(
      this.#producer,
      shared?.tab === "producer" ? shared.text : (firstProducer?.text ?? ""),
    );
    if (shared !== undefined) {
      this.#seed.value = String(shared.seed);
      if (this.#data.brokers.includes(shared.broker)) this.#broker.value = shared.broker;
    }
    this.#show(shared?.tab ?? "scenario");
    this.#root.dataset["state"] = "open";
  }

  #layOut(): void {
    const examples = selectOf("example", this.#data.examples, ({ text }) =>
      replaceText(this.#scenario, text),
    );
    const producers = selectOf("producer-example", this.#data.producers, ({ text, broker }) => {
      replaceText(this.#producer, text);
      this.#broker.value = broker;
    });
    const [run, fuzz, shrink, check] = this.#actions as Buttons;
    const controls = element(
      "div",
      { class: "controls" },
      labelled("Example", examples, "scenario"),
      labelled("Example", producers, "producer"),
      labelled("Broker", this.#broker, "producer"),
      labelled("Seed", this.#seed),
      labelled("Runs", this.#runs),
      ...[run, fuzz, shrink].map((one) => forTab(one, "scenario")),
      forTab(check, "producer"),
      this.#stop,
      button("Link", () => this.#link(), {
        attributes: { title: "Put this text into the address" },
      }),
    );
    const theme = themeButton(document.documentElement, () => undefined);
    this.#root.replaceChildren(
      element(
        "header",
        { class: "top" },
        element("h1", { text: "faultlane playground" }),
        element(
          "div",
          { class: "tabs", attributes: { role: "tablist", "aria-label": "What to try" } },
          this.#tabs.scenario,
          this.#tabs.producer,
        ),
        theme,
      ),
      element(
        "main",
        { class: "panes" },
        element(
          "section",
          { class: "edit", attributes: { "aria-label": "Editor" } },
          controls,
          this.#panels.scenario,
          this.#panels.producer,
        ),
        this.#outcome.element,
      ),
    );
  }

  #tabFor(tab: Tab): HTMLButtonElement {
    const text = tab === "scenario" ? "Scenario" : "Producer";
    return button(text, () => this.#show(tab), {
      id: `tab-${tab}`,
      attributes: { role: "tab", "aria-controls": `panel-${tab}` },
    });
  }

  #show(tab: Tab): void {
    this.#tab = tab;
    this.#root.dataset["tab"] = tab;
    this.#runs.value = tab === "scenario" ? FUZZ_RUNS : CHECK_RUNS;
    for (const one of ["scenario", "producer"] as const) {
      this.#tabs[one].setAttribute("aria-selected", String(one === tab));
      this.#panels[one].hidden = one !== tab;
    }
    this.#outcome.hint(
      tab === "scenario"
        ? "Run plays the scenario with this seed. Fuzz searches for a broken promise, Shrink makes a broken run small."
        : "Check runs this producer against a model of its broker: rebalances, lost replies, a triggerer that dies.",
    );
  }

  #request(kind: Request["kind"], job: FoundBreak["job"] | undefined): Request {
    const text = this.#scenario.state.doc.toString();
    const [seed, runs] = [wholeFrom(this.#seed, 0), wholeFrom(this.#runs, 1)];
    if (kind === "check") {
      const code = this.#producer.state.doc.toString();
      return { kind, code, broker: this.#broker.value, seed, runs };
    }
    if (kind === "fuzz") return { kind, text, seed, runs };
    if (kind === "read") return { kind, text };
    return { kind, text, seed, ...(job !== undefined && { job }) };
  }

  async #work(kind: Request["kind"], job?: FoundBreak["job"]): Promise<void> {
    this.#busy(true);
    this.#outcome.begin(kind === "run" ? "Running…" : "Working…", job !== undefined);
    try {
      const result = await this.#simulator.ask(this.#request(kind, job), {
        onProgress: (words) => this.#outcome.progress(words),
        onFound: (found) =>
          this.#outcome.found(found, {
            onOpen: () => void this.#work("run", found.job),
            onShrink: () => void this.#work("shrink", found.job),
          }),
      });
      this.#outcome.show(result);
      if (result.scenario !== undefined) replaceText(this.#scenario, result.scenario);
    } catch (error) {
      if (error instanceof Stopped) this.#outcome.stopped();
      else this.#outcome.failed(error instanceof Error ? error.message : String(error));
    } finally {
      this.#busy(false);
    }
  }

  #busy(isBusy: boolean): void {
    this.#stop.disabled = !isBusy;
    for (const one of this.#actions) one.disabled = isBusy;
    this.#root.dataset["busy"] = String(isBusy);
  }

  #link(): void {
    const editor = this.#tab === "scenario" ? this.#scenario : this.#producer;
    const seed = wholeFrom(this.#seed, 0);
    const text = editor.state.doc.toString();
    location.hash = hashFrom({ tab: this.#tab, text, seed, broker: this.#broker.value });
    // Not every browser lets a page that was opened from a file write to the clipboard.
    navigator.clipboard?.writeText(location.href).catch(() => undefined);
    this.#outcome.progress("The address of this page now carries the text.");
  }
}

type Buttons = readonly [
  HTMLButtonElement,
  HTMLButtonElement,
  HTMLButtonElement,
  HTMLButtonElement,
];

function ignoreStop(error: unknown): { readonly problems?: never } {
  if (error instanceof Stopped) return {};
  throw error;
}

function panel(tab: Tab): HTMLElement {
  return element("div", {
    class: "editor",
    id: `panel-${tab}`,
    attributes: { role: "tabpanel", "aria-labelledby": `tab-${tab}` },
  });
}

function forTab<E extends HTMLElement>(one: E, tab: Tab): E {
  one.classList.add(`for-${tab}`);
  return one;
}

function labelled(text: string, input: HTMLElement, tab?: Tab): HTMLElement {
  const label = element("label", {}, element("span", { text }), input);
  return tab === undefined ? label : forTab(label, tab);
}

function select(name: string, values: readonly string[]): HTMLSelectElement {
  const options = values.map((text) => element("option", { text, attributes: { value: text } }));
  return element("select", { attributes: { name } }, ...options);
}

/** A list of examples to choose from. */
function selectOf<E extends Example>(
  name: string,
  examples: readonly E[],
  choose: (example: E) => void,
): HTMLSelectElement {
  const list = select(
    name,
    examples.map((one) => one.name),
  );
  list.addEventListener("change", () => {
    const chosen = examples.find((one) => one.name === list.value);
    if (chosen !== undefined) choose(chosen);
  });
  return list;
}

function numberInput(name: string, value: string): HTMLInputElement {
  return element("input", { attributes: { name, value, type: "number", min: "0", step: "1" } });
}

function wholeFrom(input: HTMLInputElement, least: number): number {
  const number = Math.trunc(Number(input.value));
  return Number.isSafeInteger(number) ? Math.max(least, number) : least;
}
