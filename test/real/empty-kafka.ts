import { setTimeout as pass } from "node:timers/promises";
import type { Admin } from "kafkajs";

/** So long after a topic was deleted may the broker still know it. */
const SETTLED_MS = 2_500;
const TRIES = 30;

/** Deletes all topics and groups, and waits until the broker knows them no more. */
export async function emptyKafka(admin: Admin): Promise<void> {
  const topics = (await admin.listTopics()).filter((topic) => !topic.startsWith("__"));
  if (topics.length > 0) await admin.deleteTopics({ topics });
  await deleteGroups(admin);
  await pass(SETTLED_MS);
}

/** Deletes all groups, once their members have left. */
async function deleteGroups(admin: Admin): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const { groups } = await admin.listGroups();
    if (groups.length === 0) return;
    try {
      await admin.deleteGroups(groups.map(({ groupId }) => groupId));
      return;
    } catch (error) {
      if (tries === TRIES) throw error;
      await pass(SETTLED_MS);
    }
  }
}
