import { expect, test } from "vitest";
import { exploreAll } from "../../sim/search/exhaustive/exhaustive.ts";
import { ledgerWorld } from "./calibration/ledger-world.ts";

test("2 subscribers, 3 events, 2 lanes, 1 fault: every run of the ledger", async () => {
  const { certificate, failures } = await exploreAll({
    bounds: { faults: 1 },
    run: (path) => ledgerWorld(path, { subscribers: 2, events: 3, lanes: 2 }),
  });
  expect(failures).toEqual([]);
  expect(certificate).toMatchInlineSnapshot(`
    {
      "bounds": {
        "faults": 1,
      },
      "depth": 41,
      "digest": "e2ee9ec867baeb4a5bd278b3d9356ed99703e1b8bb5d0af73694055f9e1796b2",
      "isComplete": true,
      "runs": 203842,
      "states": 59319,
    }
  `);
});
