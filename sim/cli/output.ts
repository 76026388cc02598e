import { writeSync } from "node:fs";
import { styleText } from "node:util";
import { type Paint, PLAIN } from "../report/terminal.ts";

/** Wrong input: a scenario, a flag, a module. Printed as one line; exit code 2. */
export class WrongInput extends Error {
  override readonly name = "WrongInput";
}

export const EXIT: {
  readonly held: 0;
  readonly broken: 1;
  readonly wrongInput: 2;
  readonly kitFailed: 3;
} = Object.freeze({ held: 0, broken: 1, wrongInput: 2, kitFailed: 3 });

/** Writes all of `text` to standard output, even into a slow pipe. */
export function print(text: string): void {
  writeAll(1, `${text}\n`);
}

/** Writes to standard error. */
export function complain(text: string): void {
  writeAll(2, `${text}\n`);
}

/** Writes a piece of text to standard error, as it is. */
export function complainText(text: string): void {
  writeAll(2, text);
}

function writeAll(descriptor: number, text: string): void {
  let bytes: Uint8Array = new TextEncoder().encode(text);
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(descriptor, bytes));
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === "EPIPE") return;
      if (code !== "EAGAIN") throw error;
    }
  }
}

/** Prints a value as one JSON document on standard output. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, undefined, 2));
}

const COLOURED: Paint = {
  bold: (text) => styleText("bold", text),
  dim: (text) => styleText("dim", text),
  good: (text) => styleText("green", text),
  bad: (text) => styleText("red", text),
  warn: (text) => styleText("yellow", text),
};

export function paintOf(stream: { readonly isTTY?: boolean }): Paint {
  return stream.isTTY === true && process.env["NO_COLOR"] === undefined ? COLOURED : PLAIN;
}

/** Returns how many characters fit on a line; no limit where the output is no terminal. */
export function columnsOf(stream: { readonly isTTY?: boolean; readonly columns?: number }): number {
  const { isTTY, columns = 0 } = stream;
  return isTTY === true && columns > 0 ? columns : Number.POSITIVE_INFINITY;
}

/** Returns a parser for an option that takes a whole number in a range. */
export function wholeNumber(name: string, min: number, max: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < min || number > max) {
      throw new WrongInput(`Cannot use "${text}" as ${name}: expected a whole number from ${min}`);
    }
    return number;
  };
}

/** Returns a parser for an option that takes a number above 0, such as 0.5. */
export function positiveNumber(name: string, max: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!/^\d+(\.\d+)?$/.test(text) || number <= 0 || number > max) {
      throw new WrongInput(`Cannot use "${text}" as ${name}: expected a number above 0`);
    }
    return number;
  };
}
