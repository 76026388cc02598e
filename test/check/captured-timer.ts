// A job that waits for real time with a function that it captured before the gates were there.
const { setTimeout: realTimeout } = globalThis;
const { checkResumableJob, NotVirtual } = await import("../../sim/check/mod.ts");
const { rightJobOn } = await import("./resumable-job-bugs.ts");

const createJob: Parameters<typeof checkResumableJob>[0] = (client, surroundings) => ({
  ...rightJobOn("livy")(client, surroundings),
  pollUntilComplete: () => new Promise((resolve) => realTimeout(resolve, 600_000)),
});
try {
  await checkResumableJob(createJob, { system: "livy" });
} catch (error) {
  if (!(error instanceof NotVirtual)) throw error;
  console.log(`${error.name}: ${error.use}`);
}
process.exit(0);
