import { EventEmitter } from "node:events";
import process from "node:process";
import { expect, test } from "vitest";
import { simulate } from "../../sim/run/simulate.ts";
import { createManagerOf } from "../../sim/worlds/manager/profiles.ts";
import { readScenario } from "../sim/read-scenarios.ts";

const plain = createManagerOf("faultlane");

/** Runs a world in which the code under test does something when its host starts. */
async function afterRunThat(act: () => void): Promise<string> {
  const { verdict } = await simulate(readScenario("hostile-client"), {
    createManager: (host, settings, observer) => {
      act();
      return plain(host, settings, observer);
    },
  });
  return verdict;
}

const polluted = Object.prototype as { added?: number };

test("what code changes in its process is put back when the run is over", async () => {
  const found = (): unknown => [
    process.exitCode ?? 0,
    process.cwd(),
    process.env["HOME"],
    process.env["ADDED"],
    polluted.added,
    String.prototype.anchor,
    EventEmitter.defaultMaxListeners,
  ];
  const before = found();
  const seen: unknown[] = [];
  const act = (): void => {
    seen.push(found());
    process.exitCode = 7;
    process.env["ADDED"] = "x";
    delete process.env["HOME"];
    EventEmitter.defaultMaxListeners = 99;
    Object.defineProperty(polluted, "added", { value: 1, configurable: true });
    Object.assign(String.prototype, { anchor: () => "changed" });
  };
  for (const _ of [1, 2]) {
    seen.length = 0;
    expect(await afterRunThat(act)).toBe("held");
    expect(seen[0]).toEqual(before);
    expect(found()).toEqual(before);
  }
});

test("code has listeners of its own on the process, and does not touch those of others", async () => {
  const heard: string[] = [];
  const listener = (): void => void heard.push("theirs");
  const count = (): number => process.listenerCount("SIGUSR2");
  process.on("SIGUSR2", listener);
  try {
    const act = (): void => {
      heard.push(`${count()} before`);
      process.on("SIGUSR2", () => heard.push("its own"));
      process.emit("SIGUSR2", "SIGUSR2");
      heard.push(`${count()} after`);
      process.removeAllListeners();
    };
    await afterRunThat(act);
    expect(heard.slice(0, 3)).toEqual(["0 before", "its own", "1 after"]);
    expect(heard).not.toContain("theirs");
    expect(process.listeners("SIGUSR2")).toEqual([listener]);
  } finally {
    process.off("SIGUSR2", listener);
  }
});

test("code cannot switch off what finds the rejections that it does not handle", async () => {
  const verdict = await afterRunThat(() => {
    process.removeAllListeners("unhandledRejection");
    process.setUncaughtExceptionCaptureCallback(null);
    void Promise.reject(new RangeError("boom"));
  });
  expect(verdict).toBe("broken");
});
