import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { CannotWrite, writeWhole } from "../../sim/cli/write-file.ts";

const folder = mkdtempSync(join(tmpdir(), "faultlane-write-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("writeWhole()", () => {
  test("writes the file and the folders above it, and leaves nothing else there", () => {
    const path = join(folder, "a/b/c.json");
    writeWhole(path, "one");
    writeWhole(path, "two");
    expect(readFileSync(path, "utf8")).toBe("two");
    expect(readdirSync(join(folder, "a/b"))).toEqual(["c.json"]);
  });

  test("replaces the file behind a link, not the link", () => {
    const [real, link] = [join(folder, "real.json"), join(folder, "link.json")];
    writeFileSync(real, "old");
    symlinkSync(real, link);
    writeWhole(link, "new");
    expect(readFileSync(real, "utf8")).toBe("new");
  });

  test("leaves the earlier text where the new one cannot be written", () => {
    const long = join(folder, "x".repeat(250));
    writeFileSync(long, "old");
    expect(() => writeWhole(long, "new")).toThrow(CannotWrite);
    expect(readFileSync(long, "utf8")).toBe("old");
  });

  writeFileSync(join(folder, "file"), "");
  mkdirSync(join(folder, "folder"));
  const refused: readonly (readonly [what: string, path: string, why: string])[] = [
    ["below a file", join(folder, "file/x.json"), "a part of the path is a file, not a folder"],
    ["in place of a folder", join(folder, "folder"), "it is a folder"],
    ["on a full disk", "/dev/full", "the disk is full"],
    ["below /proc", "/proc/faultlane/x.json", "its folder cannot be made"],
  ];
  for (const [what, path, why] of refused) {
    const place = path.startsWith("/proc") || path.startsWith("/dev") ? path.split("/")[1] : "";
    const exists = existsSync(`/${place}`);
    test(`says in one line why it cannot write ${what}`, () => {
      if (!exists) return;
      expect(() => writeWhole(path, "text")).toThrow(`Cannot write "${path}": ${why}`);
    });
  }
});
