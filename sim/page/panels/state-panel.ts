import { element } from "../element.ts";
import type { BrokerState, PartitionState } from "../model/broker-state.ts";
import { type RunState, StateReader } from "../model/run-state.ts";
import type { PageState } from "../page-state.ts";
import { timeText } from "../../story/story.ts";
import { streamTables } from "./stream-tables.ts";
import { table, type TableParts } from "./table.ts";
import { taskTables } from "./task-tables.ts";

/** How many events are read between two frames. */
const EVENTS_AT_A_TIME = 20_000;

/** What is shown of a state: texts only, so that it stays as it is when the run is read on. */
interface StateView {
  readonly title: string;
  readonly chips: readonly { readonly class: string; readonly text: string }[];
  readonly tables: readonly TableParts[];
}

/** Everything that is known of the run after the event at the cursor. */
export function statePanel(state: PageState): HTMLElement {
  const reader = new StateReader(state.run.trace, viewOf);
  const panel = element("section", {
    class: "state",
    attributes: { "aria-label": "State at the cursor" },
  });
  let isReading = false;
  const show = (): void => {
    isReading = false;
    if (state.run.trace.length === 0) return;
    const view = reader.read(state.cursor, EVENTS_AT_A_TIME);
    panel.setAttribute("aria-busy", String(view === undefined));
    if (view !== undefined) return panel.replaceChildren(...elementsOf(view));
    const share = Math.floor((reader.events * 100) / (state.cursor + 1));
    panel.replaceChildren(element("h2", { text: `Reading the run up to here: ${share} %` }));
    isReading = true;
    requestAnimationFrame(show);
  };
  state.on(["cursor"], () => {
    if (!isReading) show();
  });
  show();
  return panel;
}

function viewOf(now: RunState): StateView {
  return {
    title: `After event ${now.events}, at ${timeText(now.now)}`,
    chips: chipsOf(now),
    tables: [...streamTables(now.streams), ...brokerTables(now.broker), ...taskTables(now.tasks)],
  };
}

function elementsOf({ title, chips, tables }: StateView): readonly HTMLElement[] {
  return [
    element("h2", { text: title }),
    element(
      "ul",
      { class: "chips" },
      ...chips.map((chip) => element("li", { class: `chip ${chip.class}`, text: chip.text })),
    ),
    ...tables.map((parts) => table(parts)),
  ];
}

function chipsOf({ hosts, links, phase }: RunState): StateView["chips"] {
  const words = { up: () => "", down: () => ": down", paused: pauseWords };
  return [
    ...(phase === "" ? [] : [{ class: "", text: `${phase} phase` }]),
    ...[...hosts].map(([name, { state, incarnation, until }]) => {
      const which = incarnation > 1 ? ` #${incarnation}` : "";
      return { class: `host-${state}`, text: `${name}${which}${words[state](until)}` };
    }),
    ...[...links].map(([name, how]) => ({ class: "host-down", text: `${name}: ${how}` })),
  ];
}

function pauseWords(until = 0): string {
  return `: paused until ${timeText(until)}`;
}

const PARTITIONS_MAX = 60;

function brokerTables({ partitions }: BrokerState): readonly TableParts[] {
  const all = [...partitions.values()];
  if (all.length === 0) return [];
  const hasLeases = all.some(({ leases }) => leases.size > 0);
  const leases = all.flatMap((partition) => [...partition.leases.values()]);
  return [
    {
      title: "Broker: partitions and queues",
      columns: [
        "partition or queue",
        "published",
        "settled",
        "dead-lettered",
        "owed",
        "first owed",
      ],
      rows: all.slice(0, PARTITIONS_MAX).map(partitionRow),
      ...(all.length > PARTITIONS_MAX && { more: `and ${all.length - PARTITIONS_MAX} more` }),
    },
    ...(hasLeases
      ? [
          {
            title: "Leases: delivered and not settled",
            columns: ["record", "consumer", "since", "deliveries"],
            rows: leases
              .slice(0, PARTITIONS_MAX)
              .map(({ ref, consumer, since, deliveries }) => [
                ref,
                consumer,
                timeText(since),
                String(deliveries),
              ]),
            ...(leases.length > PARTITIONS_MAX && {
              more: `and ${leases.length - PARTITIONS_MAX} more`,
            }),
          },
        ]
      : []),
  ];
}

function partitionRow({ name, published, settled, deadLettered, owed }: PartitionState) {
  const [first = ""] = owed;
  return [name, String(published), String(settled), String(deadLettered), String(owed.size), first];
}
