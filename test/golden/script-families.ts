import type { ScriptFamily } from "../arbitraries/shared-stream-script.ts";

/**
 * Where no defect of the reference applies, both managers show the same. What the scripts leave
 * out, and the defect for which they do; reference-against-ours.prop.test.ts has a script for each
 * in which the two part.
 *
 * - E-01: no advance rejects as if it had been cancelled; the reference's pump would die of it.
 * - E-06: each subscriber of a key has an id that is new to it; under an old one it could pay for
 *   what its predecessor left unconfirmed.
 * - E-08: nor does an id come back while its old subscription, in a group that died, has not
 *   left; the reference takes the new one for the old.
 * - E-09: no subscriber rejects after it has left; the reference's reject context is still there.
 * - E-12: advances raise and block where there is one lane only. Which of two resolved lanes goes
 *   first is no contract: the reference walks all lanes by age, ours those that became ready. As
 *   long as no advance throws or blocks, the difference cannot be seen.
 * - E-15: advances block and everything is stopped where there is one key only. The groups behind
 *   a blocked one are not stopped by the reference, while ours stops those that are idle.
 */
export const FAMILIES: readonly (readonly [name: string, family: ScriptFamily])[] = [
  [
    "several keys, lanes and bursts",
    {
      keys: ["ack-a", "ack-b", "fast"],
      lanes: ["p0", "p1", "p2"],
      burstMax: 5,
      hasFailingAdvance: false,
      hasStopAll: true,
    },
  ],
  [
    "one key, whose advance raises and blocks, and stops",
    { keys: ["ack-a"], lanes: ["p0"], burstMax: 3, hasFailingAdvance: true, hasStopAll: true },
  ],
  [
    "several keys, whose advances raise and block",
    {
      keys: ["ack-a", "ack-b", "fast"],
      lanes: ["p0"],
      burstMax: 3,
      hasFailingAdvance: true,
      hasStopAll: false,
    },
  ],
];
