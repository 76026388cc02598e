/** A scenario of one record that its only subscriber rejects, judged as `decide` says, if at all. */
export function rejectingScenario(decide: string): string {
  return `
story: A record that is rejected.
world: producer
broker: { pubsub: {} }
${decide}
records: [{ at: 1s, publish: ref-000001, key: key-1 }]
subscribers: [{ subscriber: 1 }]
behaviours: [{ subscriber: 1, on: ref-000001, does: reject }]
`;
}
