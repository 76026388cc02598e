import { describe, expect, test } from "vitest";
import { annotationsFrom } from "../../sim/report/annotations.ts";
import { junitFrom } from "../../sim/report/junit.ts";
import type { TestCase } from "../../sim/report/test-case.ts";
import { readJunit } from "./read-junit.ts";

const HOSTILE = 'a "b" <c> & d\n]]> \t\r100%, x: \u0000\u001b[31m \ud800 \ufffe 😀';
/** The same as a reader of XML gets it: what XML cannot contain is replaced. */
const READ = 'a "b" <c> & d\n]]> \t\r100%, x: \ufffd\ufffd[31m \ufffd \ufffd 😀';

const CASES: readonly TestCase[] = [
  { file: "a.yaml", line: 1, name: "a, seed 1" },
  {
    file: "a.yaml",
    line: 3,
    name: HOSTILE,
    failure: { type: "I1", message: HOSTILE, text: HOSTILE },
  },
  { file: "b, c.yaml", line: 1, name: "b, seed 1" },
];

describe("junitFrom()", () => {
  test("writes a valid document with a suite for each file", () => {
    expect(readJunit(junitFrom(CASES))).toEqual([
      { suite: "a.yaml", name: "a, seed 1" },
      { suite: "a.yaml", name: READ, failure: { type: "I1", message: READ, text: READ } },
      { suite: "b, c.yaml", name: "b, seed 1" },
    ]);
  });

  test("writes an empty document for no case", () => {
    expect(readJunit(junitFrom([]))).toEqual([]);
  });
});

describe("annotationsFrom()", () => {
  test("writes one line for each failure, with what would end it by number", () => {
    const [line, ...others] = annotationsFrom([
      ...CASES.slice(0, 1),
      {
        file: "b, c.yaml",
        line: 3,
        name: "a: 100%",
        failure: { type: "I1", message: "it broke: x, 100%", text: "  one\r\n  two" },
      },
    ]);
    expect(others).toEqual([]);
    expect(line).toBe(
      "::error file=b%2C c.yaml,line=3,title=a%3A 100%25%3A I1::it broke: x, 100%25%0A  one%0D%0A  two",
    );
  });
});

test("a document that no reader takes is seen", () => {
  const valid = junitFrom(CASES);
  expect(() => readJunit(valid.replace("</testsuites>", ""))).toThrow(/testsuites/);
  expect(() => readJunit(valid.replace(' classname="a.yaml"', ""))).toThrow(/classname/);
  expect(() => readJunit(valid.replace('failures="1"', 'failures="2"'))).toThrow("Wrong counts");
});
