import type { GivenPartitions } from "./kafka-given.ts";

interface TopicState {
  readonly paused: Set<number>;
  readonly resumed: Set<number>;
  isAllPaused: boolean;
}

/**
 * Which partitions are paused. Of a topic that is paused as a whole, also those are that a consumer
 * is assigned later.
 *
 * Source: kafkajs 2.2.4, src/consumer/subscriptionState.js
 */
export class KafkaSubscriptions {
  readonly #topics = new Map<string, TopicState>();

  pause(topics: readonly GivenPartitions[]): void {
    for (const { topic, partitions } of topics) {
      const state = this.#stateOf(topic);
      if (partitions === undefined) {
        this.#clear(state, true);
        continue;
      }
      for (const partition of partitions) {
        state.paused.add(partition);
        state.resumed.delete(partition);
      }
      state.isAllPaused = false;
    }
  }

  resume(topics: readonly GivenPartitions[]): void {
    for (const { topic, partitions } of topics) {
      const state = this.#stateOf(topic);
      if (partitions === undefined) {
        this.#clear(state, false);
        continue;
      }
      for (const partition of partitions) {
        state.paused.delete(partition);
        if (state.isAllPaused) state.resumed.add(partition);
      }
    }
  }

  isPaused(topic: string, partition: number): boolean {
    const state = this.#topics.get(topic);
    if (state === undefined) return false;
    return (state.isAllPaused && !state.resumed.has(partition)) || state.paused.has(partition);
  }

  #clear(state: TopicState, isAllPaused: boolean): void {
    state.paused.clear();
    state.resumed.clear();
    state.isAllPaused = isAllPaused;
  }

  #stateOf(topic: string): TopicState {
    const known = this.#topics.get(topic);
    if (known !== undefined) return known;
    const made = { paused: new Set<number>(), resumed: new Set<number>(), isAllPaused: false };
    this.#topics.set(topic, made);
    return made;
  }
}
