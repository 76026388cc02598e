import { expect, test } from "vitest";
import { AMID_SETTLING_BUGS } from "./amid-settling-bugs.ts";
import { EVENT_HUBS_BUGS } from "./event-hubs-bugs.ts";
import { HTTP_FEED_BUGS } from "./http-feed-bugs.ts";
import { MQTT_BUGS } from "./mqtt-bugs.ts";
import { OUTBOX_BUGS } from "./outbox-bugs.ts";
import { KAFKA_BUGS } from "./producers/kafka/bugs.ts";
import { type SourceBug, sourceWithBug } from "./producers/source-bug.ts";
import { REFUSED_CLIENT_BUGS } from "./refused-clients.ts";

function of(name: string, bugs: readonly SourceBug[]): (SourceBug & { readonly source: URL })[] {
  const source = new URL(`../../scenarios/producers/${name}`, import.meta.url);
  return bugs.map((bug) => ({ ...bug, source }));
}

// Only the long gate makes the checks that find them; who edits a producer is told here.
test.each([
  ...AMID_SETTLING_BUGS,
  ...REFUSED_CLIENT_BUGS,
  ...of("event-hubs.ts", EVENT_HUBS_BUGS),
  ...of("http-feed.ts", HTTP_FEED_BUGS),
  ...of("mqtt.ts", MQTT_BUGS),
  ...of("outbox.ts", OUTBOX_BUGS),
  ...of("orders.ts", KAFKA_BUGS),
])("the edits of $id fit their producer", (bug) => {
  expect(() => sourceWithBug(bug.source, bug)).not.toThrow();
});
