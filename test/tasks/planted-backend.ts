import { MemoryStateBackend, type StateBackend } from "../../src/store/mod.ts";
import type { World } from "../../sim/kernel/world.ts";
import type { TaskWorldParts } from "../../sim/worlds/tasks/task-parts.ts";

/** A store, or a task that keeps state, with one thing wrong. */
export interface PlantedStoreBug {
  readonly bug: string;
  readonly scenario: string;
  readonly breaks: string;
  readonly parts: TaskWorldParts;
}

/** A memory backend with one thing wrong. */
export function backendWith(
  plant: (correct: MemoryStateBackend, world: World) => Partial<StateBackend>,
): TaskWorldParts {
  return {
    createBackend(world) {
      const correct = new MemoryStateBackend();
      const wrong = plant(correct, world);
      return new Proxy<StateBackend>(correct, {
        get: (target, name) =>
          Reflect.has(wrong, name)
            ? (Reflect.get(wrong, name) as unknown)
            : (Reflect.get(target, name) as CallableFunction | undefined)?.bind(target),
      });
    },
  };
}
