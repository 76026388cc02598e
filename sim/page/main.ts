import { button, element } from "./element.ts";
import { keyHelp, listenToKeys } from "./keyboard.ts";
import type { RunModel } from "./model/run-model.ts";
import { dataOf, runOf, UnreadableReport } from "./open-report.ts";
import { PageState } from "./page-state.ts";
import { comparePanel, follow, nameOf } from "./panels/compare-panel.ts";
import { eventPanel } from "./panels/event-panel.ts";
import { exportMenu } from "./panels/export-menu.ts";
import { journeyPanel } from "./panels/journey-panel.ts";
import { runPanel } from "./panels/run-panel.ts";
import { scenarioPanel } from "./panels/scenario-panel.ts";
import { searchPanel } from "./panels/search-panel.ts";
import { sectionPanel } from "./panels/section-panel.ts";
import { statePanel } from "./panels/state-panel.ts";
import type { ReportData, RunData } from "./report-data.ts";
import { timeText } from "../story/story.ts";
import { tabs } from "./tabs.ts";
import { themeButton } from "./theme.ts";
import { Timeline } from "./timeline/timeline.ts";
import { toolbar } from "./toolbar.ts";

/** Fills the page: what needs no trace at once, the rest when the trace is read. */
async function open(root: HTMLElement): Promise<void> {
  let data: ReportData | undefined;
  try {
    data = dataOf(document);
    const [run] = data.runs;
    if (run === undefined) throw new UnreadableReport("The report has no run");
    root.replaceChildren(header(run), element("p", { class: "notice", text: "Reading the run" }));
    const [, other] = data.runs;
    const model = await runOf(document, run, 0);
    show(root, data, model, other && (await runOf(document, other, 1)));
  } catch (error) {
    if (!(error instanceof UnreadableReport)) throw error;
    const [run] = data?.runs ?? [];
    root.replaceChildren(
      ...(run === undefined ? [] : [header(run)]),
      element("p", { class: "notice", text: error.message, attributes: { role: "alert" } }),
      ...(run === undefined ? [] : [scenarioPanel(run)]),
    );
  }
  root.dataset["state"] = "open";
}

function header({ scenario, seed, verdict, violations, virtualMs, events }: RunData): HTMLElement {
  const broken = [...new Set(violations.map(({ checker }) => checker))].join(", ");
  const words = verdict.replace("-", " ");
  return element(
    "header",
    { class: `head ${verdict}` },
    element(
      "div",
      { class: "head-words" },
      element("h1", { text: scenario }),
      element("p", {
        text: `seed ${seed} · ${timeText(virtualMs)} of virtual time · ${events} events`,
      }),
    ),
    element("p", { class: "verdict", text: broken === "" ? words : `${words}: ${broken}` }),
  );
}

function show(
  root: HTMLElement,
  { runs, sections }: ReportData,
  run: RunModel,
  other: RunModel | undefined,
): void {
  const state = new PageState(run);
  const timeline = new Timeline(state);
  const second = other && secondRun(state, timeline, other);
  const bar = toolbar(state, timeline);
  const search = searchPanel(state);
  const head = header(run.data);
  const theme = themeButton(document.documentElement, () => {
    timeline.recolour();
    second?.timeline.recolour();
  });
  const help = keyDialog();
  const keys = button("Keys", () => help.showModal(), { attributes: { "aria-keyshortcuts": "?" } });
  head.append(element("div", { class: "head-tools" }, search.box, exportMenu(state), theme, keys));
  const side = tabs(
    [
      { id: "run", title: "Story", panel: runPanel(state) },
      { id: "journey", title: "Journey", panel: journeyPanel(state) },
      ...(second === undefined ? [] : [{ id: "compare", title: "Compare", panel: second.panel }]),
      { id: "scenario", title: "Scenario", panel: scenarioPanel(runs[0] ?? run.data) },
      ...sections.map((section, at) => ({
        id: `added-${at}`,
        title: section.title,
        panel: sectionPanel(state, section),
      })),
    ],
    "About the run",
  );
  root.replaceChildren(
    head,
    element(
      "main",
      { class: "body" },
      element("div", { class: "side" }, search.results, side.element),
      element(
        "div",
        { class: "stage" },
        bar.element,
        timeline.element,
        ...(second === undefined ? [] : [second.title, second.timeline.element]),
        element("div", { class: "under" }, eventPanel(state), statePanel(state)),
      ),
    ),
    help,
  );
  state.on(["journey"], () => {
    if (state.journey !== undefined) side.show("journey");
  });
  state.on(["cursor"], () => timeline.reveal());
  listenToKeys(state, {
    timeline,
    toggleAxis: bar.toggleAxis,
    search: () => document.getElementById("search")?.focus(),
    help: () => help.showModal(),
  });
  const [broken] = run.breaks;
  state.moveTo(broken ?? 0);
  if (broken !== undefined) requestAnimationFrame(() => timeline.showBefore(broken));
}

interface SecondRun {
  readonly timeline: Timeline;
  readonly title: HTMLElement;
  readonly panel: HTMLElement;
}

/** The run that the first one is compared with: its timeline, and a panel about both. */
function secondRun(first: PageState, timeline: Timeline, run: RunModel): SecondRun {
  const state = new PageState(run);
  const own = new Timeline(state);
  follow(first, timeline, state, own);
  const title = element("h2", { class: "second", text: `Compared with ${nameOf(state)}` });
  return { timeline: own, title, panel: comparePanel(first, state) };
}

function keyDialog(): HTMLDialogElement {
  const rows = keyHelp().flatMap(([keys, does]) => [
    element("dt", { text: keys }),
    element("dd", { text: does }),
  ]);
  const dialog = element(
    "dialog",
    { attributes: { "aria-label": "Keys" } },
    element("h2", { text: "Keys" }),
    element("dl", { class: "members" }, ...rows),
  );
  dialog.append(button("Close", () => dialog.close()));
  return dialog;
}

document.addEventListener("DOMContentLoaded", () => {
  const root = document.getElementById("report");
  if (root !== null) void open(root);
});
