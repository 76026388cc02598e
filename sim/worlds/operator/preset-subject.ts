import { outputOf } from "../../jobs/job.ts";
import { type JobSystemName, jobSystemKnobs } from "../../jobs/presets.ts";
import { PresetJob } from "../../workloads/preset-job.ts";
import { PresetOperator } from "../../workloads/preset-operator.ts";
import { operatorTask, runKey } from "./operator-task.ts";
import { OperatorUnderTest } from "./operator-under-test.ts";

/** The kit's own operator on a system: what runs where neither a scenario nor its user names one. */
export function presetSubject(system: JobSystemName): OperatorUnderTest {
  const operator = new OperatorUnderTest((client, { clock, task: name }) => {
    return new PresetOperator(new PresetJob(client, clock, { system, name }));
  });
  // Without an id there is nothing to fetch the output by.
  const output = jobSystemKnobs(system).idKind === "none" ? null : outputOf(operatorTask().key);
  operator.calmResults.set(runKey(system), JSON.stringify(output));
  return operator;
}
