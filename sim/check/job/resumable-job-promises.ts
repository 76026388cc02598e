/** What a resumable job owes, each as a sentence. */
export const JOB_PROMISES = {
  I1: "a job is submitted twice only when the attempt was lost inside [accepted, persisted]",
  I2: "the id is in the store before anybody asks how the job is",
  I3: "nothing is submitted while the recorded job may still run",
  I4: "a job that succeeded is not run again",
  I5: "an unknown status and a failed lookup are not the end of a job",
  I6: "the stored id is that of the job that was accepted last",
  I14: "a timeout and a user cancel the job; the infrastructure, and an error, keep it",
  I19: "the job polled is the job submitted",
  I20: "the same result whether or not a crash happened, and none without a job that succeeded",
  progress: "once the faults are over, the task comes to its end",
} as const;

export type JobPromise = keyof typeof JOB_PROMISES;
