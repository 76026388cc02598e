import * as fc from "fast-check";

/** The awaits that lie between two racing tasks. */
export const GAPS: readonly number[] = [0, 1, 49, 50, 51, 60, 200, 1_000, 10_000];

/** In which orders fast-check's scheduler lets the two tasks go. */
export async function ordersOfFastCheck(
  gap: number,
  numRuns: number,
): Promise<ReadonlySet<string>> {
  const orders = new Set<string>();
  const property = fc.asyncProperty(fc.scheduler(), async (scheduler) => {
    const order: string[] = [];
    const go = async (name: string, awaits: number): Promise<void> => {
      for (let at = 0; at < awaits; at += 1) await Promise.resolve();
      await scheduler.schedule(Promise.resolve(), name);
      order.push(name);
    };
    const both = [go("early", 0), go("late", gap)];
    await scheduler.waitIdle();
    await scheduler.waitFor(Promise.all(both));
    orders.add(order[0] ?? "");
  });
  await fc.assert(property, { seed: 1, numRuns });
  return orders;
}
