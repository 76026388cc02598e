import { element } from "../element.ts";
import type { BrokerState, PartitionState } from "../model/broker-state.ts";
import { type RunState, StateReader } from "../model/run-state.ts";
import type { PageState } from "../page-state.ts";
import { timeText } from "../../story/story.ts";
import { streamTables } from "./stream-tables.ts";
import { table, type TableParts } from "./table.ts";
import { taskTables } from "./task-tables.ts";

/** Everything that is known of the run after the event at the cursor. */
export function statePanel(state: PageState): HTMLElement {
  const reader = new StateReader(state.run.trace);
  const panel = element("section", {
    class: "state",
    attributes: { "aria-label": "State at the cursor" },
  });
  const show = (): void => {
    if (state.run.trace.length === 0) return;
    const now = reader.after(state.cursor);
    const tables = [
      ...streamTables(now.streams),
      ...brokerTables(now.broker),
      ...taskTables(now.tasks),
    ];
    panel.replaceChildren(
      element("h2", { text: `After event ${now.events}, at ${timeText(now.now)}` }),
      hostChips(now),
      ...tables.map((parts) => table(parts)),
    );
  };
  state.on(["cursor"], show);
  show();
  return panel;
}

function hostChips({ hosts, links, phase }: RunState): HTMLElement {
  const chips = [...hosts].map(([name, { state, incarnation, until }]) => {
    const words = { up: "", down: ": down", paused: `: paused until ${timeText(until ?? 0)}` };
    const which = incarnation > 1 ? ` #${incarnation}` : "";
    return element("li", { class: `chip host-${state}`, text: `${name}${which}${words[state]}` });
  });
  const broken = [...links].map(([name, how]) =>
    element("li", { class: "chip host-down", text: `${name}: ${how}` }),
  );
  const phases = phase === "" ? [] : [element("li", { class: "chip", text: `${phase} phase` })];
  return element("ul", { class: "chips" }, ...phases, ...chips, ...broken);
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
