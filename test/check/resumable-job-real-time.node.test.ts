import { expect, test } from "vitest";
import { checkResumableJob, type CreateJob, NotVirtual } from "../../sim/check/mod.ts";
import { rightJobOn } from "./resumable-job-bugs.ts";

// Not every runtime tells which timers are open.
test("checkResumableJob() does not judge a job that waits for real time", async () => {
  const realTimeout = setTimeout;
  const timers: ReturnType<typeof setTimeout>[] = [];
  const createJob: CreateJob = (client, surroundings) => ({
    ...rightJobOn("livy")(client, surroundings),
    pollUntilComplete: () => new Promise((resolve) => timers.push(realTimeout(resolve, 600_000))),
  });
  const error = await checkResumableJob(createJob, { system: "livy" }).catch(
    (error: unknown) => error,
  );
  for (const timer of timers) clearTimeout(timer);
  expect(error).toBeInstanceOf(NotVirtual);
});
